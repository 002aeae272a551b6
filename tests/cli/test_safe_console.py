"""No name of the data reaches the terminal as a command to it; files keep the names."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.text import Text

from commands import Done, s2n
from small_models import QUICK
from sub2node import load_task
from sub2node.cli.safe_console import SafeConsole, SafeTable, escape_text

RED = "\x1b[31m"
SETS = [word for key, value in QUICK.items() for word in ("--set", f"{key}={value}")]
TRAINING = ("--seeds", "1", "--device", "cpu", *SETS)


def node(number: int) -> str:
    return f"g{number}{RED}\x9b"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    """A folder in which every name holds escape sequences."""
    folder = tmp_path_factory.mktemp("hostile") / "data"
    folder.mkdir()
    tables = {
        "edges": [("source", "target", f"since{RED}")],
        "members": [("subgraph_id", "node_id")],
        "labels": [("subgraph_id", "label", "split", "title")],
    }
    tables["edges"] += [(node(i), node((i + 1) % 20), "1") for i in range(20)]
    tables["edges"].append((node(1), node(0), "2"))
    for i in range(30):
        name, part = f"s{i}{RED}\x07", "train" if i < 18 else "val" if i < 24 else "test"
        first = 10 * (i % 2)
        tables["members"] += [(name, node(first + (i + k) % 10)) for k in (0, 3, 0)]
        tables["labels"].append((name, f"class{i % 2}{RED}", part, f"title{RED}"))
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    return folder


def assert_safe(done: Done, *, code: int = 0) -> Done:
    assert done.code == code, done.err
    for character in "\x1b\x9b\x07":
        assert character not in done.out
        assert character not in done.err
    return done


@pytest.mark.slow
def test_commands_show_names_escaped_and_keep_them_in_files(hostile: Path, tmp_path: Path) -> None:
    out = assert_safe(s2n("describe", hostile)).out
    assert "class0\\x1b[31m" in out
    assert "repeated member" in out
    assert_safe(s2n("describe", hostile, "--json"))
    assert "class0\\x1b" in assert_safe(s2n("run", hostile, "-o", tmp_path / "run", *TRAINING)).out
    assert_safe(s2n("run", hostile, "--model", "bag", "--model", "majority", "--seeds", "1"))
    fit = assert_safe(s2n("fit", hostile, "-o", tmp_path / f"model{RED}", *TRAINING))
    assert "model\\x1b" in fit.out
    model = tmp_path / f"model{RED}"
    done = assert_safe(s2n("predict", model, "--nodes", f"{node(1)},{node(2)}", "--why"))
    assert "g1\\x1b[31m\\x9b" in done.out
    done = assert_safe(s2n("predict", model, hostile / "members.csv"))
    assert "s0\\x1b[31m " in done.out
    assert_safe(s2n("predict", model, hostile / "members.csv", "-o", tmp_path / "a.csv"))
    assert f"s0{RED}\x07" in (tmp_path / "a.csv").read_text()
    answer = assert_safe(s2n("predict", model, "--nodes", node(1), "--json")).out
    assert f"class0{RED}" in json.loads(answer)["probabilities"]
    assert_safe(s2n("convert", hostile, tmp_path / "copy"))
    assert load_task(tmp_path / "copy").class_names[0] == f"class0{RED}"
    assert_safe(s2n("cite", tmp_path / "run"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("predict", "MODEL", "--nodes", RED),
        ("describe", f"nothing{RED}"),
        ("run", "DATA", "--set", f"nothing{RED}=1"),
        ("describe", "DATA", "--column", f"source=nothing{RED}"),
    ],
    ids=lambda words: words[0],
)
def test_errors_are_safe(words: tuple[str, ...], hostile: Path, tmp_path: Path) -> None:
    if "MODEL" in words:
        assert_safe(s2n("fit", hostile, "-o", tmp_path / "model", *TRAINING))
    places = {"MODEL": str(tmp_path / "model"), "DATA": str(hostile)}
    done = assert_safe(s2n(*(places.get(word, word) for word in words)), code=2)
    assert "\\x1b[31m" in done.err


def test_long_ids_are_clipped_in_sentences(tables: Path) -> None:
    with (tables / "members.csv").open("a") as file:
        file.write(f"s1,{'x' * 5000}\n")
    done = s2n("describe", tables)
    assert done.code == 2
    assert f"the node '{'x' * 200}…', which is not in the graph" in done.err
    assert len(done.err) < 600


def test_styles_stay_where_they_were() -> None:
    text = Text.assemble(("ab\x1bc", "bold"), "d\x9b")
    safe = escape_text(text)
    assert safe.plain == "ab\\x1bcd\\x9b"
    bold = [i for i in range(len(safe)) if any(s.start <= i < s.end for s in safe.spans)]
    assert bold == list(range(7))


def test_tables_are_as_wide_as_what_they_show() -> None:
    file = io.StringIO()
    console, view = SafeConsole(file=file, width=60), SafeTable()
    view.add_column("a")
    view.add_column("b")
    view.add_row(Text("x\x1b[2J"), "1\x1b")
    console.print(view)
    lines = file.getvalue().splitlines()
    assert "\x1b" not in file.getvalue()
    assert len({len(line) for line in lines}) == 1
    assert "x\\x1b[2J" in file.getvalue()
