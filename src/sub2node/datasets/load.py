"""Any name of data → a task: a benchmark's name, a generator, or a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..base.addresses import is_address, shown_address
from ..base.errors import ConfigError, DataError, suggest
from ..base.notes import Note, NoteKind
from ..io import read_task, recognised
from ..io.aliases import with_aliases
from ..io.background_files import Background
from ..io.expansion import expansion_limit
from ..io.ontology import parse_ontology
from ..io.subgnn import read_subgnn
from ..task import SubgraphTask
from ..task.edges import Repeated
from ..task.problems import Problems
from ..task.reading_options import (
    BadRows,
    BadWeights,
    LabelCase,
    MissingFeatures,
    NaLabels,
    Reading,
    ReadingOptions,
    UnknownNodes,
    Unlabelled,
)
from .disease_families import load_disease_families, package_folder
from .on_disk import EngineRequest, load_on_disk
from .patients import NAME as PATIENTS
from .patients import load_patients, name_diagnoses, require_store
from .phenotype_files import ONTOLOGY
from .registry import (
    BENCHMARKS,
    Benchmark,
    cache_folder,
    check_copy,
    data_folders,
    others,
    read_files,
    require,
)
from .shapes import like
from .synthetic import generate

_MAKERS: dict[str, Callable[..., SubgraphTask]] = {"generate": generate, "like": like}
_NUMBERS = {"generate": ("seed", "subgraphs", "nodes", "size"), "like": ("seed",)}


def load_task(
    source: str | Path,
    *,
    graph: Any = None,
    labels: str | Path | None = None,
    format: str | None = None,
    graph_format: str | None = None,
    variant: str | None = None,
    swap: bool | None = None,
    columns: Mapping[str, str] | None = None,
    unknown_nodes: UnknownNodes = "error",
    repeated: Repeated = "same",
    na_labels: NaLabels = "missing",
    label_case: LabelCase = "merge",
    unlabelled: Unlabelled = "keep",
    missing_features: MissingFeatures = "error",
    bad_weights: BadWeights = "error",
    bad_rows: BadRows = "error",
    label_separator: str | None = None,
    node_separator: str | None = None,
    na_words: Sequence[str] = (),
    directed: bool = False,
    no_header: bool = False,
    node_features: Sequence[str] | None = None,
    background: Background | None = None,
    aliases: str | Path | None = None,
    min_score: float | None = None,
    score_weights: bool = False,
    max_expansion: float | None = None,
    engine: str = "memory",
    memory: str | int | None = None,
    master: str | None = None,
    spill: str | Path | None = None,
    border_hops: int = 1,
    without_split: bool = False,
    problems: Problems | None = None,
) -> SubgraphTask:
    """Load a task from whatever names it.

    Args:
        source: A benchmark's name (``ppi_bp``); ``generate:density`` or ``like:em_user``, with
            ``generate:density,seed=1,subgraphs=2500`` for more; or a path: a folder in the SubGNN
            layout, with tables or of Elliptic2, or a file of subgraphs (``.gmt``, ``.gmx``,
            ``.jsonl``, ``.csv``, ``.tsv``, ``.parquet``), which needs ``graph``. A benchmark's name
            wins over a folder of that name: write ``./ppi_bp`` for the folder. Other folders beside
            the benchmarks are found by name too.
        graph: The edges for a file of subgraphs: a file, or a NetworkX, igraph, SciPy or PyG graph.
        labels: A table of labels for a file of subgraphs.
        format: How ``source`` is to be read, where it is not recognised: ``tables``, ``subgnn``,
            ``elliptic2``, ``ibm-aml``, ``phenopackets``, ``gmt``, ``gmx`` or ``jsonl``.
        graph_format: How the file ``graph`` is to be read, where it is not recognised: ``obo``,
            ``string``, ``biogrid`` or ``ibm-aml``.
        variant: Another split beside the first, as ``split1`` for ``subgraphs.split1.pth``.
        swap: Exchange val and test if val is the smaller one, as the public readers of the SubGNN
            layout do. By default only for the benchmark ``ppi_bp``, whose published results are so.
        columns: Your column for ours, as in ``{"source": "from_account"}``; of one table, as in
            ``{"labels.title": "disease"}``.
        unknown_nodes: ``error``, ``drop`` or ``ignore-subgraph``: what to do about members that the
            graph does not have.
        repeated: What an edge that is given again means: ``same``, ``sum`` or ``max``.
        na_labels: Labels that read NA, nan, NULL or None are ``missing``, or classes to ``keep``.
        label_case: Labels of three letters and more that differ in case only, as Fraud and fraud,
            are one class (``merge``), or several (``keep``).
        unlabelled: Subgraphs without a label where others have one: ``keep`` them apart, as
            ``task.unlabelled``, or ``drop`` them.
        missing_features: Numbers of nodes that are missing are an ``error``, or ``impute``: the
            median of the column, with a further column that says where.
        bad_weights: Weights that are missing, 0, negative or not finite are an ``error``, or their
            rows are ``drop``-ped, or they are ``one``.
        bad_rows: Rows that cannot be used are an ``error`` or ``drop``-ped: lines of another length
            than the header, rows without an id, empty subgraphs, ids given again (the first
            counts), labels without members, a second label where few subgraphs have several, edges
            to nodes that the nodes table does not have.
        label_separator: What separates several labels in one value, as ``|``.
        node_separator: What separates several nodes in one value of a table of members, as ``;``.
        na_words: Words for a missing value beside NA, nan, NULL and None, as ``["-"]``: in labels,
            ids, features, weights and attributes.
        directed: Whether edges go from source to target: each row is kept, with its columns of
            numbers as features; ``border`` inputs tell senders from receivers.
        no_header: Whether text tables of edges, members and labels have no header line, unless it
            names a column of ours; such edges and members are mostly recognised without.
        node_features: The columns of the table of nodes that become features: numbers as they are,
            text as one column for each category; None: all columns of numbers.
        background: The universe of a study, a file with one id per line or a list of ids: nodes
            outside of it are omitted with their edges, so that such members are unknown.
        aliases: A table ``alias, node_id[, kind]`` of other names of nodes, in place of the
            ``aliases`` of a folder; STRING's file of aliases; or an ontology. Members may be given
            by them.
        min_score: Links of STRING of a lower combined score (0 to 1000) are omitted.
        score_weights: Whether STRING's combined score, divided by 1000, is the weight of a link.
        max_expansion: How many times their size compressed files may expand to (1 GiB always), 200
            by default.
        engine: ``memory``; ``duckdb`` or ``spark`` for a graph that stays on disk: only what the
            subgraphs need is loaded, kept for the next time, and everything else is found there
            when it is asked for (docs/scaling.md). ``source`` is then a folder of tables (Parquet,
            or text that may be packed), of Elliptic2's files, or a zip archive of one; or the
            address of such (``https://``, ``s3://``, ``gs://``), which is fetched once.
        memory: How much memory DuckDB may use, as ``"8GB"``.
        master: Spark's master, as ``local[2]``.
        spill: Where DuckDB puts what does not fit.
        border_hops: With an engine, how far the summaries of what lies around subgraphs reach: 1
            or 2.
        without_split: Whether the parts that tables of labels name are not read, as where a new
            split is drawn; an engine reads them.
        problems: Takes what is wrong with the data, row by row, also where an option settles it.

    Returns:
        The task; ``task.notes`` says what reading it did to the data.

    Raises:
        DataProblemsError: No option settles all problems; it has all of them.
    """
    options = ReadingOptions(
        unknown_nodes=unknown_nodes,
        repeated=repeated,
        na_labels=na_labels,
        label_case=label_case,
        unlabelled=unlabelled,
        missing_features=missing_features,
        bad_weights=bad_weights,
        bad_rows=bad_rows,
        label_separator=label_separator,
        node_separator=node_separator,
        na_words=na_words,
        directed=directed,
        no_header=no_header,
    )
    reading = Reading(options, problems if problems is not None else Problems())
    word = str(source)
    if word.startswith("file://"):
        word = url2pathname(urlsplit(word).path)
    request = EngineRequest(engine, memory, master, spill, border_hops)
    if is_address(word) and not request.on_disk:
        raise ConfigError(
            f"{shown_address(word)} is an address, and without an engine data is read from files"
            " here: copy it, or take engine='duckdb' (--engine duckdb)."
        )
    if request.on_disk:
        unread = {"graph": graph, "labels": labels, "format": format, "variant": variant}
        unread |= {"graph_format": graph_format, "swap": swap, "background": background}
        unread |= {"aliases": aliases, "min_score": min_score, "score_weights": score_weights}
        return load_on_disk(
            word,
            request,
            reading=reading,
            columns=columns,
            node_features=node_features,
            others=unread,
        )
    reading = replace(reading, without_split=without_split)
    if word in BENCHMARKS or word.partition(":")[0] in _MAKERS:
        as_it_is = (format, graph_format, background, min_score, score_weights or None)
        _refuse_options(word, node_features, as_it_is)
    maker, _, rest = word.partition(":")
    if maker in _MAKERS and rest:
        others_given = columns or variant or aliases or swap is not None
        if graph is not None or labels is not None or others_given:
            raise ConfigError(f"{word} is drawn; the options for reading data do not apply.")
        return _draw(maker, rest)
    own_names = None if aliases is None else Path(aliases)
    common: dict[str, Any] = {"reading": reading, "variant": variant}
    if word in BENCHMARKS:
        if graph is not None or labels is not None or columns:
            raise ConfigError(f"{word} is a benchmark; graph, labels and columns do not apply.")
        benchmark = BENCHMARKS[word]
        folder = require(word)
        if benchmark.package:
            if variant is not None or swap:
                raise ConfigError(f"{word} has one split; variant and swap do not apply.")
            return with_aliases(_load_packaged(benchmark, folder), own_names)
        swap = benchmark.swap if swap is None else swap
        contents = read_files(benchmark, folder)
        task = read_subgnn(folder, swap=swap, name=word, contents=contents, **common)
        task = replace(task, notes=(check_copy(benchmark, contents), *task.notes))
        return with_aliases(task, own_names)
    if not _exists(word):
        beside = others()
        if word not in beside:
            names = [*BENCHMARKS, *beside]
            raise DataError(
                f"there is no benchmark, file or folder called {word!r}.{suggest(word, names)}"
            )
        word = str(beside[word])
    with expansion_limit(max_expansion):
        return read_task(
            word,
            graph=graph,
            labels=labels,
            format=format,
            graph_format=graph_format,
            swap=bool(swap),
            columns=columns,
            node_features=node_features,
            background=background,
            aliases=aliases,
            min_score=min_score,
            score_weights=score_weights,
            **common,
        )


def _refuse_options(
    word: str, node_features: Sequence[str] | None, as_it_is: Sequence[object]
) -> None:
    """Refuse options about reading for data that are not read from the user's files."""
    if node_features is not None:
        raise ConfigError(f"{word} has no table of nodes to choose node_features from.")
    if any(value is not None for value in as_it_is):
        raise ConfigError(f"{word} is read as it is; format, background and scores do not apply.")


def _load_packaged(benchmark: Benchmark, folder: Path) -> SubgraphTask:
    """A benchmark that is made from the files of a package, or lies ready in a folder."""
    if recognised(folder):
        return _read_ready(benchmark, folder)
    contents, cache = read_files(benchmark, folder), cache_folder() / "made"
    if benchmark.name == PATIENTS:
        task = load_patients(contents, require_store(data_folders()), cache=cache)
    else:
        task = load_disease_families(contents, cache=cache)
    return replace(task, notes=(check_copy(benchmark, contents), *task.notes))


def _read_ready(benchmark: Benchmark, folder: Path) -> SubgraphTask:
    """A benchmark whose task lies ready in a folder; names that it lacks are added where known."""
    task, source = read_task(folder), f"Read from the ready folder {folder.name}"
    if benchmark.name == PATIENTS:
        task = name_diagnoses(task)
    package = package_folder()
    if package is not None and task.graph.names is not None and task.graph.other_names is None:
        ontology = parse_ontology((package / ONTOLOGY).read_bytes(), package / ONTOLOGY)
        task = replace(task, graph=task.graph.with_other_names(ontology.aliases()))
        source += f", with the synonyms of {ONTOLOGY} ({ontology.version})"
    note = Note(NoteKind.SOURCE, f"{source}.")
    return replace(task, name=benchmark.name, notes=(note, *task.notes))


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # a name no file can have
        return False


def _draw(maker: str, rest: str) -> SubgraphTask:
    name, *settings = rest.split(",")
    numbers = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in _NUMBERS[maker]:
            raise ConfigError(f"{maker} has no setting {key!r}.{suggest(key, _NUMBERS[maker])}")
        if not (value.isascii() and value.isdecimal()):
            raise ConfigError(f"{key} must be a whole number, found {value!r}.")
        numbers[key] = int(value)
    return _MAKERS[maker](name, **numbers)
