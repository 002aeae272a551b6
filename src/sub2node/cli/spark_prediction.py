"""``s2n predict --engine spark``: answers for a Parquet table of millions of subgraphs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..base.errors import ConfigError, suggest
from ..base.plural import plural
from ..base.progress import activity
from ..base.records import JsonObject
from .output import print_json, progress, say, warn
from .prediction_request import PredictionRequest


def wants_spark(engine: str, master: str | None) -> bool:
    """Whether answers come from Spark; raises for options that do not fit each other."""
    if engine == "duckdb":
        raise ConfigError("predict needs no engine: a model of a graph on disk finds it by itself.")
    if engine not in ("memory", "spark"):
        raise ConfigError(f"there is no engine {engine!r}.{suggest(engine, ('memory', 'spark'))}")
    if engine == "memory" and master is not None:
        raise ConfigError("--master goes with --engine spark.")
    if engine == "spark" and not master:
        raise ConfigError("the engine spark needs a master, as --master 'local[2]'.")
    return engine == "spark"


def predict_on_spark(
    model: Path,
    request: PredictionRequest,
    *,
    master: str,
    top: int,
    others: Mapping[str, object],
    as_json: bool,
) -> int:
    """Answer, and say what was written; the number of subgraphs without an answer.

    Args:
        model: The folder of the model.
        request: The subgraphs.
        master: Spark's master.
        top: How many of the likeliest classes are given too.
        others: Options that only one process knows.
        as_json: Whether to print JSON.
    """
    from ..scoring.spark_answers import answer_on_spark

    if given := [name for name, value in others.items() if value]:
        raise ConfigError(f"--{given[0]} is for answers in one process; omit it, or --engine.")
    if request.mode != "independent":
        raise ConfigError("on Spark each subgraph is asked alone; omit --mode joint.")
    if request.source is None or request.out is None:
        raise ConfigError("on Spark, give a Parquet table of subgraphs and -o FOLDER.")
    with progress(), activity("Answering on Spark"):
        done = answer_on_spark(
            model,
            request.source,
            request.out,
            master=master,
            columns=request.columns,
            unknown_nodes=request.unknown_nodes,
            top=top,
            overwrite=request.overwrite,
        )
    facts: JsonObject = {"answered": done.answered, "bad": done.bad, "path": str(request.out)}
    if as_json:
        print_json(facts)
        return done.bad
    say("Written", f"{plural(done.answered, 'answer')} to {request.out}", style="bold")
    if done.bad:
        count = plural(done.bad, "subgraph")
        warn(f"{count} without an answer (column 'problem'), as: {done.problem}")
    return done.bad
