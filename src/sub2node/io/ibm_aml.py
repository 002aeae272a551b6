"""IBM's synthetic transactions for anti-money laundering (https://arxiv.org/abs/2306.16424).

``*_Trans.csv`` has one transaction per line; an account is bank and account number, and ``Account``
stands twice in its header. ``*_Patterns.txt`` has laundering attempts as blocks of such lines::

    BEGIN LAUNDERING ATTEMPT - FAN-OUT:  Max 16-degree Fan-Out
    2022/09/01 00:06,021174,800737690,012,80011F990,2848.96,Euro,2848.96,Euro,ACH,1
    END LAUNDERING ATTEMPT - FAN-OUT
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..base.ragged import Array
from ..task import Graph, Names
from ..task.edges import undirected
from ..task.reading_notes import edge_notes
from ..task.reading_options import Reading
from .bad_lines import BadLines, StrictLines
from .csv_columns import IDS, common_codes, read_columns
from .set_files import SetTables
from .text_files import PACKED, first_line, lines

_HEADER = ("Timestamp", "From Bank", "From Account", "To Bank", "To Account")
_COUNT = 11  # columns of a transaction
_BEGIN = re.compile(r"BEGIN LAUNDERING ATTEMPT - ([^:]+?)\s*(?::\s*(.*?))?\s*")
_END = "END LAUNDERING ATTEMPT"
_ZEROS = re.compile(r"^0+(\d)")  # in front of the number of a bank
_TIME = re.compile(r"(\d{4})/(\d\d)/(\d\d) (\d\d:\d\d)")
_TRANSACTIONS = tuple(f"_Trans.csv{packed}" for packed in ("", *PACKED))
_PATTERNS = tuple(f"_Patterns.txt{packed}" for packed in ("", *PACKED))
_ENDINGS = tuple(f".txt{packed}" for packed in ("", *PACKED))


@dataclass
class Attempt:
    """A laundering attempt.

    Args:
        line: The line where it begins.
        kind: Its pattern, such as ``FAN-OUT``.
        title: The pattern with what is said of it.
        start: Time of its first transaction, as ``2022-09-01T00:06``.
        pairs: Both accounts of each transaction.
    """

    line: int
    kind: str
    title: str
    start: str = ""
    pairs: list[tuple[str, str]] = field(default_factory=list)

    @property
    def accounts(self) -> list[str]:
        """Its accounts, each once."""
        return list(dict.fromkeys(account for pair in self.pairs for account in pair))


def is_transactions_header(line: str) -> bool:
    """Whether a first line is that of a file of transactions."""
    return line.replace('"', "").startswith("Timestamp,From Bank,Account,To Bank,Account")


def is_patterns(path: Path) -> bool:
    """Whether a file has laundering attempts."""
    if path.is_dir() or not path.name.lower().endswith(_ENDINGS):
        return False
    return first_line(path).startswith("BEGIN LAUNDERING ATTEMPT")


def find_pairs(folder: Path) -> list[tuple[Path, Path]]:
    """Files of attempts with the file of transactions that belongs to each, by their names."""
    pairs = []
    for ending in _PATTERNS:
        for path in sorted(folder.glob(f"*{ending}")):
            stem = path.name.removesuffix(ending)
            places = [folder / f"{stem}{other}" for other in _TRANSACTIONS]
            pairs += [(path, place) for place in places if place.exists()][:1]
    return pairs


def find_pair(folder: Path) -> tuple[Path, Path]:
    """The file of attempts of a folder and that of transactions."""
    pairs = find_pairs(folder)
    if not pairs:
        raise DataError("the folder has no pair of *_Patterns.txt and *_Trans.csv.", path=folder)
    if len(pairs) > 1:
        one, graph = pairs[0]
        raise DataError(
            f"there are attempts in {' and '.join(path.name for path, _ in pairs[:3])}; name one:"
            f" {one} with the graph (--graph) {graph}.",
            path=folder,
        )
    return pairs[0]


def read_transactions(path: Path) -> tuple[Graph, list[str]]:
    """Accounts, joined where a transaction went from one to the other, and what was merged."""
    columns = [*_HEADER, *(f"column {number}" for number in range(len(_HEADER), _COUNT))]
    ends = _HEADER[1:]
    table = read_columns(path, ",", ends, dict.fromkeys(ends, IDS), header=columns, quoted=True)
    if not len(table):
        raise DataError("there is no transaction in it.", path=path)
    banks, bank_codes = common_codes([table["From Bank"], table["To Bank"]])
    numbers, number_codes = common_codes([table["From Account"], table["To Account"]])
    del table
    keys = [
        bank * len(numbers) + number for bank, number in zip(bank_codes, number_codes, strict=True)
    ]
    used = np.unique(np.concatenate([np.unique(key) for key in keys]))
    ids = _account_ids(banks.take(pa.array(used // len(numbers))), numbers, used % len(numbers))
    # Banks are numbers with or without zeros in front, so that two keys may be one account.
    distinct = ids.unique().sort()
    place = np.asarray(pc.index_in(ids, value_set=distinct)).astype(np.int64)
    source, target = (place[np.searchsorted(used, key)] for key in keys)
    names = Names(distinct)
    edges = undirected(source, target)
    graph = Graph.from_undirected(edges, num_nodes=len(names), names=names)
    return graph, list(edge_notes(edges, "same", lambda node: repr(names[node])))


def _account_ids(banks: pa.Array, numbers: pa.Array, places: Array) -> pa.Array:
    plain = pc.replace_substring_regex(banks, _ZEROS.pattern, r"\1")
    return pc.binary_join_element_wise(plain, numbers.take(pa.array(places)), ":")


def attempts(path: Path, bad: BadLines | None = None) -> Iterator[Attempt]:
    """The laundering attempts of a file in their order.

    Args:
        path: The file, plain or packed.
        bad: Takes lines that do not fit, and the attempts go on without them; None: the first of
            them is an error.
    """
    bad = StrictLines(path, Reading()) if bad is None else bad
    attempt: Attempt | None = None
    for number, line in lines(path):
        begins = _BEGIN.fullmatch(line)
        if begins:
            if attempt is not None:
                reason = "the attempt before has no end."
                bad.add("attempt without an end", number, reason, name=f"line {attempt.line}")
            kind, about = begins[1], begins[2] or ""
            attempt = Attempt(number, kind, f"{kind}: {about}" if about else kind)
        elif line.startswith(_END) and attempt is not None:
            if attempt.pairs:
                yield attempt
            else:
                bad.add("empty subgraph", attempt.line, "this attempt has no transaction.")
            attempt = None
        elif attempt is not None:
            if problem := _add_transaction(attempt, line):
                bad.add("unusable transaction", number, problem)
        else:
            reason = "it is outside of an attempt; expected 'BEGIN LAUNDERING ATTEMPT - …',"
            bad.add("unusable line", number, f"{reason} transactions, '{_END} - …'.")
    if attempt is not None:
        bad.add("attempt without an end", attempt.line, "this attempt has no end.")


def _add_transaction(attempt: Attempt, line: str) -> str:
    """Put a transaction to an attempt; returns what is wrong with the line, "" if nothing."""
    fields = [value.strip() for value in line.split(",")]
    if len(fields) != _COUNT:
        return f"a transaction has {_COUNT} fields, found {len(fields)}: {line[:60]!r}."
    time = _TIME.fullmatch(fields[0])
    if time is None:
        return f"a transaction begins with a time like 2022/09/01 00:06, found {fields[0][:30]!r}."
    moment = f"{time[1]}-{time[2]}-{time[3]}T{time[4]}"
    attempt.start = min(attempt.start or moment, moment)
    ends = (fields[1:3], fields[3:5])
    source, target = (":".join([_ZEROS.sub(r"\1", bank), account]) for bank, account in ends)
    attempt.pairs.append((source, target))
    return ""


def attempt_tables(
    path: Path, reading: Reading | None = None, notes: list[str] | None = None
) -> SetTables:
    """Attempts as tables: accounts are members, the pattern is the label, transactions are edges.

    Args:
        path: The file, plain or packed.
        reading: What to do about lines that do not fit; takes them.
        notes: Takes sentences about those that were dropped.
    """
    reading = reading or Reading()
    bad = BadLines(path, reading, [] if notes is None else notes)
    found = list(attempts(path, bad))
    bad.report()
    if not found and not reading.problems.open:
        raise DataError("there is no laundering attempt in it.", path=path)
    ids = pa.array([str(number) for number in range(1, len(found) + 1)], pa.string())
    labels = {
        "subgraph_id": ids,
        "label": pa.array([attempt.kind for attempt in found]),
        "title": pa.array([attempt.title for attempt in found]),
        "start": pa.array([attempt.start for attempt in found]),
    }
    accounts = [attempt.accounts for attempt in found]
    owner = np.repeat(np.arange(len(found)), [len(one) for one in accounts])
    members = {
        "subgraph_id": ids.take(pa.array(owner, pa.int64())),
        "node_id": pa.array([account for one in accounts for account in one], pa.string()),
    }
    rows = [(at, *pair) for at, one in enumerate(found) for pair in one.pairs if pair[0] != pair[1]]
    owners, sources, targets = zip(*rows, strict=True) if rows else ((), (), ())
    edges = {
        "subgraph_id": ids.take(pa.array(owners, pa.int64())),
        "source": pa.array(sources, pa.string()),
        "target": pa.array(targets, pa.string()),
    }
    return SetTables(pa.table(members), pa.table(labels), pa.table(edges))
