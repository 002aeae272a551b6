"""Thirty faults that the tests must find: five for each of six parts.

Each is put into a copy of ``src``, and the test file of its module is run on the copy. A fault that
is not found makes the script fail. With ``--before`` it is put into an older revision and looked
for by a test file there, then by all tests of the part; ``absent`` is one whose place it lacks:

    python tests/mutants.py --out benchmarks/results/mutants.csv
    python tests/mutants.py --before 1434216 --only io --out benchmarks/results/mutants.csv
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = "src/sub2node"
COLUMNS = ("mutant", "layer", "file", "before", "after")
LIMIT = 600  # seconds of the tests of one mutant
ABSENT = "absent"  # the outcome where a revision does not have the place of a mutant
EARLIER_TESTS = {  # of each part, before tests mirrored the source file by file
    "translation": "test_translate.py", "nn": "test_convolutions.py", "train": "test_fit.py",
    "evaluate": "test_protocol.py", "scoring": "test_scorer.py", "io": "test_round_trip.py",
}  # fmt: skip
_OUTCOMES = {0: "survived", 1: "killed"}  # by the exit code of pytest


@dataclass(frozen=True)
class Mutant:
    """A fault.

    Args:
        name: What is wrong with it.
        file: Where it is, from the folder of the package.
        source: Text that the file has exactly once.
        replacement: What stands there instead.
        earlier: File, text and replacement in checkouts from before the text was moved.
    """

    name: str
    file: str
    source: str
    replacement: str
    earlier: tuple[str, str, str] | None = None

    @property
    def layer(self) -> str:
        """The part of the package."""
        return self.file.partition("/")[0]

    @property
    def test(self) -> str:
        """The test file of the module, which must find it, from the folder of the tests."""
        path = PurePosixPath(self.file)
        return str(path.with_name(f"test_{path.name}"))

    def apply(self, package: Path) -> bool:
        """Put the fault into a copy of the package; whether its place is there."""
        place = (self.file, self.source, self.replacement)
        for file, source, replacement in (place, self.earlier or place):
            path = package / file
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            if text.count(source) == 1:
                path.write_text(text.replace(source, replacement), encoding="utf-8")
                return True
        return False


MUTANTS = (
    Mutant(
        "standard deviation with n instead of n - 1",
        "translation/weight_statistics.py",
        "sqrt(self.entries - 1)",
        "sqrt(self.entries)",
    ),
    Mutant(
        "weights not divided by delta",
        "translation/s2n_graph.py",
        "/ (delta * statistics.std)",
        "/ statistics.std",
    ),
    Mutant(
        "a stage sees one subgraph more",
        "translation/s2n_graph.py",
        "self.weights[:size, :size]",
        "self.weights[: size + 1, : size + 1]",
    ),
    Mutant(
        "of equal weights the higher column is kept",
        "translation/product.py",
        "np.lexsort((column[others], -data[others], row[others]))",
        "np.lexsort((-column[others], -data[others], row[others]))",
    ),
    Mutant(
        "shared nodes counted twice",
        "translation/edge_weights.py",
        "np.full(graph.num_nodes, 1 if self_loops else 0, dtype=dtype)",
        "np.full(graph.num_nodes, 2 if self_loops else 0, dtype=dtype)",
    ),
    Mutant(
        "GCNII counts layers from 2",
        "nn/convolutions.py",
        "math.log(settings.theta / layer + 1)",
        "math.log(settings.theta / (layer + 1) + 1)",
    ),
    Mutant(
        "normalised by D^-1 on both sides",
        "nn/adjacency.py",
        "scale = self.pattern.row_sums(values).rsqrt()",
        "scale = self.pattern.row_sums(values).reciprocal()",
    ),
    Mutant(
        "no residual around the S2N graph",
        "nn/networks.py",
        "x = entered + encoded",
        "x = encoded",
    ),
    Mutant(
        "dropout without scaling up",
        "nn/layers.py",
        "self.streams.keep(self.share, *x.shape[1:]).mul_(1 / (1 - self.share))",
        "self.streams.keep(self.share, *x.shape[1:])",
    ),
    Mutant(
        "member weights ignored in the readout",
        "nn/readout.py",
        "vectors = vectors * weights.unsqueeze(-1)",
        "vectors = vectors * 1.0",
    ),
    Mutant(
        "learning rate lowered one epoch early",
        "train/plateau.py",
        "self.waited > self.training.plateau_patience",
        "self.waited >= self.training.plateau_patience",
    ),
    Mutant(
        "of ties the last epoch",
        "train/fit.py",
        "better = score > self.best_score",
        "better = score >= self.best_score",
    ),
    Mutant(
        "the last state instead of the best",
        "train/fit.py",
        "replicas.replicas.load(replicas.optimizer.best)",
        "replicas.replicas.tensors()",
    ),
    Mutant(
        "one epoch of patience more",
        "train/fit.py",
        "self.running &= waited < self.training.patience",
        "self.running &= waited <= self.training.patience",
    ),
    Mutant(
        "gradients below the limit are raised to it",
        "train/replicas.py",
        "(largest / (self.norms() + 1e-6)).clamp(max=1.0)",
        "largest / (self.norms() + 1e-6)",
    ),
    Mutant(
        "standard deviation of all runs, not of a sample",
        "evaluate/significance.py",
        "np.std(self.values, ddof=1)",
        "np.std(self.values, ddof=0)",
    ),
    Mutant(
        "t-test without the correction for overlapping training sets",
        "evaluate/significance.py",
        "math.sqrt(1 / len(values) + test / train)",
        "math.sqrt(1 / len(values))",
        ("evaluate/significance.py", "* (1 / len(difference) + test / train)", "/ len(difference)"),
    ),
    Mutant(
        "the reference is the best on test",
        "evaluate/verdicts.py",
        'key=lambda m: (m.val["micro_f1"].mean, is_simple(m.config))',
        'key=lambda m: (m.test["micro_f1"].mean, is_simple(m.config))',
        (
            "evaluate/comparison.py",
            'np.argmax([result.val["micro_f1"].mean for result in results])',
            'np.argmax([result.test["micro_f1"].mean for result in results])',
        ),
    ),
    Mutant(
        "thresholds chosen on test labels",
        "evaluate/protocol.py",
        """logits = outputs["val"].logits
        thresholds = tuple(best_threshold(labels["val"], replica) for replica in logits)""",
        """logits = trained.outputs("test").logits
        truth = labels_of(task, "test")
        thresholds = tuple(best_threshold(truth, replica) for replica in logits)""",
    ),
    Mutant(
        "sets that share exactly half are not similar",
        "evaluate/overlap.py",
        "similar = common >= SIMILAR",
        "similar = common > SIMILAR",
    ),
    Mutant(
        "new subgraphs of one query see each other",
        "scoring/forward.py",
        "block = np.zeros(count, np.int64) if joint else np.arange(count)",
        "block = np.zeros(count, np.int64)",
    ),
    Mutant(
        "a member that is named twice counts twice",
        "scoring/query.py",
        "return distinct(keys[is_known]), np.zeros(0, np.int64)",
        "return np.sort(keys[is_known]), np.zeros(0, np.int64)",
        ("scoring/query.py", "distinct(owner[is_known] * size", "np.sort(owner[is_known] * size"),
    ),
    Mutant(
        "spread of all seeds, not of a sample",
        "scoring/scorer.py",
        "square / (1 - weights @ weights)",
        "square",
        ("scoring/scorer.py", "by_replica.std(axis=0, ddof=1)", "by_replica.std(axis=0)"),
    ),
    Mutant(
        "a new subgraph does not raise the degree of its neighbours",
        "scoring/query_links.py",
        "(degrees + a).rsqrt()",
        "degrees.rsqrt()",
    ),
    Mutant(
        "test subgraphs are there in training",
        "scoring/training.py",
        'seen_task = task.subset(~task.split.mask("test"))',
        "seen_task = task",
    ),
    Mutant(
        "columns of subgraph and node exchanged",
        "io/member_rows.py",
        "cls(delimiter, places, len(header), stripped)",
        "cls(delimiter, (places[1], places[0], *places[2:]), len(header), stripped)",
        ("io/member_rows.py", "_Layout(delimiter, (who, what)", "_Layout(delimiter, (what, who)"),
    ),
    Mutant(
        "line numbers from 0",
        "io/member_rows.py",
        "_column_rows(first + np.flatnonzero(has_content)",
        "_column_rows(first - 1 + np.flatnonzero(has_content)",
        (
            "io/member_rows.py",
            "MemberRows(first + np.flatnonzero(has_content)",
            "MemberRows(first - 1 + np.flatnonzero(has_content)",
        ),
    ),
    Mutant(
        "the description of a gene set is a gene",
        "io/set_files.py",
        "genes = [gene for gene in map(stripped.strip, genes) if gene]",
        "genes = [gene for gene in map(stripped.strip, [title, *genes]) if gene]",
        ("io/tables.py", "for gene in fields[2:] if gene", "for gene in fields[1:] if gene"),
    ),
    Mutant(
        "two subgraphs of one name",
        "io/sets.py",
        "if name in seen:",
        "if name in seen and at in batch.problems:",
    ),
    Mutant(
        "val and test exchanged where val is the larger",
        "io/subgnn.py",
        "if not swap or val >= test:",
        "if not swap or val <= test:",
    ),
)


class Outcome(NamedTuple):
    """How the tests of a mutant ended, and after how many seconds."""

    word: str
    seconds: float
    output: str


@contextmanager
def copied_package(checkout: Path) -> Iterator[Path]:
    """A copy of ``src``."""
    with tempfile.TemporaryDirectory() as folder:
        ignore = shutil.ignore_patterns("__pycache__")
        yield Path(shutil.copytree(checkout / "src", Path(folder) / "src", ignore=ignore))


def run_tests(
    checkout: Path, source: Path, files: Sequence[str], limit: float | None = None
) -> Outcome:
    """Run tests of a checkout, files or folders, on a package until one fails."""
    paths = [f"tests/{file}" for file in sorted(set(files))]
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *paths]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    start = time.perf_counter()
    try:
        done = subprocess.run(
            words, cwd=checkout, env=environment, capture_output=True, text=True, timeout=limit,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome("too slow", time.perf_counter() - start, "")
    word = _OUTCOMES.get(done.returncode, "error")
    return Outcome(word, time.perf_counter() - start, done.stdout[-2000:] + done.stderr[-2000:])


def places_of_tests(mutant: Mutant, checkout: Path) -> list[str]:
    """The test file of a mutant; in a checkout without it, that of its part, then the part."""
    if (checkout / "tests" / mutant.test).is_file():
        return [mutant.test]
    return [f"{mutant.layer}/{EARLIER_TESTS[mutant.layer]}", mutant.layer]


def run_mutant(mutant: Mutant, checkout: Path) -> Outcome:
    """Run the tests of a mutant on a copy of the package that has it."""
    with copied_package(checkout) as source:
        outcome = Outcome(ABSENT, 0.0, "")
        if mutant.apply(source / "sub2node"):
            for tests in places_of_tests(mutant, checkout):
                outcome = run_tests(checkout, source, [tests], LIMIT)
                if outcome.word != "survived":
                    break
    print(f"{outcome.word:9} {outcome.seconds:4.0f} s  {mutant.layer:11} {mutant.name}", flush=True)
    if outcome.word not in (*_OUTCOMES.values(), ABSENT):
        print(outcome.output, flush=True)
    return outcome


def run_all(mutants: Sequence[Mutant], checkout: Path, jobs: int) -> list[str]:
    """The outcome of each; the same tests must pass on the package as it is."""
    with copied_package(checkout) as source:
        files = [places_of_tests(mutant, checkout)[-1] for mutant in mutants]
        control = run_tests(checkout, source, files)
    if control.word != "survived":
        raise SystemExit(f"The tests fail without any mutant:\n{control.output}")
    print(f"Without a mutant all tests pass ({control.seconds:.0f} s).", flush=True)
    with ThreadPoolExecutor(jobs) as pool:
        return [o.word for o in pool.map(lambda mutant: run_mutant(mutant, checkout), mutants)]


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """The files of an older revision in a folder of their own."""
    words = ["git", "-C", str(ROOT), "archive", "--format=tar", revision]
    with tempfile.TemporaryDirectory() as folder:
        files = subprocess.run(words, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


def write_table(path: Path, column: str, words: Mapping[str, str]) -> None:
    """Write outcomes of mutants, by name, into a column of a CSV; the rest stays as it is."""
    earlier: dict[str, dict[str, str]] = {}
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            earlier = {row["mutant"]: row for row in csv.DictReader(file)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for mutant in MUTANTS:
            known = {"before": "", "after": "", **earlier.get(mutant.name, {})}
            known |= {column: words.get(mutant.name, known[column])}
            place = f"{PACKAGE}/{mutant.file}"
            writer.writerow(known | {"mutant": mutant.name, "layer": mutant.layer, "file": place})


def main() -> None:
    """Run all mutants, write the table, fail where one is not killed."""
    parser = argparse.ArgumentParser(description="Faults that the tests must find.")
    parser.add_argument("--only", default="", help="Mutants whose name or layer has this text.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="Runs at a time.")
    parser.add_argument("--before", metavar="REVISION", help="An older one, instead of this.")
    parser.add_argument("--out", type=Path, help="CSV file for the outcomes of these mutants.")
    words = parser.parse_args()
    chosen = [m for m in MUTANTS if words.only in m.name or words.only == m.layer]
    with checked_out(words.before) if words.before else nullcontext(ROOT) as checkout:
        outcomes = run_all(chosen, checkout, words.jobs)
    if words.out is not None:
        named = dict(zip((mutant.name for mutant in chosen), outcomes, strict=True))
        write_table(words.out, "before" if words.before else "after", named)
    print(", ".join(f"{n} {word}" for word, n in Counter(outcomes).items()))
    sys.exit(not {*outcomes} <= ({"killed", ABSENT} if words.before else {"killed"}))


if __name__ == "__main__":
    main()
