"""Excel workbooks: what is read, and what is refused."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sub2node import DataError, load_task
from sub2node.io.excel import read_excel

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = (
    f'<styleSheet {MAIN}><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/>'
    '<numFmt numFmtId="165" formatCode="0.0&quot;d&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/>'
    "</cellXfs></styleSheet>"
)


def workbook(
    path: Path, sheets: dict[str, str], shared: str = "", merged: str = "", **files: str
) -> Path:
    """A workbook with these rows, as XML, by the names of the sheets."""
    listed, links = "", ""
    with zipfile.ZipFile(path, "w") as archive:
        for i, (name, rows) in enumerate(sheets.items(), 1):
            listed += f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>'
            links += f'<Relationship Id="r{i}" Target="worksheets/sheet{i}.xml"/>'
            cells = f'<mergeCells><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
            data = f"<worksheet {MAIN}><sheetData>{rows}</sheetData>{cells}</worksheet>"
            archive.writestr(f"xl/worksheets/sheet{i}.xml", data)
        book = f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
        archive.writestr("xl/workbook.xml", files.get("book", book))
        archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{links}</Relationships>")
        archive.writestr("xl/styles.xml", STYLES)
        if shared:
            archive.writestr("xl/sharedStrings.xml", f"<sst {MAIN}>{shared}</sst>")
    return path


def row(*values: object) -> str:
    """Cells with text inline and numbers as they are; None: no cell."""
    cells = ""
    for column, value in zip("ABCDEF", values, strict=False):
        if isinstance(value, str):
            cells += f'<c r="{column}1" t="inlineStr"><is><t>{value}</t></is></c>'
        elif value is not None:
            cells += f'<c r="{column}1"><v>{value}</v></c>'
    return f"<row>{cells}</row>"


def test_a_folder_of_workbooks(tmp_path: Path) -> None:
    edges = row("source", "target", "weight") + row("a", "b", 1.5) + row("b", "c", 2) + "<row/>"
    members = row("subgraph_id", "node_id") + row(7, "a") + row(7, "b") + row(8, "c")
    labels = row("subgraph_id", "label") + row(7, "x") + row(8, None)
    workbook(tmp_path / "edges.xlsx", {"Other": row("x"), "Edges": edges})
    workbook(tmp_path / "members.xlsx", {"Sheet1": members})
    workbook(tmp_path / "labels.xlsx", {"labels": labels})
    task = load_task(tmp_path)
    assert (task.members("7"), task.class_names) == (["a", "b"], ("x",))
    assert task.unlabelled.subgraph_ids == ["8"]
    assert sorted(task.graph.edges()[2].tolist()) == [1.5, 2]


def test_every_kind_of_cell(tmp_path: Path) -> None:
    shared = (
        "<si><t>name</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si>"
    )
    cells = [
        '<c r="A2" t="s"><v>1</v></c>', '<c r="B2" s="1"><v>45000</v></c>',
        '<c r="C2" s="2"><v>45000.5</v></c>', '<c r="D2" s="3"><v>3</v></c>',
        '<c r="E2" t="b"><v>1</v></c>', '<c r="AA2" t="e"><v>#N/A</v></c>',
    ]  # fmt: skip
    header = row("", "day", "time", "number", "yes").replace(
        '<c r="A1" t="inlineStr"><is><t></t></is></c>', '<c r="A1" t="s"><v>0</v></c>'
    )
    path = workbook(tmp_path / "a.xlsx", {"s": header + f"<row>{''.join(cells)}</row>"}, shared)
    table = read_excel(path, "nodes", is_text=lambda name, names: name == "name")
    assert table.to_pylist() == [
        {"name": "rich text", "day": "2023-03-15", "time": "2023-03-15T12:00:00",
         "number": 3.0, "yes": "true"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("book", "message"),
    [
        ('<!DOCTYPE x [<!ENTITY a "b">]><workbook/>', "declares entities"),
        ("<workbook", "no whole Excel workbook"),
        (f"<workbook {MAIN}/>", "no whole Excel workbook"),
    ],
)
def test_what_is_no_workbook(tmp_path: Path, book: str, message: str) -> None:
    path = workbook(tmp_path / "a.xlsx", {"s": row("a")}, book=book)
    with pytest.raises(DataError, match=message):
        read_excel(path, "edges", is_text=lambda *_: True)
    path.write_bytes(b"PK nonsense")
    with pytest.raises(DataError, match="no whole Excel workbook"):
        read_excel(path, "edges", is_text=lambda *_: True)
    workbook(path, {"s": ""})
    with pytest.raises(DataError, match="the sheet is empty"):
        read_excel(path, "edges", is_text=lambda *_: True)


def test_one_workbook_is_a_task(tmp_path: Path) -> None:
    people = row("Registry") + row("patient", "diagnosis") + row(7, "x") + row(8, "y")
    findings = row("Patient", "Term") + row(7, "a") + row(None, "b") + row(8, "c")
    graph = row("child", "parent") + row("a", "b") + row("b", "c")
    sheets = {"People": people, "Findings": findings, "Terms": graph}
    path = workbook(tmp_path / "registry.xlsx", sheets, merged="A2:A3")
    task = load_task(path)
    assert (task.members("7"), task.members("8")) == (["a", "b"], ["c"])
    assert (task.class_names, task.name) == (("x", "y"), "registry")
    notes = " ".join(task.notes)
    assert "the members are read from the sheet 'Findings' of registry.xlsx, not from" in notes
    assert "Lines of registry.xlsx before its header skipped: 'Registry'." in notes
    workbook(path, {**sheets, "Terms": graph + row("c", None)}, merged="A2:A3")
    with pytest.raises(DataError, match=r"registry\.xlsx:4: edges column 'parent' is missing"):
        load_task(path)


def test_days_since_1904_and_values_outside_of_the_header(tmp_path: Path) -> None:
    book = (
        f'<workbook {MAIN} xmlns:r="{OFFICE}"><workbookPr date1904="1"/><sheets>'
        '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>'
    )
    rows = row("day", "n") + '<row><c r="A2" s="1"><v>1</v></c><c r="C2"><v>5</v></c></row>'
    path = workbook(tmp_path / "a.xlsx", {"s": rows}, book=book)
    table = read_excel(path, "nodes", is_text=lambda *_: False)
    assert table.to_pylist() == [{"day": "1904-01-02", "n": None, "column 3": 5.0}]
