"""The commands as a person runs them: output, exit codes, nothing left behind."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import MAIN, call_command, run_process, start_process
from sub2node import __version__, load_task

COMMANDS = ("datasets", "describe", "convert", "doctor")


def s2n(*words: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return call_command(*words, env={"COLUMNS": "100", **(env or {})})


def test_describe_json_has_what_it_promises(small: Path) -> None:
    done = s2n("describe", small, "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["nodes"], facts["edges"], facts["self_loops"]) == (6, 6, 0)
    assert (facts["subgraphs"], facts["classes"]) == (4, 2)
    assert facts["split"] == {"train": 2, "val": 1, "test": 1}


def test_describe_is_readable(small: Path) -> None:
    done = s2n("describe", small)
    assert done.returncode == 0
    for text in ("Nodes per subgraph", "2.2 ± 0.4", "red", "Warning: Only 1 test subgraph"):
        assert text in done.stdout


def test_describe_a_generated_task() -> None:
    done = s2n("describe", "generate:density,subgraphs=30,seed=5", "--json")
    facts = json.loads(done.stdout)
    assert facts["subgraphs"] == 30
    assert "seed 5" in facts["notes"][0]


def test_datasets_lists_all(data: Path) -> None:
    done = s2n("datasets", env={"S2N_DATA": str(data)})
    assert done.returncode == 0
    for name in ("ppi_bp", "em_user", "hpo_orpha_neuro", "generate:"):
        assert name in done.stdout
    rows = json.loads(s2n("datasets", "--json", env={"S2N_DATA": str(data)}).stdout)["benchmarks"]
    assert {row["name"] for row in rows if row["here"]} == {
        "ppi_bp", "density", "cut_ratio", "coreness", "component",
    }  # fmt: skip


@pytest.mark.parametrize("format", ["parquet", "csv", "tsv", "jsonl", "gmt", "subgnn"])
def test_convert_and_read_back(small: Path, tmp_path: Path, format: str) -> None:
    out = tmp_path / "deep" / "out"
    done = s2n("convert", small, out, "--to", format)
    assert done.returncode == 0, done.stderr
    assert f"Wrote 4 subgraphs to {out} ({format})." in done.stdout
    assert load_task(out) == load_task(small)
    again = s2n("convert", small, out, "--to", format)
    assert again.returncode == 2
    assert "exists already; choose another place, or overwrite it" in again.stderr
    assert s2n("convert", small, out, "--to", format, "--overwrite").returncode == 0


def test_tables_with_options(tables: Path) -> None:
    edges = (tables / "edges.csv").read_text()
    (tables / "edges.csv").write_text(edges.replace("source,target", "payer,payee"))
    done = s2n("describe", tables, "--column", "source=payer", "--column", "target=payee", "--json")
    assert json.loads(done.stdout)["edges"] == 4
    with (tables / "members.csv").open("a") as file:
        file.write("s1,zz\n")
    words = ("describe", tables, "--column", "source=payer", "--column", "target=payee")
    done = s2n(*words)
    assert done.returncode == 2
    assert "unknown_nodes='drop'" in done.stderr
    done = s2n(*words, "--unknown-nodes", "drop")
    assert "Warning: 1 unknown member in 1 subgraph dropped: 'zz' in subgraph 's1'." in done.stdout
    assert s2n(*words, "--column", "nonsense").returncode == 2


@pytest.mark.parametrize("words", [("describe",), ("convert", "{}", "out"), ("describe", "--json")])
def test_errors_are_one_line_without_a_traceback(words: tuple[str, ...], tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "edge_list.txt").write_text("0 1\n1 [red]x[/]\n")
    (bad / "subgraphs.pth").write_text("0\ta\ttrain\n")
    args = [w.replace("{}", str(bad)) for w in words]
    args = [str(tmp_path / "out") if w == "out" else w for w in args]
    done = s2n(*(args if "convert" in words else (*args, bad)))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Error: ")
    assert "edge_list.txt:2" in done.stderr
    assert "[red]x[/]" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.process
def test_help_and_version_do_not_import_torch() -> None:
    code = (
        "import sys; from sub2node.cli.app import app\n"
        "try: app({words})\nexcept SystemExit: pass\n"
        "print('torch' in sys.modules)"
    )
    for words in (["--help"], ["describe", "generate:density,subgraphs=12", "--json"]):
        done = run_process(code=code.format(words=words))
        assert done.stdout.strip().endswith("False"), done.stderr
    assert s2n("--version").stdout.strip() == f"sub2node {__version__}"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    text = s2n(command, "--help").stdout
    assert "Example:" in text
    assert f"s2n {command}" in text


def test_doctor_tells(tmp_path: Path) -> None:
    facts = json.loads(s2n("doctor", "--json", env={"S2N_DATA": str(tmp_path)}).stdout)
    assert facts["versions"]["sub2node"] == __version__
    assert facts["data_folders"][0] == {"path": str(tmp_path), "exists": True, "benchmarks": 0}
    assert facts["free_memory"] > 0
    assert facts["problems"] == []


@pytest.mark.process
def test_a_reader_that_leaves_is_no_error(small: Path) -> None:
    shell = f"'{sys.executable}' -c '{MAIN}' describe '{small}'"
    done = subprocess.run(
        f"{shell} | head -1", shell=True, capture_output=True, text=True, check=True
    )
    assert "Traceback" not in done.stderr


def _targets(folder: Path) -> list[str]:
    """Where the links in a folder lead; none of one that goes away meanwhile."""
    try:
        return [str(link.readlink()) for link in folder.iterdir()]
    except OSError:
        return []


@pytest.mark.process
def test_interrupted_conversion_leaves_nothing(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.mkdir()
    lines = "".join(f"{i} {i + 1}\n" for i in range(1_500_000))
    with gzip.open(big / "edge_list.txt.gz", "wt", compresslevel=1) as file:
        file.write(lines)
    (big / "subgraphs.pth").write_text("0-1\ta\ttrain\n2-3\tb\ttrain\n")
    out = tmp_path / "out"
    work = start_process("convert", big, out, "--to", "csv")
    open_files, deadline = Path(f"/proc/{work.pid}/fd"), time.monotonic() + 30
    while time.monotonic() < deadline and work.poll() is None:  # until it reads
        if any("edge_list" in target for target in _targets(open_files)):
            break
        time.sleep(0.01)
    work.send_signal(signal.SIGINT)
    _, stderr = work.communicate(timeout=60)
    assert "Traceback" not in stderr
    assert work.returncode in (0, 130)
    assert out.exists() == (work.returncode == 0)
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_only_our_own_folders_are_overwritten(small: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    done = s2n("convert", small, precious, "--overwrite")
    assert done.returncode == 2
    assert "'thesis.txt', which is not ours" in done.stderr
    assert (precious / "thesis.txt").read_text() == "years of work"
    for place in (".", "/"):
        assert "cannot be replaced" in s2n("convert", small, place, "--overwrite").stderr


@pytest.mark.parametrize("place", ["{file}/x", "/proc/x", "{link}", "y" * 300])
def test_places_that_cannot_be_written(small: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    out = place.format(file=tmp_path / "file", link=tmp_path / "link")
    done = s2n("convert", small, out)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_text_with_brackets_is_shown_as_it_is(small: Path, tmp_path: Path) -> None:
    text = (small / "subgraphs.pth").read_text()
    (small / "subgraphs.pth").write_text(text.replace("red", "[/x]").replace("blue", ":cat:"))
    done = s2n("describe", small)
    assert done.returncode == 0, done.stderr
    assert "[/x]" in done.stdout
    assert ":cat:" in done.stdout
    assert s2n("convert", small, tmp_path / "out[/a]").returncode == 0


@pytest.mark.process
def test_an_ascii_terminal_is_no_error(small: Path) -> None:
    assert run_process("describe", small, env={"PYTHONIOENCODING": "ascii"}).returncode == 0
    assert s2n("describe", "x" * 300).returncode == 2


def test_an_odd_folder_beside_the_data_is_no_error(tables: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "odd").mkdir()
    for name in ("edges.csv", "edges.tsv"):
        (root / "odd" / name).write_text("source,target\n")
    assert s2n("datasets", env={"S2N_DATA": str(root)}).returncode == 0
