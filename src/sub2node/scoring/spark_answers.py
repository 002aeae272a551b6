"""Answers for millions of subgraphs: each worker of a Spark cluster has the model and a share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.files import new_folder, written
from ..base.plural import plural
from ..base.ragged import blocks
from ..disk.backends import opened, translate_errors
from ..task.column_names import column_in
from .answer_extras import AnswerExtras
from .answer_tables import answers_table
from .artefact import load_scorer
from .query import IdLists
from .scorer import Scorer

PROBLEM = "problem"  # the column that says why a subgraph has no answer
_OURS = r"part-.*\.parquet|_SUCCESS|\..*\.crc"
_SHARE = 10_000  # subgraphs of a task of Spark
_BATCH = 1000  # of them answered together, where the graph is loaded
_loaded: dict[str, Scorer] = {}  # of a worker, which has many tasks one after another


class SparkAnswers(NamedTuple):
    """What was written.

    Args:
        answered: Subgraphs with an answer.
        bad: Subgraphs without.
        problem: Why the first of them has none.
    """

    answered: int
    bad: int
    problem: str = ""


class _Settings(NamedTuple):
    """How subgraphs are answered.

    Args:
        key: Names the model.
        unknown_nodes: As of :meth:`Scorer.look_up`.
        top: How many of the likeliest classes are given too; 0: none.
    """

    key: str
    unknown_nodes: str
    top: int


def answer_on_spark(
    model: str | Path,
    questions: str | Path,
    out: str | Path,
    *,
    master: str,
    columns: Mapping[str, str] | None = None,
    unknown_nodes: str = "error",
    top: int = 0,
    overwrite: bool = False,
) -> SparkAnswers:
    """Answer for the subgraphs of a Parquet table on Spark.

    The model is broadcast, and each task answers for its share with :meth:`Scorer.predict`: the
    answers are those of one process. The workers need this package; of a graph on disk, its folder
    must be where they find it too.

    Args:
        model: A folder that :meth:`SubgraphClassifier.save` or ``s2n fit`` wrote.
        questions: A Parquet file, or a folder of them, with ``subgraph_id`` and ``node_id``.
        out: The folder of Parquet files to write: the columns of ``s2n predict``, and ``problem``.
        master: Spark's master.
        columns: The user's column for ours.
        unknown_nodes: Whether nodes that are not in the graph are an ``error`` or ``drop``.
        top: Also give so many of the likeliest classes.
        overwrite: Whether such a folder may be replaced.
    """
    folder, place = Path(model), Path(out)
    scorer = load_scorer(folder)
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    with (
        new_folder(place, overwrite=overwrite, ours=_OURS) as new,
        written(place),
        opened("spark", memory=None, spill=None, master=master) as backend,
        translate_errors(None),
    ):
        session = backend.connection._session
        rows = _questions(session, Path(questions), columns or {})
        settings = _Settings(uuid4().hex, unknown_nodes, top)
        sent = session.sparkContext.broadcast(files)
        answer = partial(_answer_share, sent, settings)
        answers = rows.mapInArrow(answer, _spark_schema(_empty_answers(scorer, settings)))
        answers.write.mode("overwrite").parquet(str(new))
        return _count(session, new)


def _questions(session: Any, path: Path, columns: Mapping[str, str]) -> Any:
    """``subgraph_id, node_ids``: a row for each subgraph, in shares."""
    from pyspark.sql import functions as f

    if not path.exists():
        raise DataError("there is no such file or folder.", path=path)
    if not (path.is_dir() or path.suffix in (".parquet", ".pq")):
        raise DataError("on Spark, subgraphs come as Parquet; convert the file.", path=path)
    rows = session.read.parquet(str(path))
    chosen = []
    for ours in ("subgraph_id", "node_id"):
        name = column_in(rows.columns, ours, "members", columns)
        if name is None:
            raise DataError(
                f"no column '{ours}'; columns found: {', '.join(rows.columns)}. Map it: --column"
                f" members.{ours}=….",
                path=path,
            )
        chosen.append(f.col(f"`{name}`").cast("string").alias(ours))
    if column_in(rows.columns, "excluded", "members", columns) is not None:
        raise DataError("excluded nodes are answered for without Spark only.", path=path)
    rows = rows.select(*chosen)
    lacking = f.col("subgraph_id").isNull() | f.col("node_id").isNull()
    facts = rows.agg(
        f.sum(lacking.cast("long")).alias("lacking"),
        f.approx_count_distinct("subgraph_id").alias("count"),
    ).first()
    if not facts["count"]:
        raise DataError("there is no subgraph in it.", path=path)
    if facts["lacking"]:
        raise DataError(f"{plural(facts['lacking'], 'row')} without an id; remove them.", path=path)
    shares = max(session.sparkContext.defaultParallelism, -(-facts["count"] // _SHARE))
    nodes = f.sort_array(f.collect_list("node_id")).alias("node_ids")
    return rows.groupBy("subgraph_id").agg(nodes).repartition(shares)


def _empty_answers(scorer: Scorer, settings: _Settings) -> pa.Table:
    """The answers for no subgraph, which have the columns of all."""
    return _answers(scorer, [], [], settings)


def _spark_schema(table: pa.Table) -> Any:
    from pyspark.sql import types as t

    kinds: dict[pa.DataType, Any] = {pa.string(): t.StringType(), pa.float64(): t.DoubleType()}
    kinds[pa.list_(pa.string())] = t.ArrayType(t.StringType())
    fields = [t.StructField(field.name, kinds[field.type]) for field in table.schema]
    return t.StructType(fields)


def _answer_share(
    sent: Any, settings: _Settings, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The answers of one task, on a worker."""
    if settings.key not in _loaded:
        with tempfile.TemporaryDirectory() as folder:
            for name, content in sent.value.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            _loaded[settings.key] = load_scorer(folder)
    scorer = _loaded[settings.key]
    for batch in batches:
        size = batch.num_rows if scorer.graph.whole is not None else _BATCH
        for first, last in blocks(np.ones(batch.num_rows, np.int64), max(size, 1)):
            some = batch.slice(first, last - first)
            names, lists = (some.column(name).to_pylist() for name in some.schema.names)
            yield from _answers(scorer, names, lists, settings).to_batches()


def _answers(
    scorer: Scorer, names: list[str], lists: list[list[str]], settings: _Settings
) -> pa.Table:
    """The answers for some subgraphs, and the problems of those that have none."""
    ids = IdLists.of(lists, names)
    scorer.reach(ids.ids)
    query, bad = scorer.look_up(ids, unknown_nodes=settings.unknown_nodes)
    table = answers_table(scorer.predict(query), AnswerExtras(settings.top))
    table = table.append_column(PROBLEM, pa.nulls(len(table), pa.string()))
    lost = {"subgraph_id": [names[at] for at in bad], PROBLEM: list(bad.values())}
    columns = {
        field.name: pa.array(lost[field.name], field.type)
        if field.name in lost
        else pa.nulls(len(bad), field.type)
        for field in table.schema
    }
    return pa.concat_tables([table, pa.table(columns, table.schema)]).combine_chunks()


def _count(session: Any, folder: Path) -> SparkAnswers:
    from pyspark.sql import functions as f

    written_rows = session.read.parquet(str(folder))
    facts = written_rows.agg(f.count("*"), f.count(PROBLEM), f.min(PROBLEM)).first()
    return SparkAnswers(facts[0] - facts[1], facts[1], facts[2] or "")
