"""The Parquet files of a run folder, checked: predictions, epochs, subgraphs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import DataError
from ..base.metrics import softmax
from ..base.ragged import Array
from .reader import Run

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class RunPredictions:
    """What each replica predicts for the test subgraphs.

    Args:
        ids: The ids of the subgraphs.
        truth: Their labels as booleans (m, C).
        predicted: The predicted labels as booleans (R, m, C).
        probabilities: (R, m, C): softmax of the logits, or their sigmoid where multi-label.
        multilabel: Whether a subgraph may have several labels.
    """

    ids: tuple[str, ...]
    truth: Array
    predicted: Array
    probabilities: Array
    multilabel: bool

    @property
    def replicas(self) -> int:
        """The number R of replicas."""
        return len(self.predicted)

    def micro_f1(self) -> Array:
        """Micro-F1 of each replica."""
        hits = (self.predicted & self.truth).sum(axis=(1, 2))
        total = self.predicted.sum(axis=(1, 2)) + self.truth.sum()
        return np.asarray(2 * hits / np.maximum(total, 1))


def read_predictions(run: Run) -> RunPredictions | None:
    """Read the test part of ``predictions.parquet``; None where the run has none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = run.path / "predictions.parquet"
    if not file.exists():
        return None
    try:
        table = pq.read_table(file, filters=[("part", "=", "test")])
        predictions = _parse_predictions(run, table)
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
        raise DataError(f"these are not the predictions of a run ({error}).", path=file) from None
    expected = run.score.values
    if (
        len(expected) != predictions.replicas
        or np.abs(predictions.micro_f1() - expected).max() > 1e-6
    ):
        raise DataError(
            "these predictions do not give the scores in result.json; the files are not of the"
            " same run.",
            path=file,
        )
    return predictions


def _parse_predictions(run: Run, table: pa.Table) -> RunPredictions:
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
    truth, predicted = (_one_hot(table[name], classes) for name in ("label", "prediction"))
    return RunPredictions(
        tuple(map(str, ids[:count])),
        truth[:count],
        predicted.reshape(shape),
        _sigmoid(logits) if run.multilabel else softmax(logits),
        run.multilabel,
    )


def _one_hot(column: pa.ChunkedArray, classes: tuple[str, ...]) -> Array:
    """Names of classes, one or a list per row, as booleans (rows, C)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = column.combine_chunks()
    rows = np.arange(len(array))
    if pa.types.is_list(array.type):
        rows, array = pc.list_parent_indices(array).to_numpy(), array.flatten()
    indices = pc.index_in(array, value_set=pa.array(classes, pa.string()))
    if indices.null_count:
        raise ValueError("a label that is not among the classes")
    result = np.zeros((len(column), len(classes)), bool)
    result[rows, indices.to_numpy()] = True
    return result


def _sigmoid(logits: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(logits / 2)))


@dataclass(frozen=True, eq=False)
class Curves:
    """Training by epoch.

    Args:
        columns: Losses and scores by name, each (epochs, R).
        best_epoch: One epoch per replica, 1-based; 0: none.
    """

    columns: dict[str, Array]
    best_epoch: tuple[int, ...]

    @property
    def epochs(self) -> int:
        """The number of epochs."""
        return len(next(iter(self.columns.values())))


def read_curves(run: Run) -> Curves | None:
    """Read ``epochs.parquet``; None where the run has none."""
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
    return Curves(columns, run.result.best_epoch)


@dataclass(frozen=True, eq=False)
class SubgraphTable:
    """The subgraphs of a run folder and the links between them.

    Args:
        columns: As lists, by name: ``subgraph_id, title, part, label, size, shown, train_links``.
        links: ``source, target, weight`` as arrays; empty without an S2N graph.
    """

    columns: dict[str, list[Any]]
    links: dict[str, Array]

    def row(self, name: str) -> dict[str, Any]:
        """The columns of one subgraph by its id; empty where there is none."""
        row = self._row_of_id.get(name)
        if row is None:
            return {}
        return {key: column[row] for key, column in self.columns.items()}

    @cached_property
    def _row_of_id(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.columns["subgraph_id"])}


def read_subgraph_table(home: Path) -> SubgraphTable | None:
    """Read ``subgraphs.parquet`` and ``links.parquet``; None in folders of older versions."""
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
    return SubgraphTable(columns, links)
