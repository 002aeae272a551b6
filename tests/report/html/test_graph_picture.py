"""The picture of an S2N graph: linked subgraphs together, every subgraph there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from report_runs import made_result, small_task
from sub2node.report.html import collect_findings, read_study
from sub2node.report.html.graph_picture import draw_s2n_graph, layout
from sub2node.runs import save_run


def test_the_layout_keeps_what_is_linked_together() -> None:
    source = np.array([0, 1, 2, 3, 4, 5])
    target = np.array([1, 2, 0, 4, 5, 3])
    spots = layout(6, source, target, np.ones(6))
    assert np.array_equal(spots, layout(6, source, target, np.ones(6)))
    far = np.linalg.norm(spots[:, None] - spots[None], axis=2)
    assert far[:3, :3].max() < far[:3, 3:].min()


@pytest.mark.slow
@pytest.mark.parametrize("multilabel", [False, True])
def test_every_subgraph_is_in_the_picture(multilabel: bool, tmp_path: Path) -> None:
    task = small_task(multilabel=multilabel)
    found = collect_findings(read_study([save_run(made_result(task), task, tmp_path / "run")]))
    picture = draw_s2n_graph(
        found.subgraphs, found.study.main.classes, found.predictions, show_parts=True
    )
    marks = [line for line in picture.figure.axes[0].lines if line.get_gid()]
    assert len({line.get_gid() for line in marks}) == 60
    labels = found.subgraphs.columns["label"]
    assert len(marks) == sum(len(names) for names in labels)  # a piece for each label
    crosses = [line for line in picture.figure.axes[0].lines if line.get_marker() == "x"]
    assert len(crosses) == picture.wrong
    assert any("Title of set 7 · set 7 · train · " in line.get_gid() for line in marks)
    places = np.array([(line.get_xdata()[0], line.get_ydata()[0]) for line in marks])
    assert (places > 0).all()
    assert (places < (920, 620)).all()
