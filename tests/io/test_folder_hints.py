"""A folder whose files are called otherwise: the error names a command that reads them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from small_models import s2n
from sub2node.io.folder_hints import describe_files


def test_the_command_works(tmp_path: Path) -> None:
    pq.write_table(pa.table({"Payer": ["a", "b"], "Payee": ["b", "c"]}), tmp_path / "trans.parquet")
    (tmp_path / "case accounts.csv").write_text("case_id;account\n1;a\n2;c\n")
    (tmp_path / "cases.csv").write_text("number,verdict,x\n1,x,a\n2,y,b\n")
    (tmp_path / "notes.txt").write_text("nothing to see\n")
    hint = describe_files(tmp_path)
    command = hint.partition(": s2n ")[2].removesuffix(" reads them.")
    done = s2n(*shlex.split(command))
    assert "--column labels.subgraph_id=number" in done.out


def test_gene_sets_and_aliases(tmp_path: Path) -> None:
    (tmp_path / "a.gmt").write_text("s\tx\tTP53\n")
    (tmp_path / "links.txt").write_text("protein1 protein2 combined_score\n")
    (tmp_path / "aliases.txt").write_text("#string_protein_id\talias\tsource\n")
    folder = shlex.quote(str(tmp_path))
    assert describe_files(tmp_path).endswith(
        f"s2n doctor {folder}/a.gmt --graph {folder}/links.txt --aliases {folder}/aliases.txt reads"
        " them."
    )


def test_nothing_to_say(tmp_path: Path) -> None:
    assert describe_files(tmp_path) == ""
    (tmp_path / "a.csv").write_text("x,y\n")
    assert describe_files(tmp_path) == (
        " It has a.csv: call them edges, members and labels, or name them (--graph)."
    )
