"""Performance of CoS2N by coarsening ratio, drawn from the rows of the reproduction.

python benchmarks/ratio_figure.py     # docs/coarsening-ratios.png
"""

from __future__ import annotations

from pages.rows import ROOT, cell_scores, deviation, mean, read

from sub2node.report.drawing import PALETTE, house_style, legend_below, new_figure

TABLE, SIZES = "ratio-ppi_bp", (10, 20, 40, 80)


@house_style()
def main() -> None:
    rows = read(f"reproduction/{TABLE}.csv")
    groups = rows.distinct("group")
    figure, panels = new_figure(
        1000,
        460,
        cols=len(groups),
        sharey=True,
        title="PPI-BP: CoS2N by coarsening ratio",
        subtitle="published settings, mean over 10 fresh subsets; bars are standard errors",
    )
    for axes, group in zip(panels, groups, strict=True):
        titles = rows.where(group=group).distinct("row")
        ratios = [float(title.split(", ")[1].split()[0]) for title in titles]
        for place, n in enumerate(SIZES):
            scores = [cell_scores(TABLE, title, f"n = {n}") for title in titles]
            axes.errorbar(
                ratios,
                [mean(values) for values in scores],
                yerr=[deviation(values) / len(values) ** 0.5 for values in scores],
                color=PALETTE[f"k{place}"],
                marker="o",
                label=f"n = {n} of each class",
            )
        axes.set_xticks(ratios)
        axes.set_title(f"{group}: test micro-F1, %")
        axes.set_xlabel("Share of the nodes that is removed")
    legend_below(figure, panels[0].get_legend_handles_labels()[0])
    place = ROOT / "docs" / "coarsening-ratios.png"
    figure.savefig(place, dpi=144)
    print(f"Wrote {place.name}")


if __name__ == "__main__":
    main()
