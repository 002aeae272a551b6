"""``s2n predict``: answers for the subgraphs of a file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from ..errors import ConfigError, DataError
from .output import AsJson, console, print_json, progress, say, table
from .reading import column_mapping

if TYPE_CHECKING:
    from ..io.sets import Given
    from ..scoring import Answers, Explanation, Scorer

_PIECE = 1000  # subgraphs answered together
_SHOWN = 20


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that s2n fit wrote.")],
    source: Annotated[
        Path | None,
        typer.Argument(metavar="[INPUT]", help="CSV, TSV, Parquet, JSONL or GMT of subgraphs."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Where to: .parquet, .csv, .tsv or .jsonl."),
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option("--nodes", help="One subgraph instead of a file: its nodes, as A,B,C."),
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="With --nodes: what speaks for the answer.")
    ] = False,
    unknown_nodes: Annotated[
        str, typer.Option("--unknown-nodes", help="Nodes that are not in the graph: error or drop.")
    ] = "error",
    mode: Annotated[
        str,
        typer.Option("--mode", help="independent, or joint: all subgraphs of INPUT in one graph."),
    ] = "independent",
    column: Annotated[
        list[str] | None,
        typer.Option("--column", help="Your column for ours, as node_id=gene; repeatable."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
    as_json: AsJson = False,
) -> None:
    """Answer for the subgraphs of a file, however long; or for one, given by its nodes.

    CSV and Parquet have the columns subgraph_id and node_id (best with the rows of a subgraph
    together: they are then read one subgraph at a time), JSONL has lines like {"id": "a", "nodes":
    ["x", "y"]}. Bad rows are listed with their line numbers in OUT.errors.csv, and the good ones
    are done. Of several labels, probability is that of the least probable one.

    Example: s2n predict density-model new.csv -o answers.parquet
    """
    from ..scoring import load_scorer

    asked = _Asked(source, out, unknown_nodes, mode, column_mapping(column or []), overwrite)
    if (source is None) == (nodes is None):
        raise ConfigError("give a file of subgraphs, or one subgraph by --nodes A,B,C.")
    if why and nodes is None:
        raise ConfigError("--why is for one subgraph: --nodes A,B,C --why.")
    if nodes is not None and out is not None:
        raise ConfigError("-o is for a file of subgraphs; the answer for --nodes is printed.")
    asked.check()
    with progress():
        scorer = load_scorer(model)
        if nodes is not None:
            one = [node.strip() for node in nodes.split(",") if node.strip()]
            query = scorer.ask([one], names=["this"], unknown_nodes=unknown_nodes)  # type: ignore[arg-type]
            answers = scorer.predict(query, mode=mode)  # type: ignore[arg-type]
            reasons = scorer.explain(query)[0] if why else None
        else:
            facts, first = asked.answer(scorer, keep=None if as_json else _SHOWN)
    if nodes is not None:
        _show_one(answers, reasons, as_json=as_json)
    elif as_json:
        print_json(facts)
    else:
        _show_file(facts, first)


@dataclass(frozen=True)
class _Asked:
    """A file of subgraphs, and what to do with it."""

    source: Path | None
    out: Path | None
    unknown: str
    mode: str
    columns: dict[str, str]
    overwrite: bool

    def check(self) -> None:
        """Raise what can be known before the model is loaded."""
        from ..files import require_writable
        from ..io.sets import check_columns
        from ..scoring.tables import ENDINGS

        check_columns(self.columns)

        if self.unknown not in ("error", "drop"):
            raise ConfigError(f"--unknown-nodes is error or drop, not {self.unknown!r}.")
        if self.mode not in ("independent", "joint"):
            raise ConfigError(f"--mode is independent or joint, not {self.mode!r}.")
        if self.out is None:
            return
        if self.out.suffix.lower() not in ENDINGS:
            raise ConfigError(f"{self.out} must end in {', '.join(ENDINGS)}.")
        for path in (self.out, self.bad):
            if self.source is not None and path.resolve() == self.source.resolve():
                raise ConfigError(f"{path} is the input; choose another name for the answers.")
            if path.exists() and not self.overwrite:
                raise ConfigError(f"{path} exists already; choose another name, or --overwrite.")
            if path.is_dir():
                raise ConfigError(f"{path} is a folder, expected a file.")
        require_writable(self.out)

    @property
    def bad(self) -> Path:
        """Where bad rows are listed."""
        assert self.out is not None
        return self.out.with_name(self.out.name + ".errors.csv")

    def answer(self, scorer: Scorer, keep: int | None) -> tuple[dict[str, Any], list[Answers]]:
        """Answer for all; numbers for people and machines, and the first answers."""
        from ..files import new_file, written
        from ..scoring.tables import rows_of, table_writer

        done, problems, first, rows = 0, [], [], []
        with ExitStack() as stack:
            write = None
            if self.out is not None:
                stack.enter_context(written(self.out))
                part = stack.enter_context(new_file(self.out))
                write = stack.enter_context(table_writer(part, self.out.suffix.lower()))
            for answers, bad in self._pieces(scorer):
                problems += bad
                done += len(answers)
                if write is not None:
                    write(answers)
                elif keep is None:
                    columns = rows_of(answers)
                    rows += [dict(zip(columns, r, strict=True))
                             for r in zip(*columns.values(), strict=True)]  # fmt: skip
                if done - len(answers) < (keep or 0):
                    first.append(answers)
            if not done:
                self._list(problems)
                raise DataError(self._nothing(problems), path=self.source)
        self._list(problems)
        facts: dict[str, Any] = {"answered": done, "bad": len(problems)}
        if self.out is not None:
            facts |= {"path": str(self.out), "errors": str(self.bad) if problems else None}
        else:
            facts |= {"problems": [p._asdict() for p in problems]}
            facts |= {"answers": rows} if keep is None else {}
        return facts, first

    def _pieces(self, scorer: Scorer) -> Iterator[tuple[Answers, list[Given]]]:
        """Answers for some subgraphs at a time, and those that have none."""
        from ..io.sets import read_sets
        from ..scoring import Query

        assert self.source is not None
        coming = read_sets(self.source, self.columns)
        size = None if self.mode == "joint" else _PIECE
        while piece := list(islice(coming, size)):
            queries, bad = [], []
            for given in piece:
                problem = given.problem
                if not problem:
                    try:
                        asked = scorer.ask([given.nodes], names=[given.name],
                                           unknown_nodes=self.unknown)  # type: ignore[arg-type]  # fmt: skip
                        queries.append(asked)
                        continue
                    except DataError as error:
                        problem = str(error)
                bad.append(given._replace(nodes=[], problem=problem))
            query = Query.join(queries) if queries else scorer.ask([])
            yield scorer.predict(query, mode=self.mode), bad  # type: ignore[arg-type]

    def _nothing(self, problems: list[Given]) -> str:
        if not problems:
            return "there is no subgraph in it."
        first = problems[0]
        return (
            f"none of {len(problems):,} subgraphs has an answer; line {first.line}: {first.problem}"
        )

    def _list(self, problems: list[Given]) -> None:
        """Write the list of bad rows; an old one that does not hold any more goes."""
        from ..files import new_file, written

        if self.out is None:
            return
        with written(self.bad):
            if not problems:
                self.bad.unlink(missing_ok=True)
                return
            with new_file(self.bad) as part, part.open("w", encoding="utf-8", newline="") as text:
                writer = csv.writer(text)
                writer.writerow(["line", "subgraph_id", "problem"])
                writer.writerows([p.line, p.name, p.problem] for p in problems)


def _show_file(facts: dict[str, Any], first: list[Answers]) -> None:
    from ..scoring.tables import rows_of

    if "path" not in facts:
        view = table("Answers", "Subgraph", "Prediction", "Probability", "Spread", "Known")
        rows = [row for answers in first for row in zip(*list(rows_of(answers).values())[:5],
                                                        strict=True)]  # fmt: skip
        for name, said, probability, spread, known in rows[:_SHOWN]:
            words = ", ".join(said) if isinstance(said, list) else said
            view.add_row(
                Text(name), Text(words), f"{probability:.3f}", f"{spread:.3f}", f"{known:.0%}"
            )
        console.print(view)
        if facts["answered"] > _SHOWN:
            say("More", f"{facts['answered'] - _SHOWN:,}; -o FILE writes all.", style="dim")
    say("Answered", f"{facts['answered']:,} subgraphs", style="bold")
    for given in facts.get("problems", [])[:_SHOWN]:
        say("Bad", f"line {given['line']}, {given['name']!r}: {given['problem']}", style="yellow")
    if "path" in facts:
        say("Answers", facts["path"], style="bold")
        if facts["bad"]:
            say("Bad", f"{facts['bad']:,} rows without an answer: {facts['errors']}",
                style="yellow")  # fmt: skip


def _show_one(answers: Answers, reasons: Explanation | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from ..scoring.tables import rows_of

    if as_json:
        columns = rows_of(answers)
        found: dict[str, Any] = {name: values[0] for name, values in columns.items()}
        found["unknown"] = list(answers.unknown[0])
        print_json(found if reasons is None else {**found, "why": asdict(reasons)})
        return
    view = table("Probabilities: mean and spread over seeds", "Class", "Probability", "Spread", "")
    order = (-answers.probabilities[0]).argsort(kind="stable")[:_SHOWN]
    for c in order:
        said = "predicted" if answers.said[0, c] else ""
        view.add_row(Text(answers.classes[c]), f"{answers.probabilities[0, c]:.3f}",
                     f"{answers.spread[0, c]:.3f}", said)  # fmt: skip
    console.print(view)
    if answers.unknown[0]:
        say("Unknown", ", ".join(answers.unknown[0][:_SHOWN]), style="yellow")
    if reasons is not None:
        _show_why(reasons)


def _show_why(found: Explanation) -> None:
    view = table(f"Why {found.label}: contributions to its probability", "What", "", "Points")
    view.add_row("an empty subgraph", "", f"{100 * found.baseline:.1f}")
    for kind, parts in (("member", found.members), ("neighbour", found.neighbors)):
        for part in parts[:10]:
            title = f" ({part.title})" if part.title and part.title != part.id else ""
            label = f" · {', '.join(part.labels)}" if part.labels else ""
            view.add_row(Text(f"{part.id}{title}"), Text(kind + label), f"{100 * part.value:+.1f}")
        if len(parts) > 10:
            rest = sum(part.value for part in parts[10:])
            view.add_row(f"{len(parts) - 10} more", kind, f"{100 * rest:+.1f}")
    if not found.neighbors and found.joins:
        view.add_row("no link to known subgraphs", "", "")
    if found.statistics is not None:
        view.add_row("its statistics", "", f"{100 * found.statistics:+.1f}")
    view.add_row("together", "", f"{100 * found.probability:.1f}", style="bold")
    console.print(view)
