"""Every command that reads data says what it omitted from it and changed in it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from small_models import QUICK, Done, s2n

pytestmark = pytest.mark.usefixtures("rough_timing", "few_trees")
SETS = [word for key, value in QUICK.items() for word in ("--set", f"{key}={value}")]
TRAINING = ("--seeds", "1", "--device", "cpu", *SETS)
CHANGES = (
    "Note: 1 column of the edges table not used: 'since'.",
    "Note: 2 repeated edges merged: 'g0' to 'g1', 'g1' to 'g2'.",
    "Note: 1 self-loop kept, but not counted as edges: 'g5'.",
    "Warning: 5 unknown members in 4 subgraphs dropped: 'X' in subgraph 's0', 'Y' in subgraph"
    " 's0', 'X' in subgraph 's1' and 2 more.",
    "Warning: 1 subgraph without a known member omitted: 'lost'.",
    "Note: 1 repeated member merged: 'g3' in subgraph 'again'.",
    "Warning: 1 class without a subgraph omitted: 'rare'.",
)


@pytest.fixture(scope="module")
def messy(tmp_path_factory) -> Path:
    """A folder with something of everything that reading omits or changes."""
    folder = tmp_path_factory.mktemp("messy") / "data"
    folder.mkdir()
    random = Random(1)
    edges = [f"g{i},g{(i + 1) % 30},2020" for i in range(30)]
    edges += ["g1,g0,2021", "g1,g2,2021", "g5,g5,2021"]
    (folder / "edges.csv").write_text("\n".join(["source,target,since", *edges]) + "\n")
    members = ["s0,X", "s0,Y", "s1,X", "s2,Z", "lost,X", "again,g3", "again,g3"]
    labels = ["lost,rare", "again,low"]
    for i in range(36):
        first = 15 * (i % 2)
        members += [f"s{i},g{node}" for node in random.sample(range(first, first + 15), 3)]
        labels.append(f"s{i},{('low', 'high')[i % 2]}")
    (folder / "members.csv").write_text("\n".join(["subgraph_id,node_id", *members]) + "\n")
    (folder / "labels.csv").write_text("\n".join(["subgraph_id,label", *labels]) + "\n")
    return folder


def read(messy: Path, name: str, *words: object) -> Done:
    done = s2n(name, messy, *words, "--unknown-nodes", "drop")
    assert done.code == 0, done.err
    return done


def changes_in(text: str) -> list[str]:
    """The lines of a text that are about the data, in their order."""
    return [line for line in text.splitlines() if line in CHANGES]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("run", TRAINING),
        ("run", ("--splits", "2", *TRAINING)),
        ("run", ("--model", "majority", "--model", "bag", "--seeds", "1")),
        ("fit", ("-o", "{}", *TRAINING)),
        ("tune", ("-o", "{}", "--trials", "1", *TRAINING)),
        ("advise", ("--no-probes",)),
        ("audit", ("--permutations", "1")),
        ("translate", ("-o", "{}")),
        ("encode", ("--rwpe", "2")),
        ("encode", ("--subgraphs", "structure")),
        ("coarsen", ("-o", "{}")),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
@pytest.mark.usefixtures("rough_timing")
def test_changes_are_shown_once_and_before_the_work(
    name: str, words: tuple[str, ...], messy: Path, tmp_path: Path
) -> None:
    if name == "tune":
        pytest.importorskip("optuna")
    done = read(messy, name, *(word.replace("{}", str(tmp_path / "out")) for word in words))
    assert changes_in(done.err) == list(CHANGES)
    assert changes_in(done.out) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "words"), [("describe", ()), ("convert", ("{}",))])
def test_commands_about_the_data_show_changes_in_their_output(
    name: str, words: tuple[str, ...], messy: Path, tmp_path: Path
) -> None:
    done = read(messy, name, *(word.replace("{}", str(tmp_path / "out")) for word in words))
    assert changes_in(done.out) == list(CHANGES)
    assert changes_in(done.err) == []


def sentences() -> list[str]:
    return [line.partition(": ")[2] for line in CHANGES]


@pytest.mark.slow
def test_a_run_folder_keeps_them(messy: Path, tmp_path: Path) -> None:
    done = read(messy, "run", "--json", "-o", tmp_path / "run", *TRAINING)
    kept = json.loads((tmp_path / "run" / "result.json").read_text())["notes"]
    assert kept == json.loads(done.out)["notes"]
    assert kept[: len(CHANGES)] == sentences()
    assert "the data came without a split" in kept[len(CHANGES)]


@pytest.mark.slow
def test_a_model_keeps_them_and_the_service_shows_them(
    messy: Path, tmp_path: Path, monkeypatch
) -> None:
    pytest.importorskip("fastapi")
    from sub2node.serve import server

    done = read(messy, "fit", "-o", tmp_path / "model", *TRAINING)
    assert "Note: the data came without a validation part; 7 subgraphs of train were" in done.out
    card = json.loads((tmp_path / "model" / "model.json").read_text())["card"]
    assert card["notes"][: len(CHANGES)] == sentences()
    assert sentences()[3] in (tmp_path / "model" / "MODEL_CARD.md").read_text()
    monkeypatch.setattr(server, "serve", lambda scorer, **options: None)
    served = s2n("serve", tmp_path / "model")
    assert all(sentence in served.err for sentence in sentences())


@pytest.mark.slow
def test_a_study_keeps_them(messy: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    read(messy, "tune", "-o", tmp_path / "study", "--trials", "1", *TRAINING)
    kept = json.loads((tmp_path / "study" / "study.json").read_text())["notes"]
    assert kept[: len(CHANGES)] == sentences()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"), [("translate", ("-o", "{}")), ("coarsen", ()), ("advise", ("--no-probes",))]
)
@pytest.mark.usefixtures("rough_timing")
def test_json_has_them(name: str, words: tuple[str, ...], messy: Path, tmp_path: Path) -> None:
    words = tuple(word.replace("{}", str(tmp_path / "out")) for word in words)
    done = read(messy, name, "--json", *words)
    assert json.loads(done.out)["notes"][: len(CHANGES)] == sentences()


@pytest.mark.slow
def test_weights_of_repeated_edges(messy: Path, tmp_path: Path) -> None:
    for file in messy.iterdir():
        (tmp_path / file.name).write_text(file.read_text().replace("since", "weight"))
    for repeated, how in (("sum", "their weights added up"), ("max", "the largest weight kept")):
        done = read(tmp_path, "describe", "--repeated", repeated)
        line = f"Note: 2 repeated edges merged, {how}: 'g0' to 'g1', 'g1' to 'g2'."
        assert line in done.out


def test_val_and_test_exchanged(small: Path) -> None:
    text = (small / "subgraphs.pth").read_text()
    (small / "subgraphs.pth").write_text(text + "1-2\tred\ttest\n")
    done = s2n("translate", small, "-o", small / "graph", "--swap")
    assert done.code == 0, done.err
    line = "Note: Val (1) and test (2) swapped, as the public readers do where val is smaller."
    assert line in done.err.splitlines()
