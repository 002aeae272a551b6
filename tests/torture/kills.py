"""Kill every command that writes, at random moments and at each rename, and look at what is left.

After each kill the output must be whole, the old one or the new one, or absent where there was
none; and nothing hidden may be left after the next command.

    cd tests && python -m torture kills --count 240
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from torture.children import Outcome, command, killed_at_rename, run_child, warm_parent
from torture.inputs import QUICK, write_inputs
from torture.rows import Row, new_row, tally

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_SIMPLE = ("--model", "bag", "--model", "majority", "--seeds", "1")
_SCARCE = ("--sizes", "2", "--structure", "s2n+0", *QUICK)


@dataclass(frozen=True)
class Command:
    """A command that writes, with what tells its old output from its new one.

    Args:
        name: What the table calls it.
        words: What follows ``s2n``; ``IN`` and ``OUT`` are folders, ``VARIANT`` is 1 or 2.
        output: The name of the output in ``OUT``.
        check: Raises where an output that a reader can open is not whole.
        journal: Whether the output is a folder that grows and is continued by ``--resume``.
    """

    name: str
    words: tuple[str, ...]
    output: str
    check: Callable[[Path], object]
    journal: bool = False

    def arguments(self, source: Path, out: Path, variant: int) -> list[str]:
        """The words for a folder, and for the first or the second output."""
        places = {"IN": str(source), "OUT": str(out), "VARIANT": str(variant)}
        words = list(self.words)
        for place, value in places.items():
            words = [word.replace(place, value) for word in words]
        return words


def check_task(path: Path) -> None:
    """Read a task."""
    from sub2node import load_task

    load_task(path)


def check_graph(path: Path) -> None:
    """Read an S2N graph with its checksums."""
    from sub2node import S2NGraph

    S2NGraph.load(path)


def check_run(path: Path) -> None:
    """Read a run, or a comparison, with its checksums."""
    from sub2node.runs.reader import read_study

    read_study([path])


def check_model(path: Path) -> None:
    """Load a model."""
    from sub2node.scoring import load_scorer

    load_scorer(path)


def check_coarsening(path: Path) -> None:
    """Read the task with virtual subgraphs."""
    from sub2node import load_task

    assert load_task(path).num_virtual > 0


def check_answers(path: Path) -> None:
    """A line for each of the 36 subgraphs, and the header."""
    assert path.read_text(encoding="utf-8").count("\n") == 37


def check_vectors(path: Path) -> None:
    """Read a file of encodings."""
    import pyarrow.parquet as pq

    assert len(pq.read_table(path))


def check_page(path: Path) -> None:
    """A page that is complete."""
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")


def check_reproduction(path: Path) -> None:
    """The result of a comparison, and its table."""
    assert json.loads((path / "result.json").read_text(encoding="utf-8"))
    assert (path / "table.csv").read_text(encoding="utf-8").count("\n") > 1


def check_study(path: Path) -> None:
    """The result of a search."""
    assert json.loads((path / "study.json").read_text(encoding="utf-8"))["trials"]


COMMANDS = (
    Command("convert", ("convert", "IN/data", "OUT/o", "--overwrite"), "o", check_task),
    Command(
        "translate",
        ("translate", "IN/data", "-o", "OUT/o", "--overwrite", "--a", "VARIANT"),
        "o",
        check_graph,
    ),
    Command(
        "translate, duckdb",
        ("translate", "IN/task", "-o", "OUT/o", "--overwrite", "--engine", "duckdb"),
        "o",
        check_graph,
    ),
    Command(
        "encode",
        ("encode", "IN/data", "--rwpe", "VARIANT", "--fresh", "-o", "OUT/o.parquet", "--overwrite"),
        "o.parquet",
        check_vectors,
    ),
    Command(
        "coarsen",
        ("coarsen", "IN/data", "-o", "OUT/o", "--overwrite", "--ratio", "0.VARIANT"),
        "o",
        check_coarsening,
    ),
    Command("run", ("run", "IN/data", "-o", "OUT/o", "--overwrite", *QUICK), "o", check_run),
    Command(
        "run, several models",
        ("run", "IN/data", "-o", "OUT/o", "--overwrite", *_SIMPLE),
        "o",
        check_run,
    ),
    Command("fit", ("fit", "IN/data", "-o", "OUT/o", "--overwrite", *QUICK), "o", check_model),
    Command(
        "predict",
        ("predict", "IN/model", "IN/data/members.csv", "-o", "OUT/o.csv", "--overwrite"),
        "o.csv",
        check_answers,
    ),
    Command(
        "report", ("report", "IN/run", "-o", "OUT/o.html", "--overwrite"), "o.html", check_page
    ),
    Command(
        "tune",
        ("tune", "IN/data", "-o", "OUT/o", "--trials", "2", *QUICK),
        "o",
        check_study,
        journal=True,
    ),
    Command(
        "reproduce",
        ("reproduce", "data-scarce", "IN/data", "-o", "OUT/o", *_SCARCE),
        "o",
        check_reproduction,
        journal=True,
    ),
)


# What is left.


def fingerprint(path: Path) -> dict[str, str] | None:
    """Checksums of a file, or of all files of a folder; None where there is nothing."""
    if not os.path.lexists(path):
        return None
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    return {
        str(file.relative_to(path.parent)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def hidden_names(*folders: Path) -> list[str]:
    """Work folders and other hidden names."""
    return [
        entry.name
        for folder in folders
        for entry in os.scandir(folder)
        if entry.name.startswith(".") or ".s2n-work-" in entry.name
    ]


@dataclass
class Bench:
    """A command with its folders, and what was counted so far.

    Args:
        command: The command.
        source: Inputs that all commands share.
        out: The folder of its output.
        scratch: Its temporary folder.
        seconds: How long the command takes when it is left alone.
        renames: How many renames it does.
    """

    command: Command
    source: Path
    out: Path
    scratch: Path
    seconds: float = 0.0
    renames: int = 0

    def __post_init__(self) -> None:
        self.row = new_row(self.command.name)

    @property
    def output(self) -> Path:
        """The final name of the output."""
        return self.out / self.command.output

    def words(self, variant: int) -> list[str]:
        """The words of the command."""
        return self.command.arguments(self.source, self.out, variant)

    def prepare(self) -> None:
        """Run the command once by itself, for its time and its renames."""
        action = killed_at_rename(
            self.words(1), self.scratch, place=0, before=True, number=signal.SIGKILL
        )
        done = run_child(action, self.scratch / "log")
        if done.status:
            raise SystemExit(f"{self.command.name} does not work: {done.text[-2000:]}")
        self.seconds, self.renames = done.seconds, int(done.text.rpartition("renames: ")[2])

    def rename_kills(self, draw: random.Random) -> list[tuple[int, bool, int]]:
        """Every rename, before and after it, with every signal, in random order."""
        kills = list(product(range(1, self.renames + 1), (True, False), SIGNALS))
        draw.shuffle(kills)
        return kills

    def kill(self, draw: random.Random, at_rename: tuple[int, bool, int] | None) -> None:
        """Kill the command once and look at what is left.

        Args:
            draw: Draws what is not given.
            at_rename: Which rename, whether before it, and the signal; None: a random moment.
        """
        self._place_old_output(wanted=draw.random() < 0.7)
        old = fingerprint(self.output)
        tally(self.row, "tried")
        log = self.scratch / "log"
        if at_rename is not None:
            place, before, number = at_rename
            action = killed_at_rename(
                self.words(2), self.scratch, place=place, before=before, number=number
            )
            done = run_child(action, log)
        else:
            moment, number = draw.uniform(0, 1.1 * self.seconds), draw.choice(SIGNALS)
            done = run_child(
                command(self.words(2), self.scratch), log, kill_after=moment, number=number
            )
        self._look(done, old)

    def _place_old_output(self, *, wanted: bool) -> None:
        for path in self.out.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if wanted and not self.command.journal:
            kept = self.out.parent / "kept"
            if not kept.exists():
                done = run_child(command(self.words(1), self.scratch), self.scratch / "log")
                assert done.status == 0, done.text
                shutil.move(self.output, kept)
            copy = shutil.copytree if kept.is_dir() else shutil.copy2
            copy(kept, self.output)

    def _look(self, done: Outcome, old: dict[str, str] | None) -> None:
        if done.hung:
            tally(self.row, "hangs", done.text)
        if "Traceback" in done.text:
            tally(self.row, "tracebacks", done.text)
        if self.command.journal:
            self._continue()
            return
        left = fingerprint(self.output)
        if left is None and old is not None:
            tally(self.row, "lost", f"old output gone after {done.status}")
        elif left is not None and left != old:
            self._check("wrong", f"after {done.status}")
        self._run_next()
        now = fingerprint(self.output)
        if left != now:
            tally(self.row, "wrong", "the next command changed the output of this one")

    def _check(self, column: str, note: str) -> None:
        check = run_child(lambda: self.command.check(self.output), self.scratch / "check")
        if check.status:
            tally(self.row, column, f"{note}: {check.text}")

    def _continue(self) -> None:
        """A folder that grows: the same command goes on with it, and the result is whole.

        Where it was killed before there was anything to go on with, it begins again.
        """
        for words in ([*self.words(2), "--resume"], self.words(2)):
            done = run_child(command(words, self.scratch), self.scratch / "log")
            if not done.status:
                break
        if done.status:
            tally(self.row, "lost", f"cannot go on: {done.text}")
        else:
            self._check("wrong", "after going on")
        self._run_next()

    def _run_next(self) -> None:
        words = ["convert", str(self.source / "data"), str(self.out / "next"), "--overwrite"]
        done = run_child(command(words, self.scratch), self.scratch / "log")
        if done.status:
            tally(self.row, "wrong", f"the next command fails: {done.text}")
        if names := hidden_names(self.out, self.scratch):
            tally(self.row, "wrong", f"left after the next command: {', '.join(names)}")
        shutil.rmtree(self.out / "next", ignore_errors=True)


def main(seed: int = 1, count: int = 240) -> list[Row]:
    """Kill commands ``count`` times in all; a row for each command.

    Args:
        seed: Of the moments and signals.
        count: Kills in all, spread evenly over the commands.
    """
    rows = []
    with warm_parent() as folder:
        source, scratch = folder / "in", folder / "scratch"
        source.mkdir()
        scratch.mkdir()
        write_inputs(source, scratch)
        for position, item in enumerate(COMMANDS):
            share = count // len(COMMANDS) + (position < count % len(COMMANDS))
            if not share:
                continue
            home = folder / f"c{position}"
            bench = Bench(item, source, home / "out", home / "scratch")
            bench.out.mkdir(parents=True)
            bench.scratch.mkdir()
            bench.prepare()
            draw = random.Random(f"{seed} {item.name}")
            at_renames = bench.rename_kills(draw)
            for turn in range(share):
                is_random = turn % 2 == 0 or not at_renames
                bench.kill(draw, None if is_random else at_renames[turn // 2 % len(at_renames)])
            rows.append(bench.row)
    return rows
