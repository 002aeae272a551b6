"""What ``s2n predict`` is asked for, checked before the model is read."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import ConfigError, DataError
from ..base.plural import examples
from .case_file import check_case_report
from .side_files import beside

if TYPE_CHECKING:
    from ..io.set_batch import SetBatch
    from ..io.white_space import StrippedValues
    from ..scoring import Answers, Query, Scorer
    from ..scoring.name_mapping import NameMapping
    from ..scoring.query import IdLists
    from ..scoring.scorer import PlacedSubgraphs

_MOST_NEIGHBORS = 1000


@dataclass(frozen=True)
class PredictionRequest:
    """Subgraphs, and what to do with them.

    Args:
        source: A file of subgraphs; None: there is one, given by its nodes.
        nodes: The nodes of one subgraph, as they were given.
        excluded: The nodes that are excluded from it, as they were given.
        out: Where the answers of a file go; None: to the terminal.
        mapping: Where the table of what names mean goes; None: beside ``out``, if it is needed.
        export: Where the one subgraph goes as a network.
        unknown_nodes: Whether nodes that are not in the graph are an ``error``, or ``drop``.
        mode: ``independent`` or ``joint``.
        columns: The user's names of our columns.
        overwrite: Whether files that are there may be replaced.
        why: Whether answers are explained.
        neighbors: How many similar known subgraphs are listed; 0: none.
        draws: Number of random sets to compare each subgraph with; None: none.
        seed: Seed of the random sets.
        report: Where the case report goes; None: nowhere.
        format: The format of the source; None: it is recognised.
        node_separator: What separates several nodes in one value of the source.
    """

    source: Path | None
    nodes: str | None
    excluded: str | None
    out: Path | None
    mapping: Path | None
    export: Path | None
    unknown_nodes: str
    mode: str
    columns: dict[str, str]
    overwrite: bool
    why: bool = False
    neighbors: int = 0
    draws: int | None = None
    seed: int = 0
    report: Path | None = None
    format: str | None = None
    node_separator: str | None = None

    @property
    def errors_file(self) -> Path:
        """Where bad rows are listed."""
        assert self.out is not None
        return self.out.with_name(self.out.name + ".errors.csv")

    @property
    def mapping_file(self) -> Path | None:
        """Where the table of what names mean goes."""
        return self.mapping or (None if self.out is None else beside(self.out, "mapping"))

    def side_files(self) -> dict[str, Path]:
        """The tables of reasons and neighbours beside the answers, by kind."""
        kinds = (*["why"] * self.why, *["neighbors"] * bool(self.neighbors))
        return {} if self.out is None else {kind: beside(self.out, kind) for kind in kinds}

    def check(self) -> None:
        """Raise what can be known before the model is loaded."""
        from ..io.network_files import ENDINGS as NETWORK_ENDINGS
        from ..io.sets import check_columns
        from ..io.table_writer import ENDINGS as TABLE_ENDINGS
        from ..scoring.answer_tables import ENDINGS

        check_columns(self.columns)
        if (self.source is None) == (self.nodes is None):
            raise ConfigError("give a file of subgraphs, or one subgraph by --nodes A,B,C.")
        if self.excluded is not None and self.nodes is None:
            raise ConfigError("--excluded goes with --nodes; a file has a column 'excluded'.")
        if self.nodes is not None and self.out is not None:
            raise ConfigError("-o is for a file of subgraphs; the answer for --nodes is printed.")
        if self.export is not None and self.out is not None:
            raise ConfigError("--export is for one subgraph, whose answer is printed; omit -o.")
        if not 0 <= self.neighbors <= _MOST_NEIGHBORS:
            raise ConfigError(f"--neighbors is a number from 1 to {_MOST_NEIGHBORS:,}.")
        self._check_modes()
        if self.report is not None:
            check_case_report(
                self.report, self.source, self.out, mode=self.mode, overwrite=self.overwrite
            )
        outputs = [(self.mapping, TABLE_ENDINGS), (self.export, NETWORK_ENDINGS)]
        if self.out is not None:
            outputs.append((self.out, ENDINGS))
            outputs += [(path, (path.suffix.lower(),)) for path in self._beside()]
        for path, endings in outputs:
            if path is not None:
                self._check_output(path, endings)

    def _beside(self) -> list[Path]:
        """All that may be written beside the answers."""
        tables = [self.errors_file, *self.side_files().values()]
        return tables if self.mapping_file is None else [*tables, self.mapping_file]

    def _check_modes(self) -> None:
        from ..scoring.null_distribution import check_draws

        if self.unknown_nodes not in ("error", "drop"):
            raise ConfigError(f"--unknown-nodes is error or drop, not {self.unknown_nodes!r}.")
        if self.mode not in ("independent", "joint"):
            raise ConfigError(f"--mode is independent or joint, not {self.mode!r}.")
        if self.draws is not None:
            check_draws(self.draws, self.seed)
            if self.mode == "joint":
                raise ConfigError("--null is for --mode independent: random sets are asked alone.")

    def _check_output(self, path: Path, endings: tuple[str, ...]) -> None:
        from ..base.files import require_writable

        if path.suffix.lower() not in endings:
            raise ConfigError(f"{path} must end in {', '.join(endings)}.")
        if self.source is not None and path.resolve() == self.source.resolve():
            raise ConfigError(f"{path} is the input; choose another name for the answers.")
        if path.exists() and not self.overwrite:
            raise ConfigError(f"{path} exists already; choose another name, or --overwrite.")
        if path.is_dir():
            raise ConfigError(f"{path} is a folder, expected a file.")
        require_writable(path)

    def predict(self, scorer: Scorer, query: Query | PlacedSubgraphs) -> Answers:
        """Answers for a query, compared with random sets where that is wanted."""
        from ..scoring.null_distribution import compare_with_null

        answers = scorer.predict(query, mode=self.mode)  # type: ignore[arg-type]
        if self.draws is None:
            return answers
        return compare_with_null(scorer, query, answers=answers, draws=self.draws, seed=self.seed)

    def wants_one(self, *, as_json: bool) -> bool:
        """Whether the request is about one subgraph, so that its file must not have several."""
        if self.source is None or self.export is not None:
            return True
        details = self.why or self.neighbors
        return bool(details) and self.out is None and not (as_json and self._has_several())

    def _has_several(self) -> bool:
        batches = islice(self.read_sets(size=2, at_once=True), 2)
        return sum(len(batch.names) for batch in batches) > 1

    def read_sets(
        self,
        *,
        size: int | None,
        at_once: bool,
        stripped: StrippedValues | None = None,
        notes: list[str] | None = None,
    ) -> Iterator[SetBatch]:
        """The subgraphs of the source, some at a time; arguments as of :func:`read_sets`."""
        from ..io.sets import read_sets

        assert self.source is not None
        return read_sets(
            self.source,
            self.columns,
            size=size,
            at_once=at_once,
            stripped=stripped,
            notes=notes,
            format=self.format,
            node_separator=self.node_separator,
        )

    def read_one(
        self, scorer: Scorer, *, notes: list[str] | None = None
    ) -> tuple[Query, NameMapping]:
        """The one subgraph, and what its names mean; ``notes`` take how its file was read."""
        from ..scoring.name_mapping import NameMapping
        from ..scoring.query import IdLists

        own, absent = (split_nodes(text or "") for text in (self.nodes, self.excluded))
        lists = IdLists.of([own], [""], excluded=[absent])
        problems: dict[int, str] = {}
        if self.source is not None:
            lists, problems = self._read_only_list(self.source, notes)
        scorer.reach(lists.ids)
        matches = scorer.index.match(lists.ids)
        query, unanswerable = scorer.look_up(
            replace(lists, matches=matches), unknown_nodes=self.unknown_nodes
        )
        if problems := {**unanswerable, **problems}:
            raise DataError(next(iter(problems.values())), path=self.source)
        if self.source is None:
            nodes = list(dict.fromkeys(own))
            query = replace(query, names=(examples(nodes, len(nodes)),))  # its id in outputs
        return query, NameMapping(scorer.index, lists.ids, matches)

    def _read_only_list(
        self, source: Path, notes: list[str] | None
    ) -> tuple[IdLists, dict[int, str]]:
        """The nodes of the only subgraph of a file, and what is wrong with it."""
        from ..scoring.query import IdLists

        batches = list(islice(self.read_sets(size=2, at_once=True, notes=notes), 2))
        if sum(len(batch.names) for batch in batches) != 1:
            raise ConfigError(
                f"without -o, --why, --neighbors and --export are for one subgraph, and"
                f" {source} has not just one."
            )
        (batch,) = (batch for batch in batches if len(batch.names))
        lists = IdLists.of_arrow(batch.names, batch.ptr, batch.nodes, absent=batch.absent)
        return lists, dict(batch.problems)


def split_nodes(text: str) -> list[str]:
    """Names with commas between; those in quotes may have commas in them."""
    (row,) = list(csv.reader([text.replace("\n", ",")], skipinitialspace=True)) or [[]]
    return [name.strip() for name in row if name.strip()]
