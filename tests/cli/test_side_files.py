"""Tables beside the answers: what is explained, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sub2node.cli import side_files
from sub2node.cli.side_files import BadSubgraph, FileExplainer, MappingCollector, write_problems
from sub2node.scoring import Query
from sub2node.scoring.name_mapping import NameMapping
from sub2node.scoring.node_index import NodeIndex
from sub2node.task import Graph, Subgraphs

QUERY = Query.of(Subgraphs.from_lists([[0], [1, 2, 3], [1], [2], [3], [0, 1]]))


class Scorer:
    """Explains by names."""

    def explain(self, query: Query) -> list[str]:
        return list(query.names)


def test_large_subgraphs_are_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_files, "MOST_EXPLAINED", 2)
    explainer = FileExplainer(Scorer())
    assert explainer.notes() == []
    assert explainer.explain(QUERY) == ["0", "2", "3", "4", "5"]
    assert explainer.explain(QUERY.take(np.array([1]))) == []
    assert explainer.notes() == ["2 subgraphs of more than 2 members not explained."]


def test_a_long_time_is_said_beforehand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 1.2, 0.0, 0.0, 0.0, 9.0])
    monkeypatch.setattr(side_files.time, "perf_counter", lambda: next(seconds))
    explainer = FileExplainer(Scorer())
    explainer.explain(QUERY)
    said = "Explaining: about 0.4 s per subgraph, 7 minutes for a thousand.\n"
    assert capsys.readouterr().err == said
    explainer.explain(QUERY)
    assert capsys.readouterr().err == ""


def test_names_are_collected_once() -> None:
    index = NodeIndex(Graph.from_edges([0], [1], names=["a", "b"]))
    names = ["a", "B", "x"]
    mapping = NameMapping(index, names, index.match(names))
    for with_ids, wanted in ((True, names), (False, names[1:])):
        collector = MappingCollector(with_ids=with_ids)
        collector.add(mapping)
        collector.add(mapping)
        assert list(collector.rows) == wanted
        assert collector.notes() == ["1 name given in another case: 'B' is 'b'."]


def test_bad_rows_are_a_table_that_goes_when_there_are_none(tmp_path: Path) -> None:
    path = tmp_path / "errors.csv"
    write_problems([BadSubgraph(3, "x", [], "empty, or so")], path)
    assert path.read_text().splitlines()[1] == '3,x,"empty, or so"'
    write_problems([], path)
    assert not path.exists()
