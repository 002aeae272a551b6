"""GA4GH phenopackets (https://phenopacket-schema.readthedocs.io), versions 1 and 2, as JSON.

One file, a folder (with those below it) or a zip archive of them. Observed phenotypic features are
the members of a subgraph; those that were excluded (version 1: negated) are its excluded nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.notes import changed, dropped
from ..base.plural import examples, plural
from ..base.structured_text import parse_json
from ..task.problems import Problem
from ..task.reading_options import Reading
from .bad_lines import BadLines
from .phenopacket_files import json_contents, plain_name
from .set_batch import SetBatch
from .set_files import SetTables

_BATCH = 1000  # phenopackets that are put together
_FEATURES = ("phenotypicFeatures", "phenotypic_features")


@dataclass(frozen=True)
class Phenopacket:
    """One phenopacket.

    Args:
        id: Its id; without one, the name of its file.
        observed: Ids of the features that were observed.
        excluded: Ids of the features that were looked for and are absent.
        diagnoses: Id and label of each disease: of the interpretations, else of the diseases.
        publication: The id of the publication that it is about, as ``PMID:10580070``; "" if none.
    """

    id: str
    observed: tuple[str, ...]
    excluded: tuple[str, ...]
    diagnoses: tuple[tuple[str, str], ...]
    publication: str = ""


class Phenopackets(NamedTuple):
    """Phenopackets, one entry of each list for one of them.

    Args:
        ids: Their ids.
        titles: The label of the diagnosis; "" where there is not exactly one.
        observed: Ids of the observed features.
        excluded: Ids of the features that were looked for and are absent.
        diagnoses: The id of the diagnosis; None where there is not exactly one.
        publications: The id of the publication; "" where there is none.
    """

    ids: list[str]
    titles: list[str]
    observed: list[tuple[str, ...]]
    excluded: list[tuple[str, ...]]
    diagnoses: list[str | None]
    publications: list[str]


def read_phenopackets(path: str | Path) -> Phenopackets:
    """All phenopackets of a file, a folder or a zip archive, in the order of their file names.

    Args:
        path: A ``.json`` file, which may be packed (``.json.gz``, ``.json.zst``), a folder with
            such files, or a ``.zip`` archive of ``.json`` files.

    Raises:
        DataError: A file is damaged or no phenopacket, or two have the same id.
    """
    packets, files = [], dict[str, Path]()
    for file, packet in _read_all(Path(path)):
        if isinstance(packet, DataError):
            raise packet
        if packet.id in files:
            other = files[packet.id].name
            raise DataError(f"the phenopacket {packet.id!r} is in {other} too.", path=file)
        files[packet.id] = file
        packets.append(packet)
    if not packets:
        raise DataError("there is no phenopacket (.json) in it.", path=path)
    return _as_columns(packets)


def _as_columns(packets: Sequence[Phenopacket]) -> Phenopackets:
    single = [p.diagnoses[0] if len(p.diagnoses) == 1 else (None, "") for p in packets]
    return Phenopackets(
        [packet.id for packet in packets],
        [title for _, title in single],
        [packet.observed for packet in packets],
        [packet.excluded for packet in packets],
        [diagnosis for diagnosis, _ in single],
        [packet.publication for packet in packets],
    )


def _usable_packets(path: Path, reading: Reading, notes: list[str]) -> list[Phenopacket]:
    """Those with an observed feature, each id once; all others are problems."""
    packets, bad = dict[str, Phenopacket](), BadLines(path, reading, notes)
    empty = dict[int, str]()
    for number, (file, packet) in enumerate(_read_all(path), 1):
        place = file.name if file == path else file.relative_to(path).as_posix()
        if isinstance(packet, DataError):
            reason = f"{place}: {packet.reason}"
            bad.add("damaged phenopacket", number, reason, name=place)
        elif packet.id in packets:
            reason = f"{place}: the phenopacket {packet.id!r} is there twice."
            bad.add("repeated phenopacket", number, reason, name=place)
        elif not packet.observed:
            empty[number] = packet.id
        else:
            packets[packet.id] = packet
    bad.report("phenopacket")
    if empty:
        names, rows = list(empty.values()), np.array(list(empty)) - 1
        kind, text = "phenopacket without an observed feature", pa.large_string()
        values = pa.array(map(repr, names), text)
        reading.problems.add(
            Problem(kind, f"{kind}.", str(path), rows, values=values, outcome="omitted")
        )
        shown = examples(map(repr, names), len(names))
        count = plural(len(names), "phenopacket")
        notes.append(dropped(f"{count} without an observed feature omitted: {shown}."))
    if not packets and not reading.problems.open:
        what = "has an observed phenotypic feature" if empty else "(.json) is in it"
        raise DataError(f"no phenopacket {what}.", path=path)
    return list(packets.values())


def phenopacket_tables(
    path: Path, reading: Reading | None = None, *, labelled: bool = True
) -> tuple[SetTables, list[str]]:
    """Phenopackets as tables of members and labels, and what was omitted or kept apart.

    Those without exactly one diagnosis have no label where others have one.

    Args:
        path: As for :func:`read_phenopackets`.
        reading: What to do about files that cannot be used; takes them.
        labelled: Whether the diagnosis is the label; else the subgraphs have titles only.
    """
    notes = list[str]()
    usable = _usable_packets(path, reading or Reading(), notes)
    packets = _as_columns(usable)
    ids = pa.array(packets.ids, pa.string())
    labels = {"subgraph_id": ids, "title": pa.array(packets.titles, pa.string())}
    if labelled and any(diagnosis is not None for diagnosis in packets.diagnoses):
        labels["label"] = pa.array(packets.diagnoses, pa.string())
        several = [repr(packet.id) for packet in usable if len(packet.diagnoses) > 1]
        if several:
            count, shown = plural(len(several), "phenopacket"), examples(several, len(several))
            notes.append(changed(f"{count} with several diagnoses taken as unlabelled: {shown}."))
    if any(packets.publications):
        labels["publication"] = pa.array(packets.publications)
    absent = _feature_table(ids, packets.excluded)
    return SetTables(
        _feature_table(ids, packets.observed),
        pa.table(labels),
        excluded=absent if len(absent) else None,
    ), notes


def _feature_table(ids: pa.Array, features: list[tuple[str, ...]]) -> pa.Table:
    owner = np.repeat(np.arange(len(features)), list(map(len, features)))
    terms = [term for own in features for term in own]
    return pa.table(
        {
            "subgraph_id": ids.take(pa.array(owner, pa.int64())),
            "node_id": pa.array(terms, pa.string()),
        }
    )


def phenopacket_batches(path: Path) -> Iterator[SetBatch]:
    """Phenopackets as questions, some at a time; one that cannot be read says why.

    Args:
        path: As for :func:`read_phenopackets`. The number of a file stands for the line.
    """
    rows: list[_Row] = []
    start = 1
    for file, packet in _read_all(path):
        if isinstance(packet, DataError):
            rows.append(_Row(plain_name(file), f"{file.name}: {packet.reason}"))
        elif packet.observed:
            rows.append(_Row(packet.id, "", packet.observed, packet.excluded))
        else:
            rows.append(_Row(packet.id, f"{file.name}: it has no observed feature."))
        if len(rows) == _BATCH:
            yield _as_batch(rows, start)
            start, rows = start + len(rows), []
    if rows:
        yield _as_batch(rows, start)


def scan_phenopackets(path: Path) -> tuple[list[Phenopacket], list[DataError]]:
    """The phenopackets that can be read, of several with one id the first, and what is wrong.

    Args:
        path: As for :func:`read_phenopackets`.
    """
    packets, problems = dict[str, Phenopacket](), list[DataError]()
    for file, packet in _read_all(path):
        if isinstance(packet, DataError):
            problems.append(packet)
        elif packet.id in packets:
            problems.append(DataError(f"the phenopacket {packet.id!r} is there twice.", path=file))
        else:
            packets[packet.id] = packet
    return list(packets.values()), problems


def phenopacket_contents(path: Path) -> Iterator[bytes]:
    """The bytes of all files, in the order of their names, for a checksum.

    Args:
        path: As for :func:`read_phenopackets`.
    """
    for file, content in json_contents(path):
        yield file.name.encode()
        yield content if isinstance(content, bytes) else b""


class _Row(NamedTuple):
    name: str
    problem: str
    observed: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def _as_batch(rows: list[_Row], start: int) -> SetBatch:
    names, problems, observed, excluded = zip(*rows, strict=True)
    lines = range(start, start + len(rows))
    return SetBatch.of_lists(lines, names, observed, problems=problems, excluded=excluded)


def _read_all(path: Path) -> Iterator[tuple[Path, Phenopacket | DataError]]:
    """Each phenopacket with its file, or what is wrong with the file."""
    for file, content in json_contents(path):
        if isinstance(content, DataError):
            yield file, content
            continue
        try:
            messages = _find_messages(parse_json(content))
            packets = [_parse_packet(message, file) for message in messages]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = (
                error.args[0] if isinstance(error, ValueError) else "a field is not as expected"
            )
            text = " ".join(str(reason).split())
            yield file, DataError(f"this is no whole phenopacket ({text}).", path=file)
            continue
        yield from ((file, packet) for packet in packets)


def _find_messages(content: Any) -> list[dict[str, Any]]:
    """The phenopackets of a file: one, a list, the proband of a family, members of a cohort."""
    messages = content if isinstance(content, list) else [content]
    if not all(isinstance(message, dict) for message in messages):
        raise ValueError("expected an object {…}")
    found = []
    for message in messages:
        if isinstance(message.get("proband"), dict):
            found.append(message["proband"])
        elif isinstance(message.get("members"), list):
            found += _find_messages(message["members"])
        elif any(name in message for name in (*_FEATURES, "subject", "metaData", "meta_data")):
            found.append(message)
        else:
            raise ValueError("it has neither 'phenotypicFeatures' nor 'subject'")
    return found


def _get(message: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of objects, by its name in either spelling: camelCase or snake_case."""
    snake = re.sub(r"([A-Z])", lambda letter: f"_{letter[1].lower()}", name)
    values = message.get(name, message.get(snake)) or []
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise ValueError(f"'{name}' must be a list of objects")
    return values


def _term(message: dict[str, Any], field: str, what: str) -> tuple[str, str]:
    """Id and label of an ontology class."""
    term = message.get(field)
    if not isinstance(term, dict) or not isinstance(term.get("id"), str) or not term["id"].strip():
        raise ValueError(f"one of '{what}' has no {field}.id")
    return term["id"].strip(), str(term.get("label") or "")


def _parse_packet(message: dict[str, Any], file: Path) -> Phenopacket:
    observed, excluded = dict[str, None](), dict[str, None]()
    for feature in _get(message, "phenotypicFeatures"):
        absent = bool(feature.get("excluded") or feature.get("negated"))
        term, _ = _term(feature, "type", "phenotypicFeatures")
        (excluded if absent else observed)[term] = None
    name = message.get("id")
    if name is not None and not isinstance(name, str):
        raise ValueError("'id' must be text")
    return Phenopacket(
        (name or "").strip() or plain_name(file),
        tuple(observed),
        tuple(excluded),
        tuple(_find_diagnoses(message).items()),
        _find_publication(message),
    )


def _find_diagnoses(message: dict[str, Any]) -> dict[str, str]:
    """Label by id: of the diagnoses that were interpreted, else of the diseases, each once."""
    found = {}
    for interpretation in _get(message, "interpretations"):
        for diagnosis in _diagnoses_of(interpretation):
            if "disease" in diagnosis:
                disease, label = _term(diagnosis, "disease", "interpretations")
                found[disease] = label
    if found:
        return found
    diseases = [one for one in _get(message, "diseases") if not one.get("excluded")]
    return dict(_term(disease, "term", "diseases") for disease in diseases)


def _diagnoses_of(interpretation: dict[str, Any]) -> list[dict[str, Any]]:
    """One diagnosis in version 2, a list of them in version 1."""
    given = interpretation.get("diagnosis") or []
    diagnoses = given if isinstance(given, list) else [given]
    if not all(isinstance(diagnosis, dict) for diagnosis in diagnoses):
        raise ValueError("'diagnosis' must be an object")
    return diagnoses


def _find_publication(message: dict[str, Any]) -> str:
    """The first external reference with a PMID, else the first that has an id."""
    meta = message.get("metaData", message.get("meta_data")) or {}
    references = [str(one.get("id") or "") for one in _get(meta, "externalReferences")]
    pubmed = [one for one in references if one.upper().startswith("PMID:")]
    return next(iter([*pubmed, *filter(None, references)]), "")
