"""Ontologies: OBO files and OBO Graphs JSON, their terms, links, and other ids of terms.

OBO: https://owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html, OBO Graphs:
https://github.com/geneontology/obographs. Terms that are obsolete are no nodes; those that were
merged or replaced stand for the term in use.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order

from ..base.errors import DataError
from ..base.ragged import Array
from ..base.structured_text import parse_json
from ..task import Graph, Names
from ..task.other_names import alias_table
from ..task.reading_options import Reading
from .bad_lines import BadLines, StrictLines
from .text_files import PACKED

ONTOLOGIES = tuple(f"{kind}{packed}" for packed in ("", *PACKED) for kind in (".obo", ".json"))
PART_OF = ("part_of", "BFO:0000050")
_ALTERNATIVE, _REPLACED = "hasAlternativeId", "IAO_0100001"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")
_IRI = re.compile(r"^https?://.*[/#]([A-Za-z][\w.-]*)_([^/#_]+)$")


@dataclass(frozen=True)
class Ontology:
    """The terms of an ontology that are in use, and the ids that others stand for.

    Args:
        version: The release, as the file names it; "" where it does not.
        titles: The name of each term that is in use, by id.
        links: Term and broader term, one pair per ``is_a`` link.
        replaced: The id that another one stands for: alternative ids, and replaced terms.
        parts: Term and what it is a part of, one pair per ``part_of`` link.
        synonyms: Term and another name of it.
    """

    version: str
    titles: dict[str, str]
    links: list[tuple[str, str]]
    replaced: dict[str, str]
    parts: list[tuple[str, str]] = field(default_factory=list)
    synonyms: list[tuple[str, str]] = field(default_factory=list)

    def resolve(self, term: str) -> str | None:
        """The id in use that an id stands for, through any number of replacements; else None."""
        seen = {term}
        while term not in self.titles:
            term = self.replaced.get(term, term)
            if term in seen:
                return None
            seen.add(term)
        return term

    def below(self, root: str) -> tuple[list[str], Array]:
        """A term with all that are narrower, and the links between them.

        Args:
            root: The id of the broadest term.

        Returns:
            The ids, ascending, and the positions of both ends of each link, narrower first: (2, E).
        """
        if root not in self.titles:
            raise DataError(f"the ontology has no term {root}.")
        ids = sorted(self.titles)
        pairs = _positions(self.links, ids)
        down = sp.csr_array((np.ones(pairs.shape[1]), pairs[::-1]), shape=(len(ids), len(ids)))
        reached = breadth_first_order(down, ids.index(root), return_predecessors=False)
        place = np.full(len(ids), -1)
        place[np.sort(reached)] = np.arange(len(reached))
        inside = place[pairs]
        return [ids[i] for i in np.sort(reached)], inside[:, (inside >= 0).all(axis=0)]

    def graph(self) -> Graph:
        """All terms in use with all their names, joined by ``is_a`` and ``part_of``."""
        ids = sorted(self.titles)
        return Graph.from_edges(
            *_positions(self.links + self.parts, ids),
            num_nodes=len(ids),
            names=Names(ids),
            titles=Names(self.titles[term] for term in ids),
        ).with_other_names(self.aliases())

    def aliases(self) -> pa.Table:
        """Alternative and replaced ids and synonyms, as a table of aliases."""
        former = [(self.resolve(term), term) for term in self.replaced]
        known = [(now, term) for now, term in former if now is not None]
        return alias_table({"former id": known, "synonym": self.synonyms})


def _positions(links: list[tuple[str, str]], ids: list[str]) -> Array:
    """Both ends of each link as positions, (2, E); a term that is not in use joins nothing."""
    ends = pc.index_in(
        pa.array([end for link in links for end in link], pa.string()),
        value_set=pa.array(ids, pa.string()),
    )
    pairs = ends.fill_null(-1).to_numpy().reshape(-1, 2).T
    return np.asarray(pairs[:, (pairs >= 0).all(axis=0)])


def parse_ontology(content: bytes, path: Path, bad: BadLines | None = None) -> Ontology:
    """The terms of an OBO file, or of an OBO Graphs file (JSON).

    Args:
        content: The bytes of the file, unpacked.
        path: Its name, for errors.
        bad: Takes the lines of terms without an id; None: the first of them is an error.
    """
    bad = StrictLines(path, Reading()) if bad is None else bad
    if content.lstrip()[:1] == b"{":
        ontology = _parse_obo_graphs(content, path)
    else:
        ontology = _parse_obo(_decode(content, path), bad)
    if not ontology.titles and not bad.count:
        raise DataError(
            "there is no term in it; expected an OBO file ('[Term]', 'id: …') or OBO Graphs JSON.",
            path=path,
        )
    return ontology


def _parse_obo(text: str, bad: BadLines) -> Ontology:
    header, *stanzas = re.split(r"^\[", text, flags=re.MULTILINE)
    version = re.search(r"^data-version: *(\S+)", header, re.MULTILINE)
    ontology = Ontology(version[1] if version else "", {}, [], {})
    after = header.count("\n") + 1
    for stanza in stanzas:
        first, after = after, after + stanza.count("\n")
        kind, *lines = stanza.splitlines()
        if kind.strip() != "Term]":
            continue
        tags = defaultdict[str, list[str]](list)
        for tag, _, value in (line.partition(": ") for line in lines):
            tags[tag].append(value.strip())
        if not tags["id"]:
            bad.add("term without an id", first, "a term has no id.")
            continue
        term = tags["id"][0]
        if "true" in tags["is_obsolete"]:
            if tags["replaced_by"]:
                ontology.replaced[term] = _first_word(tags["replaced_by"][0])
            continue
        ontology.titles[term] = _unescape((tags["name"] or [term])[0])
        ontology.links.extend((term, _first_word(value)) for value in tags["is_a"])
        ontology.replaced.update((_first_word(value), term) for value in tags["alt_id"])
        for relation, other in (f"{value} . .".split()[:2] for value in tags["relationship"]):
            if relation in PART_OF:
                ontology.parts.append((term, other))
        quoted = (_QUOTED.match(value) for value in tags["synonym"])
        ontology.synonyms.extend((term, _unescape(match[1])) for match in quoted if match)
    return ontology


def _parse_obo_graphs(content: bytes, path: Path) -> Ontology:
    try:
        graphs = parse_json(content)["graphs"]
        return _read_obo_graphs(graphs)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = str(error) if isinstance(error, ValueError) else "'graphs', 'nodes' or 'edges'"
        raise DataError(
            f"this is no OBO Graphs file ({reason.splitlines()[0]} is not as expected).", path=path
        ) from None


def _read_obo_graphs(graphs: list[dict[str, Any]]) -> Ontology:
    meta = graphs[0].get("meta", {}) if graphs else {}
    ontology = Ontology(str(meta.get("version", "")), {}, [], {})
    for graph in graphs:
        for node in graph.get("nodes", []):
            _add_node(ontology, node)
        for edge in graph.get("edges", []):
            pair = (_short_id(edge["sub"]), _short_id(edge["obj"]))
            if edge["pred"] in ("is_a", "subClassOf"):
                ontology.links.append(pair)
            elif _short_id(edge["pred"]) in PART_OF:
                ontology.parts.append(pair)
    return ontology


def _add_node(ontology: Ontology, node: dict[str, Any]) -> None:
    """Put one node of OBO Graphs with the others: a term in use, or one that was replaced."""
    if node.get("type", "CLASS") != "CLASS":
        return
    term, meta = _short_id(node["id"]), node.get("meta", {})
    values = [(value["pred"], value["val"]) for value in meta.get("basicPropertyValues", [])]
    if meta.get("deprecated"):
        newer = [value for pred, value in values if pred.endswith(_REPLACED)]
        ontology.replaced.update((term, _short_id(value)) for value in newer[:1])
        return
    if "lbl" not in node and "meta" not in node:
        return  # a term of another ontology, which an edge names
    ontology.titles[term] = str(node.get("lbl", term))
    former = [_short_id(value) for pred, value in values if pred.endswith(_ALTERNATIVE)]
    ontology.replaced.update(dict.fromkeys(former, term))
    ontology.synonyms.extend((term, str(known["val"])) for known in meta.get("synonyms", []))


def _short_id(iri: str) -> str:
    """``HP:0000118`` for ``http://purl.obolibrary.org/obo/HP_0000118``."""
    match = _IRI.match(iri)
    return f"{match[1]}:{match[2]}" if match else iri


def _first_word(value: str) -> str:
    """An id without the remark after it: ``HP:0001507 ! Growth abnormality``."""
    return value.split(maxsplit=1)[0] if value else ""


def _unescape(value: str) -> str:
    """Text of an OBO file as people read it; a line end or a tab in it becomes a space."""
    if "\\" not in value:
        return value
    return _ESCAPED.sub(lambda match: " " if match[1] in "nWt" else match[1], value)


def _decode(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"the file is not UTF-8 text ({error}).", path=path) from None
