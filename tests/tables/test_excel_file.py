"""Excel files: every workbook is a table, and no cell changes how another row is read."""

from __future__ import annotations

import datetime as dt
import math
import tracemalloc
import zipfile
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli_command import run
from leastnoise import Count, ExcelFile, Mean, ask
from leastnoise.errors import ArgumentError, LeastnoiseError
from leastnoise.tables.ask import prepare
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import bounded_xml, open_table, opened
from leastnoise.tables.sources.workbook import Workbook
from leastnoise.tables.unit import Row

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("duckdb")

FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def workbook(path, rows, title="Sheet", **sheets):
    """A workbook of these rows, written by openpyxl; others behind it by their names."""
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    for name, others in sheets.items():
        sheet = book.create_sheet(name)
        for row in others:
            sheet.append(row)
    book.save(path)
    return path


def by_hand(path, cells, strings="", styles="", absolute=False):
    """A workbook of one row of names and one of these cells, as other programs may write it."""
    sheet = f"<sheetData><row><c t='inlineStr'><is><t>a</t></is></c></row>{cells}</sheetData>"
    target = "/xl/worksheets/one.xml" if absolute else "worksheets/one.xml"
    parts = {
        "_rels/.rels": f"<Relationships xmlns='{PACKAGE}'><Relationship Id='r' "
        f"Type='{LINKS}/officeDocument' Target='xl/workbook.xml'/></Relationships>",
        "xl/workbook.xml": f"<workbook xmlns='{MAIN}' xmlns:r='{LINKS}'><sheets>"
        "<sheet name='S' sheetId='1' r:id='r1'/></sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships xmlns='{PACKAGE}'>"
        f"<Relationship Id='r1' Type='{LINKS}/worksheet' Target='{target}'/>"
        f"<Relationship Id='r2' Type='{LINKS}/sharedStrings' Target='s.xml'/>"
        f"<Relationship Id='r3' Type='{LINKS}/styles' Target='t.xml'/></Relationships>",
        "xl/worksheets/one.xml": f"<worksheet xmlns='{MAIN}'>{sheet}</worksheet>",
        "xl/s.xml": f"<sst xmlns='{MAIN}'>{strings}</sst>",
        "xl/t.xml": f"<styleSheet xmlns='{MAIN}'>{styles}</styleSheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def read(file):
    file = file if isinstance(file, ExcelFile) else ExcelFile(file)
    return [tuple(row.values()) for batch in file.batches() for row in batch.to_pylist()]


def test_cells_are_read_by_their_own_values(tmp_path):
    rows = [
        ["text", "number", "day", "flag", "x"],
        ["Süd", 0.1, dt.datetime(2024, 5, 1), True, "1.174"],
        ["  b ", 3, dt.datetime(2024, 5, 1, 10, 30), False, "=1+1"],
        [None, -1e300, dt.date(2024, 12, 31), None, "#N/A"],
        ["", 12, dt.time(12, 30), None, dt.timedelta(hours=36)],
        [None] * 5,
        ["a\nb", 10**15, dt.datetime(1900, 1, 1), None, dt.datetime(2024, 1, 1, 0, 0, 0, 500000)],
    ]
    assert read(workbook(tmp_path / "t.xlsx", rows)) == [
        ("Süd", "0.1", "2024-05-01", "true", "1.174"),
        ("  b ", "3", "2024-05-01 10:30:00", "false", None),
        (None, "-1e+300", "2024-12-31", None, None),
        (None, "12", "12:30:00", None, "1.5"),
        ("a\nb", "1000000000000000", "1900-01-01", None, "2024-01-01 00:00:00.500000"),
    ]


NAMED = "<numFmts><numFmt numFmtId='200' formatCode='{}'/></numFmts>"
FORMATS = "<cellXfs><xf numFmtId='0'/><xf numFmtId='200'/><xf numFmtId='14'/></cellXfs>"


@pytest.mark.parametrize(
    ("code", "dated"),
    [
        ("yyyy-mm-dd", True),
        ("[$-407]d. mmmm yyyy", True),
        ("hh:mm", True),
        ("0.00", False),
        ("#,##0 &quot;days&quot;", False),
        ("General", False),
        ("0.00E+00", False),
        ("[h]:mm", False),
        ("[Red]0;[Blue]-0", False),
        ("0\\d", False),
        ("@", False),
    ],
)
def test_a_format_alone_makes_a_number_a_date(tmp_path, code, dated):
    path = by_hand(
        tmp_path / "t.xlsx", "<row><c s='1'><v>45000</v></c></row>",
        styles=NAMED.format(code) + FORMATS,
    )  # fmt: skip
    assert read(path) == [("2023-03-15",) if dated else ("45000",)]


HOSTILE = {
    "<c><v>1e999</v></c>": None,
    "<c><v>nan</v></c>": None,
    "<c><v>seven</v></c>": None,
    "<c/>": None,
    "<c><f>A1</f></c>": None,
    "<c t='s'><v>7</v></c>": None,
    "<c t='s'><v>-1</v></c>": None,
    f"<c t='s'><v>{'9' * 5000}</v></c>": None,
    "<c t='s'><v>0</v></c>": "shared text",
    "<c t='s'><v>1</v></c>": "a\rb_x",
    "<c t='s'><v>2</v></c>": None,
    "<c t='e'><v>#N/A</v></c>": None,
    "<c t='b'><v>2</v></c>": None,
    "<c t='d'><v>2024-05-01T10:00:00Z</v></c>": "2024-05-01 10:00:00",
    "<c t='d'><v>yesterday</v></c>": None,
    "<c t='??'><v>1</v></c>": None,
    "<c s='2'><v>1e17</v></c>": None,
    "<c s='2'><v>-5</v></c>": None,
    "<c s='2'><v>2958466</v></c>": None,
    "<c s='2'><v>2958465</v></c>": "9999-12-31",
    f"<c s='{'9' * 5000}'><v>45000</v></c>": "45000",
    f"<c t='inlineStr'><is><t>{'a' * (1 << 20)}b</t></is></c>": None,
    "<c t='str'><v>x</v></c>": "x",
}
STRINGS = (
    "<si><r><rPr/><t>shared </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si>"
    "<si><t>a_x000D_b_x005F_x</t></si><si><t>_xD800_</t></si>"
)


@pytest.mark.parametrize("cell", HOSTILE, ids=range(len(HOSTILE)))
def test_no_cell_is_a_reason_to_fail(tmp_path, cell):
    beside = "<row><c t='inlineStr'><is><t>other</t></is></c></row>"
    path = by_hand(
        tmp_path / "t.xlsx", f"{beside}<row>{cell}</row>{beside}", STRINGS, FORMATS, absolute=True
    )
    said = [] if HOSTILE[cell] is None else [(HOSTILE[cell],)]
    assert read(path) == [("other",), *said, ("other",)]
    assert ask(path, Count(), epsilon=15).value >= 0


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**52), 2**52),
    st.floats(-9e307, 9e307),  # as a workbook can hold
    st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=5).filter(
        lambda text: not text.startswith("=")
    ),
    st.datetimes(dt.datetime(1901, 1, 1), dt.datetime(9999, 12, 30)).map(
        lambda one: one.replace(microsecond=0)
    ),
)


def expected(value):
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.datetime):
        return str(value.date()) if value.time() == dt.time() else str(value)
    if isinstance(value, str):
        return None if value.startswith("#") and value.endswith(("!", "?", "A", "0!")) else value
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))


@FEW
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=6), st.data())
def test_rows_are_those_that_were_written_and_no_row_changes_another(tmp_path, rows, data):
    head = ("a", "b", "c")
    found = read(workbook(tmp_path / "t.xlsx", [head, *rows]))
    wanted = [tuple(map(expected, row)) for row in rows]
    wanted = [row for row in wanted if any(one is not None for one in row)]
    for have, want in zip(found, wanted, strict=True):
        for one, two in zip(have, want, strict=True):
            same = one == two
            assert same or math.isclose(float(one), float(two), rel_tol=1e-15), (one, two)
    at = data.draw(st.integers(0, len(rows)))
    left = read(workbook(tmp_path / "u.xlsx", [head, *rows[:at], *rows[at + 1 :]]))
    without = [row for k, row in enumerate(rows) if k != at and any(map(expected, row))]
    assert len(left) == len(without)
    here = len([row for row in rows[:at] if any(map(expected, row))])
    assert left == found[:here] + found[here + len(wanted) - len(without) :]


def test_the_header_may_stand_below_a_title(tmp_path):
    rows = [["Costs of 2024"], [], ["Ward", "Cost\n(EUR)", None, "x"], ["Nord", 1, "no name", 2]]
    path = workbook(tmp_path / "t.xlsx", rows)
    file = ExcelFile(path, header=3)
    assert file.names() == ["Ward", "Cost (EUR)", "x"] and read(file) == [("Nord", "1", "2")]
    for header in (2, 9):
        with pytest.raises(ArgumentError, match=r"^header must be the number of the row"):
            ExcelFile(path, header=header).names()
    with pytest.raises(ArgumentError, match="duplicate"):
        ExcelFile(workbook(tmp_path / "u.xlsx", [["a", "A"]])).names()


def test_the_number_of_rows_is_never_public(tmp_path):
    """A row whose only value becomes an error or is removed is no row: the number would tell."""
    counts = set()
    for last in (3, None, "#N/A"):
        path = workbook(tmp_path / "t.xlsx", [["x"], [1], [2], [last]])
        with opened(path) as table:
            counts.add(table.engine.count(table.relation))
            asked = Mean("x", low=0, high=5, nulls="middle")
            setting = Setting(Row(), "replace")
            budget = QueryBudget(Fraction(1), Fraction(0))
            ready = prepare(table, asked, setting, budget, "l1", None, lambda _: None)
            assert ready.setting.size is None
    assert counts == {2, 3}


def test_no_row_below_that_of_the_names_is_looked_for(tmp_path, monkeypatch):
    path, seen, rows = tmp_path / "t.xlsx", [], Workbook._rows
    workbook(path, [["title"], [], *([k] for k in range(50))])

    def looked(self, sheet):
        for number, cells in rows(self, sheet):
            seen.append(number)
            yield number, cells

    monkeypatch.setattr(Workbook, "_rows", looked)
    with pytest.raises(ArgumentError, match="the number of the row"):
        ExcelFile(path, header=2).names()
    assert seen == [1, 3]


LARGE = {"a long string": f"<t>{'x' * (8 << 20)}</t>", "many runs": "<r><t>x</t></r>" * 60_000}


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("shared", [True, False])
def test_a_cell_takes_no_memory_and_is_missing_in_its_row_alone(
    tmp_path, monkeypatch, large, shared
):
    """Strings of all rows were held to read the names: whether that failed was free to know."""
    monkeypatch.setattr(bounded_xml, "_LARGEST", 1 << 20)
    inside = "<c t='s'><v>1</v></c>" if shared else f"<c t='inlineStr'><is>{LARGE[large]}</is></c>"
    cells = f"<row><c t='s'><v>0</v></c></row><row>{inside}</row><row><c><v>7</v></c></row>"
    strings = f"<si><t>b</t></si><si>{LARGE[large] if shared else ''}</si>"
    path = by_hand(tmp_path / "t.xlsx", cells, strings)
    assert read(by_hand(tmp_path / "u.xlsx", "<row><c><v>7</v></c></row>")) == [("7",)]  # (imports)
    tracemalloc.start()
    try:
        assert ExcelFile(path, header=2).names() == ["b"]
        assert read(path) == [("b",), ("7",)]
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()


def test_a_sheet_of_several_is_named(tmp_path):
    path = workbook(tmp_path / "t.xlsx", [["a"], [1]], title="2023", other=[["b"], [2], [3]])
    for sheet in (None, "third"):
        with pytest.raises(ArgumentError, match=r"^sheet must be one of '2023', 'other'"):
            ExcelFile(path, sheet=sheet).names()
    assert ExcelFile(path, sheet="other").names() == ["b"]
    book = openpyxl.load_workbook(path)
    book["other"].sheet_state = "hidden"
    book.save(path)
    assert ExcelFile(path).names() == ["a"] and ExcelFile(path).sheets() == ["2023"]


def test_what_is_no_workbook_is_rejected_before_the_charge(tmp_path):
    other = tmp_path / "t.xlsx"
    with zipfile.ZipFile(tmp_path / "empty.xlsx", "w") as archive:
        archive.writestr("x", "y")
    other.write_text("a,b\n1,2\n")
    for path in (other, tmp_path / "empty.xlsx"):
        with pytest.raises(LeastnoiseError, match=r"an \.xlsx workbook"):
            open_table(path)


def test_answers_are_those_of_the_same_csv_file(tmp_path):
    rows = [["region", "pay"], *([("north", "south")[k % 2], float(k)] for k in range(400))]
    path = workbook(tmp_path / "t.xlsx", rows)
    table = open_table(path)
    assert table.name == "t.xlsx" and table.schema() == {"region": "text", "pay": "text"}
    table.close()
    answer = ask(
        path, Mean("pay", low=0, high=400, by="region", keys=["north", "south"]), epsilon=15
    )
    assert all(abs(value - 199.5) < 20 for value in answer.value.values())
    replaced = ask(path, Count(where="region = 'north'"), epsilon=15, neighbors="replace")
    assert abs(replaced.value - 200) < 5


def test_the_command_line_reads_a_sheet(tmp_path):
    rows = [["title"], ["region", "pay"], *(["north", k] for k in range(50))]
    path = workbook(tmp_path / "t.xlsx", [["x"]], pay=rows)
    options = ["--sheet", "pay", "--header", 2]
    found = run("columns", path, *options)
    assert found.returncode == 0 and "region" in found.stdout and "encoding" not in found.stdout
    found = run("ask", path, "count()", "--epsilon", 5, *options)
    assert found.returncode == 0
    found = run("ask", path, "count()", "--epsilon", 5)
    assert found.returncode == 2 and "--sheet must be one of 'x', 'pay'" in found.stderr.replace(
        "'Sheet'", "'x'"
    )
    found = run("columns", path, "--delimiter", ";")
    assert found.returncode == 2 and "a CSV file that exists" in found.stderr
    (tmp_path / "t.csv").write_text("a\n1\n")
    found = run("columns", tmp_path / "t.csv", "--sheet", "x")
    assert found.returncode == 2 and "an Excel file that exists" in found.stderr
