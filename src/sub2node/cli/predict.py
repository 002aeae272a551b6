"""``s2n predict``: answers for the subgraphs of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigError
from ..base.progress import activity
from .answer_printing import show_answers, unchosen_note
from .case_file import CaseCollector, CaseReport, say_report, write_cases
from .data_arguments import column_mapping
from .doubt_lines import NullDraws, NullSeed
from .engine_options import SparkMaster
from .one_prediction import answer_one, show_one
from .options import AsJson, Columns, MaxExpansion, Overwrite, Positive, out_option
from .output import errors, print_json, progress, show_notes
from .policy_options import NodeSeparator
from .prediction_request import PredictionRequest
from .reading_options import DataFormat
from .spark_prediction import predict_on_spark, wants_spark

if TYPE_CHECKING:
    from ..scoring import Scorer
    from ..scoring.answer_extras import AnswerExtras

_SHOWN = 20


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that s2n fit wrote.")],
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="INPUT",
            help="Subgraphs: CSV, TSV, Excel, Parquet, JSONL, GMT, GMX; phenopackets: JSON, folder,"
            " zip; a folder of tables: those without a label.",
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None, out_option("File to write: .csv, .tsv, .xlsx, .parquet, .jsonl or .json.")
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option(
            "--nodes",
            metavar="A,B,C",
            help="One subgraph instead of a file: its nodes, by id or name.",
        ),
    ] = None,
    excluded: Annotated[
        str | None,
        typer.Option(
            "--excluded", metavar="D,E", help="With --nodes: nodes looked for and absent."
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="K", help="Also give the K likeliest classes of each."),
    ] = None,
    positive: Positive = None,
    why: Annotated[
        bool,
        typer.Option("--why", help="Explain the answers; of a file with -o, in OUT.why beside it."),
    ] = False,
    neighbors: Annotated[
        int | None,
        typer.Option(
            "--neighbors",
            metavar="N",
            help="Also list the N most similar known subgraphs; of a file, in OUT.neighbors.",
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write one subgraph with the nodes around it for Cytoscape: .graphml or .cx2.",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping",
            metavar="FILE",
            help="Table of all names: what was given, the node that is meant, how it was found.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit with 1 if some subgraph has no answer."),
    ] = False,
    unknown_nodes: Annotated[
        str,
        typer.Option("--unknown-nodes", help="Members that are not in the graph: error, or drop."),
    ] = "error",
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            help="independent: each subgraph beside the known ones; joint: all of INPUT in one"
            " graph.",
        ),
    ] = "independent",
    null: NullDraws = None,
    seed: NullSeed = 0,
    report: CaseReport = None,
    column: Columns = None,
    format: DataFormat = None,
    node_separator: NodeSeparator = None,
    max_expansion: MaxExpansion = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="memory; spark: INPUT is Parquet with any number of subgraphs, answered on the"
            " workers, and -o a folder of Parquet.",
        ),
    ] = "memory",
    master: SparkMaster = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Answer for new subgraphs, of a file or given by their nodes.

    Examples:
        s2n predict my-model new.csv -o answers.csv
        s2n predict my-model --nodes TP53,MDM2 --why
        s2n predict my-model patient.json --top 5 --why
        s2n predict my-model patient.json --report case.html
        s2n predict my-model new.csv -o answers.csv --why --neighbors 5
        s2n predict my-model --nodes TP53,MDM2 --export case.cx2
        s2n predict my-model new.parquet -o out --engine spark --master local

    Tables have the columns subgraph_id and node_id (or those of --column, as for fit), and where
    nodes are excluded (looked for and absent) a column excluded that says true for them (best with
    the rows of a subgraph together: they are then read one subgraph at a time), JSONL has lines
    like {"id": "a", "nodes": ["x", "y"]}. Bad rows are listed with their line numbers in
    OUT.errors.csv, and the good ones are answered. Several labels are listed likeliest first, and
    probability is that of the first.

    Nodes are given by id, or by title, synonym, former id or alias in any case; what names meant is
    listed in OUT.mapping if some are no ids. A name that may mean several nodes is asked about.
    """
    from ..io.expansion import expansion_limit
    from ..scoring import load_scorer

    if top is not None and top < 1:
        raise ConfigError(f"--top is a number of classes from 1, found {top}.")
    if neighbors is not None and neighbors < 1:
        raise ConfigError(f"--neighbors is a number of subgraphs from 1, found {neighbors}.")
    request = PredictionRequest(
        source=source,
        nodes=nodes,
        excluded=excluded,
        out=out,
        mapping=mapping,
        export=export,
        unknown_nodes=unknown_nodes,
        mode=mode,
        columns=column_mapping(column or []),
        overwrite=overwrite,
        why=why,
        neighbors=neighbors or 0,
        draws=null,
        seed=seed,
        report=report,
        format=format,
        node_separator=node_separator,
    )
    if wants_spark(engine, master):
        others = {"positive": positive, "why": why, "neighbors": neighbors, "export": export}
        others |= {"mapping": mapping, "null": null, "report": report, "format": format}
        others |= {"node_separator": node_separator}
        bad = predict_on_spark(
            model, request, master=master or "", top=top or 0, others=others, as_json=as_json
        )
        if strict and bad:
            raise typer.Exit(1)
        return
    request.check()
    with expansion_limit(max_expansion), progress():
        with activity(f"Loading {model}"):
            scorer = load_scorer(model)
        extras = _find_extras(scorer, top or 0, positive)
        cases = CaseCollector(extras.positive) if report is not None else None
        one = answer_one(request, scorer, cases) if request.wants_one(as_json=as_json) else None
        if one is None:
            from .file_prediction import answer_file

            keep = None if as_json else _SHOWN
            facts, collected = answer_file(request, scorer, extras, keep=keep, cases=cases)
        if report is not None:
            given = one.notes if one is not None else facts["notes"]
            write_cases(cases, report, scorer, extras, request=request, notes=given)
    notes = unchosen_note(extras.positive)
    if one is not None:
        show_notes([*one.notes, *notes], to=errors)
        show_one(one, extras, as_json=as_json)
        say_report(report, 1, as_json=as_json)
        return
    facts |= {} if report is None else {"report": str(report)}
    facts["notes"] += notes
    show_notes(facts["notes"], to=errors)
    if as_json:
        print_json(facts)
    else:
        show_answers(facts, collected.shown, extras, draws=null)
    say_report(report, collected.count, as_json=as_json)
    if strict and facts["bad"]:
        raise typer.Exit(1)


def _find_extras(scorer: Scorer, top: int, label: str | None) -> AnswerExtras:
    """What is given beside the answers: by the options, or by the card of the model."""
    from ..scoring.answer_extras import AnswerExtras
    from ..scoring.positive_alerts import PositiveAlerts

    positive = PositiveAlerts.of_model(
        scorer.card, scorer.classes, multilabel=scorer.multilabel, label=label
    )
    return AnswerExtras(top, positive)
