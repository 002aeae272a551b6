"""Damaged and crafted models: each is refused with one sentence, or answers as it should.

    cd tests && python -m torture models --count 1200

A model whose checksums do not fit must be refused, unless what changed is not part of it. One whose
checksums somebody made fit again may be another model; its answers must be finite probabilities.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from sub2node import SubgraphClassifier, SubgraphTask
from sub2node.base.errors import Sub2NodeError
from sub2node.scoring import load_scorer
from sub2node.serve.answer_json import predictions_json
from torture.rows import new_row

LIMIT = 20.0  # seconds for one model
MOST_MEMORY = 1 << 30  # bytes by which the process may grow
QUERY = [["n1", "n2", "n3"], ["n7"]]
ODD_NUMBERS = (
    0, 1, -1, 2**31, 2**40 - 1, 2**63, 10**30, 1e308, -1e308, 1e-320, float("nan"), float("inf"),
    0.5, True, None, "", "x", "1", [], {}, [[]], [1] * 1000, "x" * 100_000,
)  # fmt: skip
Damage = Callable[[Path, random.Random], None]


class HangError(BaseException):
    """A model took too long; not an Exception, so that nothing catches it on its way."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, also a system call that waits."""

    def interrupt(number: int, frame: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def make_model(folder: Path, seed: int) -> Path:
    """A model that has every file: named nodes and subgraphs, weights and titles."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 50, (2, 200))
    pairs = sorted({(int(low), int(high)) for low, high in np.sort(ends, axis=0).T if low != high})
    edges = {
        "source": [f"n{low}" for low, _ in pairs],
        "target": [f"n{high}" for _, high in pairs],
        "weight": (0.5 + rng.random(len(pairs))).tolist(),
    }
    ids = [f"s{number}" for number in range(40)]
    sets = {name: rng.choice(50, 4, replace=False) for name in ids}
    members = [(name, f"n{node}") for name, nodes in sets.items() for node in nodes]
    task = SubgraphTask.from_tables(
        pa.table(edges),
        pa.table({"subgraph_id": [m[0] for m in members], "node_id": [m[1] for m in members]}),
        pa.table({"subgraph_id": ids, "label": [f"c{n % 3}" for n in range(40)], "title": ids}),
        nodes=pa.table({"node_id": [f"n{n}" for n in range(50)], "title": ["a title"] * 50}),
    )
    settings = {"epochs": 3, "hidden": 8, "features.kind": "random", "width": 8}
    model = SubgraphClassifier("s2n+a", seeds=2, preset="fast", settings=settings)
    return model.fit(task).save(folder)


def sign(folder: Path, change: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Make all checksums of a model fit its files."""
    path = folder / "model.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    for name in facts["files"]:
        facts["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    facts.pop("digest", None)
    if change is not None:
        change(facts)
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True)
    facts["digest"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")


def data_files(folder: Path) -> list[Path]:
    """The files of a model, the card for people left out."""
    return sorted(path for path in folder.iterdir() if path.name != "MODEL_CARD.md")


def flip(folder: Path, rng: random.Random) -> None:
    """Flip bits of one file."""
    path = rng.choice(data_files(folder))
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 2, 20))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def cut(folder: Path, rng: random.Random) -> None:
    """Cut one file off, or write something behind it."""
    path = rng.choice(data_files(folder))
    content = path.read_bytes()
    if rng.random() < 0.2:
        path.write_bytes(content + rng.randbytes(rng.randint(1, 50)))
    else:
        path.write_bytes(content[: rng.randrange(len(content))])


def lose(folder: Path, rng: random.Random) -> None:
    """Remove a file, or put another in its place."""
    path = rng.choice(data_files(folder))
    other = rng.choice([*data_files(folder), None])
    content = b"" if other is None else other.read_bytes()
    path.unlink()
    if other is not None and other != path:
        path.write_bytes(content)


def no_file(folder: Path, rng: random.Random) -> None:
    """Something that is no regular file in the place of a file."""
    path = rng.choice(data_files(folder))
    path.unlink()
    kind = rng.choice(("fifo", "folder", "/dev/zero", "/dev/urandom", "/dev/full", "nowhere"))
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(kind if kind.startswith("/") else path.name)


def signed_flip(folder: Path, rng: random.Random) -> None:
    """Flip bits of a data file and make the checksums fit."""
    path = rng.choice([file for file in data_files(folder) if file.name != "model.json"])
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 2, 5))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    sign(folder)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values stand in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def odd_card(folder: Path, rng: random.Random) -> None:
    """Replace a value of the card, or lose it."""

    def change(facts: dict[str, Any]) -> None:
        *path, last = rng.choice(list(places(facts)))
        target: Any = facts
        for key in path:
            target = target[key]
        if rng.random() < 0.15:
            del target[last]
        else:
            target[last] = rng.choice(ODD_NUMBERS)

    sign(folder, change)


def odd_arrays(folder: Path, rng: random.Random) -> None:
    """Change an array: its values, its shape or its type."""
    path = folder / rng.choice(("weights.safetensors", "known.safetensors"))
    arrays = load_arrays(path.read_bytes())
    name = rng.choice(sorted(arrays))
    array = arrays[name].copy()
    flat = array.reshape(-1)
    kind = rng.randrange(6)
    if kind == 0 and len(flat):
        flat[rng.randrange(len(flat))] = rng.choice((0, 1, 50, 127))
    elif kind == 1 and array.dtype.kind == "f":
        array *= np.float32(rng.choice((1e30, 1e38, -1e38, 0.0)))
    elif kind == 2:
        array = array[: len(array) // 2]
    elif kind == 3:
        array = np.concatenate([array, array])
    elif kind == 4:
        array = array.astype(rng.choice((np.int64, np.int8, np.float64, np.float16)))
    else:
        array = array[None]
    arrays[name] = np.ascontiguousarray(array)
    path.write_bytes(save_arrays(arrays))
    sign(folder)


def odd_header(folder: Path, rng: random.Random) -> None:
    """Change numbers in the header of a safetensors file."""
    path = folder / rng.choice(("weights.safetensors", "known.safetensors"))
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header, rest = content[8 : 8 + size].decode(), content[8 + size :]
    digits = [place for place, letter in enumerate(header) if letter.isdigit()]
    for _ in range(rng.randint(1, 4)):
        place = rng.choice(digits)
        header = header[:place] + str(rng.randrange(10)) + header[place + 1 :]
    length = len(header) if rng.random() < 0.8 else rng.choice((0, 2**20, 2**62))
    path.write_bytes(length.to_bytes(8, "little") + header.encode() + rest)
    sign(folder)


def table_bomb(folder: Path, rng: random.Random) -> None:
    """A table that is small on disk and large in memory."""
    name = rng.choice(("edges.parquet", "nodes.parquet", "subgraphs.parquet"))
    if name == "edges.parquet":
        zeros = np.zeros(10**5, np.int64)
        block = pa.table({"low": zeros, "high": zeros + 1})
    else:
        block = pa.table({"name": pa.array(["x" * rng.choice((10, 10**5))] * 50)})
    with pq.ParquetWriter(folder / name, block.schema, compression="zstd") as writer:
        for _ in range(rng.choice((1, 1000))):
            writer.write_table(block)
    sign(folder, lambda facts: facts["graph"].update(nodes=rng.choice((50, 10**7, 2**39))))


UNSIGNED: dict[str, Damage] = {
    "flipped bits": flip,
    "truncated files": cut,
    "lost or swapped files": lose,
    "pipes, devices, folders": no_file,
}
SIGNED: dict[str, Damage] = {
    "flipped bits, signed": signed_flip,
    "crafted numbers in the card": odd_card,
    "crafted arrays": odd_arrays,
    "crafted headers": odd_header,
    "tables that expand": table_bomb,
}


class Judge:
    """Tries models and counts what comes of them."""

    def __init__(self, expected: bytes) -> None:
        self._expected = expected
        self.counts: Counter[str] = Counter()
        self.first_problem = ""

    def try_model(self, folder: Path, *, signed: bool) -> None:
        """Load one model and ask it."""
        try:
            with time_limit(LIMIT):
                answer = answer_of(folder)
        except Sub2NodeError as error:
            self._count("refused" if "\n" not in str(error) else "tracebacks", str(error))
        except HangError:
            self._count("hangs", "no end")
        except Exception as error:
            self._count("tracebacks", f"{type(error).__name__}: {error}")
        else:
            if answer == self._expected:
                self._count("equal", "")
            else:
                sound = signed and are_probabilities(answer)
                self._count("other" if sound else "wrong", answer[:200].decode())

    def _count(self, kind: str, problem: str) -> None:
        self.counts[kind] += 1
        if kind in ("wrong", "tracebacks", "hangs") and not self.first_problem:
            self.first_problem = " ".join(problem.split())[:150]


def answer_of(folder: Path) -> bytes:
    """What a model answers, as JSON."""
    scorer = load_scorer(folder)
    answers = scorer.predict(scorer.ask(QUERY, unknown_nodes="drop"))
    return predictions_json([None] * len(QUERY), answers, range(len(QUERY)))


def are_probabilities(answer: bytes) -> bool:
    """Whether all probabilities of an answer are such."""
    predictions = json.loads(answer)["predictions"]
    values = [value for one in predictions for value in one["probabilities"].values()]
    return all(0 <= value <= 1 for value in values)


def main(seed: int = 24, count: int = 1200) -> list[dict[str, Any]]:
    """Try so many models in all, the same ones for the same seed."""
    kinds = {**UNSIGNED, **SIGNED}
    rows = []
    with TemporaryDirectory() as temporary:
        whole = make_model(Path(temporary) / "whole", seed)
        expected = answer_of(whole)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for number, (what, damage) in enumerate(kinds.items()):
            rng, judge = random.Random(f"{seed} {what}"), Judge(expected)
            tried = count // len(kinds) + (number < count % len(kinds))
            for _ in range(tried):
                folder = Path(temporary) / "model"
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(whole, folder)
                damage(folder, rng)
                judge.try_model(folder, signed=what in SIGNED)
            counts = judge.counts
            note = ", ".join(f"{counts[kind]} {kind}" for kind in ("refused", "equal", "other"))
            note += f"; first: {judge.first_problem}" if judge.first_problem else ""
            bad = {name: counts[name] for name in ("wrong", "tracebacks", "hangs")}
            rows.append(new_row(what, tried, note, **bad))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        note = f"{grown / 1e6:,.0f} MB more than before, at most"
        rows.append(new_row("memory", count, note, wrong=int(grown > MOST_MEMORY)))
    return rows
