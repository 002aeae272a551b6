"""The two files of the Human Phenotype Ontology: ``hp.obo`` (terms), ``phenotype.hpoa`` (diseases).

They are read as text, whole; nothing of a package that carries them is imported. Terms are read by
:mod:`sub2node.io.ontology`, as those of every ontology.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from ..base.errors import DataError

ONTOLOGY, ANNOTATIONS = "hp.obo", "phenotype.hpoa"
_COLUMNS = ("database_id", "disease_name", "qualifier", "hpo_id", "frequency", "aspect")
_NEVER = "^(HP:0040285|0+(\\.0*)?( *%|/.*)?)$"  # "Excluded", "0%", "0/12"


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


def _decode(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"the file is not UTF-8 text ({error}).", path=path) from None
