"""The two files of the Human Phenotype Ontology: ``hp.obo`` (terms), ``phenotype.hpoa`` (diseases).

They are read as text, whole; nothing of a package that carries them is imported.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order

from ..base.errors import DataError
from ..base.ragged import Array

ONTOLOGY, ANNOTATIONS = "hp.obo", "phenotype.hpoa"
_COLUMNS = ("database_id", "disease_name", "qualifier", "hpo_id", "frequency", "aspect")
_NEVER = "^(HP:0040285|0+(\\.0*)?( *%|/.*)?)$"  # "Excluded", "0%", "0/12"


@dataclass(frozen=True)
class PhenotypeOntology:
    """The terms of an OBO file.

    Args:
        version: The release, as the file names it.
        titles: The name of each term that is in use, by id.
        links: Term and broader term, one pair per ``is_a`` line.
        replaced: The id that another one stands for: alternative ids, and replaced terms.
    """

    version: str
    titles: dict[str, str]
    links: list[tuple[str, str]]
    replaced: dict[str, str]

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
        ends = pc.index_in(
            pa.array([end for link in self.links for end in link], pa.string()),
            value_set=pa.array(ids, pa.string()),
        )
        # A broader term that the file does not have, or no longer uses, joins nothing.
        pairs = ends.fill_null(-1).to_numpy().reshape(-1, 2).T
        pairs = pairs[:, (pairs >= 0).all(axis=0)]
        down = sp.csr_array((np.ones(pairs.shape[1]), pairs[::-1]), shape=(len(ids), len(ids)))
        reached = breadth_first_order(down, ids.index(root), return_predecessors=False)
        place = np.full(len(ids), -1)
        place[np.sort(reached)] = np.arange(len(reached))
        inside = place[pairs]
        return [ids[i] for i in np.sort(reached)], inside[:, (inside >= 0).all(axis=0)]


def parse_ontology(content: bytes, path: Path) -> PhenotypeOntology:
    """The terms of an OBO file.

    Args:
        content: The bytes of the file.
        path: Its name, for errors.
    """
    header, *stanzas = re.split(r"^\[", _decode(content, path), flags=re.MULTILINE)
    version = re.search(r"^data-version: *(\S+)", header, re.MULTILINE)
    if version is None:
        raise DataError("the file names no release (a line 'data-version: …').", path=path)
    titles, links, replaced = dict[str, str](), list[tuple[str, str]](), dict[str, str]()
    for stanza in stanzas:
        kind, *lines = stanza.splitlines()
        if kind.strip() != "Term]":
            continue
        tags = defaultdict[str, list[str]](list)
        for tag, _, value in (line.partition(": ") for line in lines):
            tags[tag].append(value.strip())
        if not tags["id"]:
            raise DataError("a term has no id.", path=path)
        term = tags["id"][0]
        if "true" in tags["is_obsolete"]:
            if tags["replaced_by"]:
                replaced[term] = _first_word(tags["replaced_by"][0])
            continue
        titles[term] = (tags["name"] or [term])[0]
        links += [(term, _first_word(value)) for value in tags["is_a"]]
        replaced |= {_first_word(value): term for value in tags["alt_id"]}
    return PhenotypeOntology(version[1], titles, links, replaced)


@dataclass(frozen=True)
class DiseaseAnnotations:
    """Which terms a disease has.

    Args:
        version: The release, as the file names it.
        rows: One row per annotation, as text: ``database_id``, ``disease_name``, ``qualifier``,
            ``hpo_id``, ``frequency``, ``aspect``.
    """

    version: str
    rows: pa.Table

    def present(self, source: str) -> pa.Table:
        """Phenotypes that a disease of a source has: no other aspects, none that never occur.

        Args:
            source: The database that names the disease, such as ``OMIM``.
        """
        rows = self.rows
        chosen = pc.and_(
            pc.starts_with(rows["database_id"], f"{source}:"), pc.equal(rows["aspect"], "P")
        )
        denied = pc.or_(
            pc.match_substring_regex(rows["qualifier"], r"\bNOT\b"),
            pc.match_substring_regex(rows["frequency"], _NEVER),
        )
        return rows.filter(pc.and_not(chosen, denied))


def parse_annotations(content: bytes, path: Path) -> DiseaseAnnotations:
    """The rows of an HPOA file.

    Args:
        content: The bytes of the file.
        path: Its name, for errors.
    """
    start = re.search(rb"^[^#\s]", content, re.MULTILINE)
    header = _decode(content[: start.start() if start else None], path)
    version = re.search(r"^#(?:version|date): *(\S+)", header, re.MULTILINE)
    if start is None or version is None:
        what = "rows" if start is None else "release (a line '#version: …')"
        raise DataError(f"the file has no {what}.", path=path)
    try:
        rows = pacsv.read_csv(
            pa.py_buffer(content[start.start() :]),
            parse_options=pacsv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=pacsv.ConvertOptions(
                include_columns=_COLUMNS, column_types=dict.fromkeys(_COLUMNS, pa.string())
            ),
        )
    except (pa.ArrowException, KeyError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no table of annotations ({reason}).", path=path) from None
    return DiseaseAnnotations(version[1], rows)


def _first_word(value: str) -> str:
    """An id without the remark after it: ``HP:0001507 ! Growth abnormality``."""
    return value.split(maxsplit=1)[0] if value else ""


def _decode(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"the file is not UTF-8 text ({error}).", path=path) from None
