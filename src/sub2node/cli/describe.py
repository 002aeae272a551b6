"""``s2n describe``: what a task looks like, with warnings."""

from __future__ import annotations

from rich.text import Text

from ..base.plural import plural
from ..base.progress import activity
from ..base.records import JsonObject
from .data_arguments import DataArguments, reads_data
from .options import AsJson
from .output import console, print_json, progress, show_notes, table, warn

_MOST_CLASSES = 25  # that are all shown
_LARGEST = 10


@reads_data
def describe(source: DataArguments, *, as_json: AsJson = False) -> None:
    """Describe your data: sizes, labels, overlap and warnings.

    Examples:
        s2n describe my-folder
        s2n describe sets.gmt --graph edges.tsv

    A folder has the tables edges (source, target), members (subgraph_id, node_id) and labels
    (subgraph_id, label, and split where there is one) as CSV, TSV or Parquet.
    """
    task = source.load(quiet=True)
    from ..task import describe as statistics

    with progress(), activity("Measuring graph and subgraphs"):
        facts = statistics(task)
    if as_json:
        print_json(facts)
        return
    _show_shape(facts)
    if facts["classes"]:
        _show_labels(facts)
    show_notes(task.notes)
    for warning in facts["warnings"]:
        warn(warning, to=console)


def _spread(value: dict[str, float], digits: int) -> str:
    return f"{value['mean']:.{digits}f} ± {value['sd']:.{digits}f}"


def _show_shape(facts: JsonObject) -> None:
    view = table(facts["name"] or "Task", "", "")
    view.show_header = False

    def row(what: str, value: str) -> None:
        view.add_row(what, value)

    row("Nodes", f"{facts['nodes']:,}")
    row("Edges (without self-loops)", f"{facts['edges']:,}")
    if "loaded_nodes" in facts:
        row("  loaded, the rest stays on disk", f"{facts['loaded_nodes']:,} nodes")
    if facts["self_loops"]:
        row("Self-loops", f"{facts['self_loops']:,}")
    if facts["directed_edges"]:
        row("Directed edges, as they came", f"{facts['directed_edges']:,}")
        row("Features per directed edge", f"{facts['edge_features']:,}")
    if facts["features"]:
        row("Features per node", f"{facts['features']:,}")
    if facts["graph_components"] is not None:
        row("Connected components", f"{facts['graph_components']:,}")
    row("Density", f"{facts['density']:.4f}")
    view.add_section()
    row("Subgraphs", f"{facts['subgraphs']:,}")
    if facts["unlabelled"]:
        row("  without a label, apart from these", f"{facts['unlabelled']:,}")
    row("Internal edges in subgraphs", f"{facts['internal_edges']:,}")
    row("Nodes per subgraph", _spread(facts["subgraph_nodes"], 1))
    if facts["excluded_members"]:
        count, owners = facts["excluded_members"], facts["with_excluded"]
        row("Excluded members (looked for, absent)", f"{count:,} of {plural(owners, 'subgraph')}")
    row("Components per subgraph", _spread(facts["subgraph_components"], 1))
    row("Density of a subgraph", _spread(facts["subgraph_density"], 3))
    if facts["self_loops"]:
        row("  counting self-loops, as the paper", _spread(facts["subgraph_density_with_loops"], 3))
    row("Boundary edges of a subgraph", _spread(facts["subgraph_boundary"], 1))
    row("Cut ratio of a subgraph", _spread(facts["subgraph_cut_ratio"], 4))
    row("Mean core number in a subgraph", _spread(facts["subgraph_mean_core"], 2))
    row("Mean degree of members in the graph", _spread(facts["subgraph_mean_degree"], 1))
    row("Nodes in some subgraph", f"{facts['coverage']:.1%}")
    row("Subgraphs a covered node is in", f"{facts['sets_per_covered_node']:.1f}")
    for part, share in facts["node_overlap"].items():
        row(f"Nodes of {part.split('_')[0]} also in train", f"{share:.1%}")
    view.add_section()
    row("Classes", f"{facts['classes']} ({'multi' if facts['multilabel'] else 'single'}-label)")
    if facts["split"]:
        row("/".join(facts["split"]), "/".join(f"{n:,}" for n in facts["split"].values()))
    row("Content hash", facts["hash"][:12])
    console.print(view)


def _show_labels(facts: JsonObject) -> None:
    """Subgraphs of each class by part; of many classes the largest."""
    counts, names = facts["label_counts"], facts["class_names"]
    title = "Subgraphs of each class"
    if len(names) > _MOST_CLASSES:
        title = f"Subgraphs of the {_LARGEST} largest of {len(names):,} classes (--json: all)"
        sizes = {name: sum(by_class[name] for by_class in counts.values()) for name in names}
        names = sorted(names, key=lambda name: -sizes[name])[:_LARGEST]
    view = table(title, "Class", *(counts if facts["split"] else ["all"]))
    for name in names:
        view.add_row(Text(name), *(f"{by_class[name]:,}" for by_class in counts.values()))
    console.print(view)
