"""The arguments that name data, the same for every command that reads some."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from ..base.addresses import shown_address
from ..base.errors import ConfigError
from ..base.progress import activity
from .engine_options import (
    BorderHops,
    EngineMemory,
    EngineName,
    SparkMaster,
    SpillFolder,
)
from .options import (
    AliasFile,
    Columns,
    Data,
    GraphFile,
    LabelsFile,
    MaxExpansion,
    MinScore,
    NaLabels,
    Repeated,
    ScoreWeights,
    SplitBy,
    SplitShares,
    SplitTime,
    Swap,
    UnknownNodes,
    Variant,
    parse_shares,
)
from .output import errors, progress, say, show_notes
from .policy_options import (
    BadRows,
    BadWeights,
    LabelCase,
    LabelSeparator,
    MissingFeatures,
    NaWords,
    NodeSeparator,
    ProblemFile,
    Unlabelled,
)
from .reading_options import (
    BackgroundFile,
    DataFormat,
    Directed,
    GraphFormat,
    NodeFeatures,
    NoHeader,
)

if TYPE_CHECKING:
    from ..task import SubgraphTask
    from ..task.problems import Problems


@dataclass(frozen=True)
class DataArguments:
    """The data that the command line names; each field is an option of the command."""

    data: Data
    graph: GraphFile = None
    labels: LabelsFile = None
    format: DataFormat = None
    graph_format: GraphFormat = None
    column: Columns = None
    directed: Directed = False
    no_header: NoHeader = False
    unknown_nodes: UnknownNodes = "error"
    repeated: Repeated = "same"
    na_labels: NaLabels = "missing"
    label_case: LabelCase = "merge"
    unlabelled: Unlabelled = "keep"
    label_separator: LabelSeparator = None
    node_separator: NodeSeparator = None
    na_words: NaWords = None
    missing_features: MissingFeatures = "error"
    bad_weights: BadWeights = "error"
    bad_rows: BadRows = "error"
    problems: ProblemFile = None
    node_features: NodeFeatures = None
    background: BackgroundFile = None
    aliases: AliasFile = None
    min_score: MinScore = None
    score_weights: ScoreWeights = False
    variant: Variant = None
    swap: Swap = None
    split_by: SplitBy = None
    split_time: SplitTime = None
    split: SplitShares = None
    max_expansion: MaxExpansion = None
    engine: EngineName = "memory"
    memory: EngineMemory = None
    spill: SpillFolder = None
    master: SparkMaster = None
    border_hops: BorderHops = 1

    @property
    def is_plain(self) -> bool:
        """Whether nothing but DATA was given, on whatever engine."""
        names = ("engine", "memory", "spill", "master")
        own = {name: getattr(self, name) for name in names}
        return self == DataArguments(self.data, **own)

    def load(self, *, quiet: bool = False, problems: Problems | None = None) -> SubgraphTask:
        """Load the task, showing progress, and say what was omitted or changed in reading it.

        Args:
            quiet: Whether the caller shows the notes of the task.
            problems: Takes what is wrong with the data.
        """
        from ..base.notes import data_changes
        from ..io.problem_files import check_problem_file, write_problems
        from ..task.problems import DataProblemsError, Problems

        problems = Problems() if problems is None else problems
        if self.problems is not None:
            check_problem_file(self.problems)
        try:
            task = self._split_anew(self._read(problems))
        except DataProblemsError as error:
            lines = [f"s2n doctor {self.command_line()} lists all of them."]
            raise error.with_advice(lines) from None
        finally:
            if self.problems is not None:
                write_problems(problems.all, self.problems)
        if not quiet:
            show_notes(data_changes(task.notes), to=errors)
        return task

    def _read(self, problems: Problems) -> SubgraphTask:
        from ..datasets import load_task

        with progress(), activity(f"Reading {shown_address(self.data)}"):
            return load_task(
                self.data,
                graph=self.graph,
                labels=self.labels,
                format=self.format,
                graph_format=self.graph_format,
                columns=column_mapping(self.column or []),
                directed=self.directed,
                no_header=self.no_header,
                unknown_nodes=self.unknown_nodes,  # type: ignore[arg-type]  # checked in use
                repeated=self.repeated,  # type: ignore[arg-type]
                na_labels=self.na_labels,  # type: ignore[arg-type]
                label_case=self.label_case,  # type: ignore[arg-type]
                unlabelled=self.unlabelled,  # type: ignore[arg-type]
                label_separator=self.label_separator,
                node_separator=self.node_separator,
                na_words=comma_list(self.na_words),
                missing_features=self.missing_features,  # type: ignore[arg-type]
                bad_weights=self.bad_weights,  # type: ignore[arg-type]
                bad_rows=self.bad_rows,  # type: ignore[arg-type]
                problems=problems,
                node_features=chosen_columns(self.node_features),
                background=self.background,
                aliases=self.aliases,
                min_score=self.min_score,
                score_weights=self.score_weights,
                variant=self.variant,
                swap=self.swap,
                engine=self.engine,
                memory=self.memory,
                spill=self.spill,
                master=self.master,
                border_hops=self.border_hops,
                without_split=self._splits_anew,
            )

    @property
    def _splits_anew(self) -> bool:
        return not self.split_by is self.split_time is self.split is None

    def _split_anew(self, task: SubgraphTask) -> SubgraphTask:
        """The task with the split that the command line asks for, if it does."""
        if not self._splits_anew:
            return task
        from ..task.attribute_splits import split_anew

        shares = (0.8, 0.1, 0.1) if self.split is None else parse_shares(self.split, "--split")
        return split_anew(task, by=self.split_by, time=self.split_time, fractions=shares)

    def fold_groups(self, groups: str | None) -> str | None:
        """The column that folds keep together: that of --groups, else that of --split-by.

        Args:
            groups: The value of --groups.
        """
        if groups is None and self.split_by is not None:
            text = f"folds of best keep subgraphs of one {self.split_by} together, as --split-by."
            say("Note", text, style="dim", to=errors)
            return self.split_by
        return groups

    def command_line(self) -> str:
        """The data as it was named, quoted for the next command.

        Without ``--problems FILE``, which the next command would write again.
        """
        words, defaults = [shown_address(self.data)], DataArguments(self.data)
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "problems" or value == getattr(defaults, field.name):
                continue
            option = f"--{field.name.replace('_', '-')}"
            if isinstance(value, bool):
                words.append(option if value else f"--no-{field.name}")
            else:
                for item in value if isinstance(value, list) else [value]:
                    words += [option, str(item)]
        return shlex.join(words)


def comma_list(text: str | None) -> tuple[str, ...]:
    """``-,unknown`` as words; None as none."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def question_line(source: DataArguments) -> str:
    """The data as ``s2n predict`` takes them, with the options that say how to read them."""
    asked = DataArguments(
        source.data,
        column=source.column,
        format=source.format,
        node_separator=source.node_separator,
        unknown_nodes="drop" if source.unknown_nodes == "drop" else "error",
        max_expansion=source.max_expansion,
    )
    return asked.command_line()


def chosen_columns(text: str | None) -> list[str] | None:
    """``age,balance`` as names of columns; ``none`` as no column, None as it is."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise ConfigError("--node-features wants names of columns, as age,balance, or none.")
    return [] if names == ["none"] else names


def column_mapping(pairs: list[str]) -> dict[str, str]:
    """``ours=yours``, as often as given."""
    columns = dict[str, str]()
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            raise ConfigError(f"--column wants OURS=YOURS, as source=from_account, found {pair!r}.")
        if columns.setdefault(ours, theirs) != theirs:
            raise ConfigError(
                f"--column {ours} is given as {columns[ours]!r} and as {theirs!r}; say of which"
                f" table each is, as --column labels.{ours}={theirs}."
            )
    return columns


def reads_data(
    command: Callable[..., None], *, optional_data: str | None = None
) -> Callable[..., None]:
    """Make ``command(source, …)`` a command with DATA, its options, and those of the command.

    Args:
        command: The command; ``source`` is a :class:`DataArguments`.
        optional_data: What DATA is where it is not given; None: it is needed.
    """
    hints = get_type_hints(DataArguments, include_extras=True)
    first = inspect.Parameter.empty if optional_data is None else optional_data
    shared = {
        field.name: inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=first if field.name == "data" else field.default,
            annotation=hints[field.name],
        )
        for field in fields(DataArguments)
    }
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    data, *rest = shared.values()

    def run(**values: Any) -> None:
        from ..io.expansion import expansion_limit

        source = DataArguments(**{name: values.pop(name) for name in shared})
        with expansion_limit(source.max_expansion):
            command(source, **values)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature([data, *rest, *own])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (data, *rest, *own)}
    return run
