"""The Parquet files of a run folder, checked: answers, epochs, subgraphs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DataError
from ...metrics import softmax
from ...ragged import Array
from .runs import Run


@dataclass(frozen=True, eq=False)
class Answers:
    """What each replica says about the test subgraphs.

    Args:
        ids: Of the subgraphs.
        truth: Their labels as booleans (m, C).
        said: Answers (R, m, C), likewise.
        probabilities: (R, m, C): softmax of the logits, or their sigmoid where multi-label.
        multilabel: Which of the two.
    """

    ids: tuple[str, ...]
    truth: Array
    said: Array
    probabilities: Array
    multilabel: bool

    @property
    def replicas(self) -> int:
        """R."""
        return len(self.said)

    def micro_f1(self) -> Array:
        """Of each replica."""
        hits = (self.said & self.truth).sum(axis=(1, 2))
        total = self.said.sum(axis=(1, 2)) + self.truth.sum()
        return np.asarray(2 * hits / np.maximum(total, 1))


def read_answers(run: Run) -> Answers | None:
    """The test part of ``predictions.parquet``; None where the run has none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = run.path / "predictions.parquet"
    if not file.exists():
        return None
    try:
        table = pq.read_table(file, filters=[("part", "=", "test")])
        found = _answers(run, table, pa)
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
        raise DataError(f"these are not the predictions of a run ({error}).", path=file) from None
    expected = run.score.values
    if len(expected) != found.replicas or np.abs(found.micro_f1() - expected).max() > 1e-6:
        raise DataError(
            "these predictions do not give the scores in result.json; the files are not of the"
            " same run.",
            path=file,
        )
    return found


def _answers(run: Run, table: Any, pa: Any) -> Answers:
    replicas, classes = len(run.seeds), run.classes
    count, rest = divmod(table.num_rows, replicas)
    if rest or not count:
        raise ValueError(f"{table.num_rows} rows for {replicas} seeds")
    ids = table["subgraph_id"].to_pylist()
    if ids != ids[:count] * replicas:
        raise ValueError("the seeds have different subgraphs")
    shape = (replicas, count, len(classes))
    logits = np.stack([table[f"logit {name}"].to_numpy() for name in classes], axis=1)
    logits = np.nan_to_num(logits.astype(np.float64), nan=-1e30).reshape(shape)
    truth, said = (_one_hot(table[name], classes, pa) for name in ("label", "prediction"))
    return Answers(
        tuple(map(str, ids[:count])),
        truth[:count],
        said.reshape(shape),
        _sigmoid(logits) if run.multilabel else softmax(logits),
        run.multilabel,
    )


def _one_hot(column: Any, classes: tuple[str, ...], pa: Any) -> Array:
    """Names of classes, one or a list a row, as booleans (rows, C)."""
    import pyarrow.compute as pc

    array = column.combine_chunks()
    rows = np.arange(len(array))
    if pa.types.is_list(array.type):
        rows, array = pc.list_parent_indices(array).to_numpy(), array.flatten()
    found = pc.index_in(array, value_set=pa.array(classes, pa.string()))
    if found.null_count:
        raise ValueError("a label that is not among the classes")
    result = np.zeros((len(column), len(classes)), bool)
    result[rows, found.to_numpy()] = True
    return result


def _sigmoid(logits: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(logits / 2)))


@dataclass(frozen=True, eq=False)
class Curves:
    """Training by epoch.

    Args:
        columns: By name, (epochs, R).
        best_epoch: One a replica, 1-based; 0: none.
    """

    columns: dict[str, Array]
    best_epoch: tuple[int, ...]

    @property
    def epochs(self) -> int:
        """How many."""
        return len(next(iter(self.columns.values())))


def read_curves(run: Run) -> Curves | None:
    """``epochs.parquet``; None where the run has none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = run.path / "epochs.parquet"
    if not file.exists():
        return None
    try:
        table = pq.read_table(file)
        names = [n for n in ("train_loss", "val_loss", "val_micro_f1") if n in table.column_names]
        columns = {
            name: table[name].to_numpy().reshape(len(run.seeds), -1).T.astype(np.float64)
            for name in names
        }
        if not columns or not next(iter(columns.values())).size:
            raise ValueError("no epochs")
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:
        raise DataError(f"these are not the epochs of a run ({error}).", path=file) from None
    return Curves(columns, tuple(map(int, run.facts["best_epoch"])))


@dataclass(frozen=True, eq=False)
class Subgraphs:
    """What the run folder knows of subgraphs.

    Args:
        columns: As lists, by name: ``subgraph_id, title, part, label, size, shown, train_links``.
        links: ``source, target, weight`` as arrays; empty without an S2N graph.
    """

    columns: dict[str, list[Any]]
    links: dict[str, Array]

    def row(self, name: str) -> dict[str, Any]:
        """What is known of one, by its id."""
        where = self._places.get(name)
        if where is None:
            return {}
        return {key: column[where] for key, column in self.columns.items()}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.columns["subgraph_id"])}


def read_subgraphs(home: Path) -> Subgraphs | None:
    """``subgraphs.parquet`` and ``links.parquet``; None where the folder is older than them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = home / "subgraphs.parquet", home / "links.parquet"
    if not files[0].exists():
        return None
    file = files[0]
    try:
        columns = pq.read_table(files[0]).to_pydict()
        file = files[1]
        links = {}
        if file.exists():
            table = pq.read_table(file)
            links = {name: table[name].to_numpy() for name in ("source", "target", "weight")}
            ends = np.r_[links["source"], links["target"]]
            if len(ends) and not (ends.min() >= 0 and ends.max() < len(columns["subgraph_id"])):
                raise ValueError("a link to a subgraph that is not there")
        for name in ("subgraph_id", "part", "label", "size", "shown"):
            columns[name]
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise DataError(f"this is not what a run wrote ({error}).", path=file) from None
    return Subgraphs(columns, links)
