"""The annotations of the HPO, on a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import DataError
from sub2node.datasets.phenotype_files import parse_annotations

HEAD = "database_id\tdisease_name\tqualifier\thpo_id\treference\tfrequency\taspect"
ROWS = """\
OMIM:1\tName\t\tHP:3\tx\t1/2\tP
OMIM:1\tName\tNOT\tHP:5\tx\t\tP
OMIM:1\tName\t\tHP:5\tx\t0/12\tP
OMIM:1\tName\t\tHP:5\tx\t0%\tP
OMIM:1\tName\t\tHP:5\tx\t0.0 %\tP
OMIM:1\tName\t\tHP:5\tx\tHP:0040285\tP
OMIM:1\tName\t\tHP:7\tx\t\tI
ORPHA:1\tName\t\tHP:3\tx\t\tP
OMIM:2\tA "name\t\tHP:2\tx\t0.5%\tP
OMIM:2\tA "name\t\tHP:3\tx\tHP:0040284\tP
OMIM:2\tA "name\t\tHP:4\tx\t10/10\tP
"""


def test_annotations_that_a_disease_has() -> None:
    content = f"#description: x\n#version: 2000-01-02\n{HEAD}\n{ROWS}".encode()
    annotations = parse_annotations(content, Path("phenotype.hpoa"))
    assert annotations.version == "2000-01-02"
    assert annotations.rows.num_rows == 11
    present = annotations.present("OMIM").to_pydict()
    assert list(zip(present["database_id"], present["hpo_id"], strict=True)) == [
        ("OMIM:1", "HP:3"), ("OMIM:2", "HP:2"), ("OMIM:2", "HP:3"), ("OMIM:2", "HP:4"),
    ]  # fmt: skip
    assert present["disease_name"][-1] == 'A "name'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no rows"),
        (b"#version: 1\n", "no rows"),
        (f"{HEAD}\n{ROWS}".encode(), "no release"),
        (b"#version: 1\nx\ty\n1\t2\n", "no table of annotations"),
        (f"#version: 1\n{HEAD}\nOMIM:1\tx\n".encode(), "no table of annotations"),
        (b"#version: \xff\n", "not UTF-8"),
    ],
)
def test_files_that_are_no_annotations(content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=rf"a\.hpoa: .*{words}"):
        parse_annotations(content, Path("a.hpoa"))
