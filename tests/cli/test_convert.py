"""``s2n convert`` as a person runs it: what is written, and what is left alone."""

from __future__ import annotations

import gzip
import signal
import time
from pathlib import Path

import pytest

from commands import fork_process, refused, s2n
from sub2node import load_task


@pytest.mark.slow
@pytest.mark.parametrize("format", ["parquet", "csv", "tsv", "jsonl", "gmt", "subgnn"])
def test_convert_and_read_back(small: Path, tmp_path: Path, format: str) -> None:
    out = tmp_path / "deep" / "out"
    done = s2n("convert", small, out, "--to", format)
    assert done.code == 0, done.err
    assert f"Wrote 4 subgraphs to {out} ({format})." in done.out
    assert load_task(out) == load_task(small)
    message = "exists already; choose another place, or overwrite it"
    refused(s2n("convert", small, out, "--to", format), message)
    again = s2n("convert", small, out, "--to", format, "--overwrite")
    assert again.code == 0, again.err


@pytest.mark.slow
def test_only_our_own_folders_are_overwritten(small: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    done = s2n("convert", small, precious, "--overwrite")
    refused(done, "'thesis.txt', which is not ours")
    assert (precious / "thesis.txt").read_text() == "years of work"
    for place in (".", "/"):
        refused(s2n("convert", small, place, "--overwrite"), "cannot be replaced")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("{file}/x", "file is no folder to write into."),
        ("/proc/x", "/proc/x cannot be written: "),
        ("{link}", "exists already"),
        ("y" * 300, "cannot be written: File name too long."),
    ],
)
def test_places_that_cannot_be_written(
    small: Path, tmp_path: Path, place: str, message: str
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    out = place.format(file=tmp_path / "file", link=tmp_path / "link")
    refused(s2n("convert", small, out), message)


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
    lines = "".join(f"{i} {i + 1}\n" for i in range(600_000))
    with gzip.open(big / "edge_list.txt.gz", "wt", compresslevel=1) as file:
        file.write(lines)
    (big / "subgraphs.pth").write_text("0-1\ta\ttrain\n2-3\tb\ttrain\n")
    out = tmp_path / "out"
    work = fork_process("convert", big, out, "--to", "csv")
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
