"""What may be meant by names that mean no node."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sub2node import DataError, SubgraphTask, load_task
from sub2node.task.lost_names import LostNames

EDGES = {"source": ["n1", "n2"], "target": ["n2", "n3"]}
NODES = {"node_id": ["n1", "n2", "n3"], "title": ["Cat", "Gait ataxia", "Dog"]}
ALIASES = {"alias": ["pet", "pet"], "node_id": ["n1", "n3"]}
CHOICE = " (may mean n1 (Cat) or n3 (Dog))"
LIKE = " (did you mean 'Gait ataxia', n2?)"


def task_of(*members: str, **options) -> SubgraphTask:
    table = {"subgraph_id": ["s"] * len(members), "node_id": list(members)}
    return SubgraphTask.from_tables(EDGES, table, nodes=NODES, aliases=ALIASES, **options)


def test_hints_of_ambiguous_and_of_a_few_unknown_names() -> None:
    graph = task_of("n1").graph
    given = ["pet", "Gate ataxia", "zz", "PET", "gait atxia", "Gait ataxi", "zz"]
    lost = LostNames.of(graph, pa.array(given))
    assert lost.is_ambiguous.tolist() == [True, False, False, True, False, False, False]
    assert lost.hints == [CHOICE, LIKE, "", CHOICE, LIKE, "", ""]  # the fourth is not compared
    assert lost.take(lost.is_ambiguous).hints == [CHOICE, CHOICE]
    nothing = LostNames.of(None, pa.array([7, 8]))
    assert (nothing.is_ambiguous.any(), nothing.hints) == (False, ["", ""])


def test_errors_say_what_is_ambiguous_and_what_is_alike() -> None:
    with pytest.raises(DataError) as caught:
        task_of("n1", "pet", "Gate ataxia", "pet")
    text = str(caught.value)
    assert f"1 unknown member, as row 3: 'Gate ataxia' in subgraph 's'{LIKE}" in text
    assert f"2 ambiguous members, as row 2: 'pet' in subgraph 's'{CHOICE}" in text
    message = r"subgraph 's' has the name 'pet', which may mean n1 \(Cat\) or n3 \(Dog\) \(1 ambig"
    with pytest.raises(DataError, match=message):
        task_of("n1", "pet")
    with pytest.raises(DataError, match=r"which is not in the graph \(did you mean 'Gait ataxia'"):
        task_of("n1", "Gate ataxia")


def test_notes_of_what_was_dropped() -> None:
    task = task_of("n1", "pet", "Gate ataxia", unknown_nodes="drop")
    assert task.notes == (
        f"1 unknown member in 1 subgraph dropped: 'Gate ataxia' in subgraph 's'{LIKE}.",
        f"1 ambiguous member in 1 subgraph dropped: 'pet' in subgraph 's'{CHOICE}.",
    )
    members = {"subgraph_id": ["s", "t"], "node_id": ["n1", "pet"]}
    ignored = SubgraphTask.from_tables(
        EDGES, members, nodes=NODES, aliases=ALIASES, unknown_nodes="ignore-subgraph"
    )
    assert ignored.notes == ("1 subgraph with 1 unknown or ambiguous member omitted: 't'.",)


def test_excluded_nodes_too() -> None:
    excluded = {"subgraph_id": ["s"], "node_id": ["Gate ataxia"]}
    with pytest.raises(DataError, match=r"did you mean 'Gait ataxia', n2\?"):
        task_of("n1", excluded=excluded)


def test_a_folder(tables) -> None:
    (tables / "nodes.csv").write_text("node_id,title\na,Cat\nb,Cat\nc,Cow\nd,Dog\n")
    with (tables / "members.csv").open("a") as file:
        file.write("s1,cat\n")
    with pytest.raises(DataError, match=r"members.csv:8: .*'cat', which may mean a \(Cat\) or b"):
        load_task(tables)
