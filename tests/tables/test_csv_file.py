"""CSV files: every file is a table, and no record changes how another is read."""

import csv
import gzip
import io
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leastnoise import CsvFile
from leastnoise.errors import ArgumentError, LeastnoiseError
from leastnoise.tables.sources import csv_file, open_table
from leastnoise.tables.sources.csv_records import Fields, whole_records

pytest.importorskip("pyarrow")

BLOCKS = [1, 2, 3, 7, 64]
PIECES = [
    b'"', b'""', b",", b"\r", b"\n", b"\r\n", b"a", b"bc", b"7", b"\xff", b"\xc3", b"\xc3\xa9",
    b"\xef\xbb\xbf", b"\0", b'"x"', b',"p\nq",', b"1,2,3\n",
]  # fmt: skip
DATA = st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join)
WELL_FIELD = st.text('ab", \n\ré', max_size=4)
FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

Row = tuple[str | None, ...]


class Reference:
    """A reader that looks at one byte after the other."""

    def __init__(
        self, data: bytes, line_breaks: bool, longest: int = 1 << 60, single: bool = False
    ) -> None:
        self.single = single  # whether the header names one column
        self.rows: list[list[str | None]] = []
        self.starts: list[int] = []  # where records, empty lines too, begin
        self.well = True
        self.longest = longest
        fields, field, inside, begin = [], b"", False, 0
        for place, byte in enumerate(data):
            one = bytes([byte])
            if one == b"\n" and not (inside and line_breaks):
                self.record([*fields, field], begin)
                fields, field, inside, begin = [], b"", False, place + 1
            elif one == b"," and not inside:
                fields.append(field)
                field = b""
            else:
                inside ^= one == b'"'
                field += one
        if begin < len(data):
            self.record([*fields, field], begin)
        else:
            self.starts.append(begin)
        self.well &= not inside

    def record(self, fields: list[bytes], begin: int) -> None:
        self.starts.append(begin)
        fields[-1] = fields[-1].removesuffix(b"\r")
        if self.single or fields != [b""]:
            short = len(b",".join(fields)) <= self.longest
            values = [self.value(field) for field in fields]
            self.rows.append([value if short else None for value in values])

    def value(self, field: bytes) -> str | None:
        if b'"' in field:
            if not re.fullmatch(rb'"([^"]|"")*"', field):
                self.well = False
                return None
            field = field[1:-1].replace(b'""', b'"')
        try:
            return field.decode() or None
        except UnicodeDecodeError:
            return None

    def table(self, width: int = 3) -> list[Row]:
        return [tuple([*row, *[None] * width][:width]) for row in self.rows]


def rows_of(file: CsvFile, columns: list[str] | None = None) -> list[Row]:
    table = file.reader(columns).read_all()
    table.validate(full=True)
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def in_blocks(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def written(folder: Path, data: bytes, name: str = "table.csv") -> CsvFile:
    path = folder / name
    path.write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
    return CsvFile(path)


# The reader that looks at blocks, against the one that looks at bytes.


@FEW
@given(DATA, st.booleans())
@example(b'"a"\r\n"b"\r', False)
@example(b'"a\n\n', True)
@example(b"1,2,3\n\n4,5\n", False)
@example(b'"a"\rb,1\n', True)
@example(b'5" pipe,2\n3,4\n', True)
def test_blocks_of_any_size_are_read_alike(folder, data, line_breaks) -> None:
    expected = Reference(data, line_breaks).table()
    file = replace(written(folder, b"x,y,z\n" + data), line_breaks=line_breaks)
    for size in (*BLOCKS, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_file, "_BLOCK", size)
            assert rows_of(file) == expected
            assert rows_of(file, ["z", "x"]) == [(row[2], row[0]) for row in expected]


@FEW
@given(DATA, st.booleans())
@example(b"\n\r\n1\n\n", True)
@example(b"\n\r", False)
def test_an_empty_line_is_a_record_where_there_is_one_column(folder, data, line_breaks) -> None:
    expected = Reference(data, line_breaks, single=True).table(1)
    file = replace(written(folder, b"x\n" + data), line_breaks=line_breaks)
    for size in (*BLOCKS, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_file, "_BLOCK", size)
            assert rows_of(file) == expected


@FEW
@given(DATA, st.sampled_from(BLOCKS), st.booleans(), st.integers(0, 6))
def test_a_record_that_is_too_long_has_no_values(data, size, line_breaks, longest) -> None:
    expected = Reference(data, line_breaks, longest)
    found = []
    for block in whole_records(in_blocks(data, size), line_breaks, longest):
        assert len(block) <= size + longest + 4
        columns = Fields(block, ",", line_breaks, longest).columns(range(3))
        found += zip(*(column.to_pylist() for column in columns), strict=True)
    assert found == expected.table()


# No record changes another.


@FEW
@given(
    DATA,
    st.lists(WELL_FIELD, min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(0, 20),
)
def test_a_well_formed_record_changes_no_other(folder, data, row, end, where) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator=end, quoting=csv.QUOTE_ALL).writerow(row)
    before = Reference(data, True)
    place = before.starts[where % len(before.starts)]
    longer = data[:place] + text.getvalue().encode() + data[place:]
    old = rows_of(replace(written(folder, b"x,y,z\n" + data), line_breaks=True))
    new = rows_of(replace(written(folder, b"x,y,z\n" + longer), line_breaks=True))
    head = len(Reference(data[:place], True).rows)
    added = tuple([*(value or None for value in row), None, None, None][:3])
    assert new == [*old[:head], added, *old[head:]]


@FEW
@given(DATA, DATA, st.integers(0, 20))
@example(b'"a\nb,c\n', b'd"', 9)
@example(b"a\nb,c\n", b'd"', 1)
def test_any_line_changes_no_other_where_every_line_is_a_record(folder, data, line, where) -> None:
    line = line.replace(b"\n", b"")
    starts = Reference(data, False).starts
    place = starts[where % len(starts)]
    longer = data[:place] + line + b"\n" + data[place:]
    old, new = (rows_of(written(folder, b"x,y,z\n" + some)) for some in (data, longer))
    head = len(Reference(data[:place], False).rows)
    assert new == old[:head] + Reference(line, False).table() + old[head:]


@pytest.mark.parametrize(
    ("data", "front", "back"),
    [
        (b"1,tall,1\n" * 1000, b'5000,"tall,1\n', b'5000,short",1\n'),
        (b"1,tall,1\n" * 1000 + b'2,short",1\n', b'5000,"tall,1\n', b""),
    ],
)
def test_quotes_in_two_lines_do_not_take_in_the_lines_between(folder, data, front, back) -> None:
    """The default once looked whether all quotes pair up: two lines changed a count by 1,000."""
    old, new = (rows_of(written(folder, b"x,y,z\n" + some)) for some in (data, front + data + back))
    added = front.count(b"\n"), back.count(b"\n")
    assert new[added[0] : len(new) - added[1]] == old and len(new) == len(old) + sum(added)


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
def test_a_field_with_line_breaks_over_a_buffer_is_one_field(folder, name) -> None:
    """Readers that begin at byte 8,000,000 or 16,000,000 would begin inside the field."""
    field = b'k,"' + b"1,1\n" * 1_000_000 + b'",z\n'
    rows = 100_000
    line = b"1,2," + b"3" * (135 if name.endswith(".gz") else 55) + b"\n"  # 14 MB, or 6 MB of them
    head, tail = b"x,y,z\n" + line * rows, line * rows
    counts = [
        sum(
            batch.num_rows
            for batch in replace(written(folder, data, name), line_breaks=True).batches(["x"])
        )
        for data in (head + field + tail, head + b'77777,"888888",999\n' + field + tail)
    ]
    assert counts == [2 * rows + 1, 2 * rows + 2]


# What a file means.


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_writers_write_is_read_back(folder, name, end) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [["1", "a b", "é"], ["", 'say "hi"', "two\nlines"], [" 2 ", "x,y", "€"], ['"', "0", "z"]]
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows([["id", "the name", "naïve"], *rows * 50])
    file = replace(written(folder, text.getvalue().encode(), name), line_breaks=True)
    assert file.names() == ["id", "the name", "naïve"]
    found = rows_of(file)
    assert found == [tuple(value or None for value in row) for row in rows * 50]
    frame = pandas.read_csv(file.path, dtype=str, keep_default_na=False)
    assert [[v or "" for v in row] for row in found] == frame.to_numpy().tolist()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\r\r\nb\r\n", [("a\r",), ("b",)]),
        (b"a\r\nb\r", [("a",), ("b",)]),
        (b"\xff\nok\n", [(None,), ("ok",)]),
        (b"\n\r\n\nok\n\n", [(None,), (None,), (None,), ("ok",), (None,)]),
        (b'""\n"\n"""x"""\n', [(None,), (None,), ('"x"',)]),
        (b'5" pipe\nok\n', [(None,), ("ok",)]),
        (b'"open\nok\n', [(None,), ("ok",)]),
        (b"a,b,c\n", [("a",)]),
        (b"", []),
        (b"\0\n", [("\0",)]),
    ],
)
def test_odd_bytes_are_odd_in_their_row_alone(folder, data, expected) -> None:
    assert rows_of(written(folder, b"x\n" + data)) == expected


@pytest.mark.parametrize("place", [4, 20_000_004])
def test_a_byte_that_is_not_utf8_is_null_in_its_row(folder, place) -> None:
    data = bytearray(b"x,y\n" + b"12,3\n" * 4_100_000)
    data[place] = 0xFF  # the first byte of a row's x
    table = written(folder, bytes(data)).reader().read_all()
    assert (table.num_rows, table["x"].null_count, table["y"].null_count) == (4_100_000, 1, 0)


def test_a_byte_order_mark_is_no_part_of_a_name(folder) -> None:
    file = written(folder, b'\xef\xbb\xbf"x",y\n1,2\n')
    assert file.names() == ["x", "y"]
    assert rows_of(file) == [("1", "2")]


def test_names_with_line_breaks_need_the_word_of_the_user(folder) -> None:
    file = written(folder, b'"a\nb",c\n1,"2\n3"\n')
    assert rows_of(replace(file, line_breaks=True)) == [("1", "2\n3")]
    with pytest.raises(ArgumentError, match="names its columns"):
        file.names()


# What is refused, and what it tells.


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"\xef\xbb\xbf",
        b"secret,\n1,2\n",
        b"secret, \n1,2\n",
        b"secret,\xff\n",
        b'secret,5" pipe\n',
        b"secret,Secret\n1,2\n",
        b"secret,secret\n1,2\n",
        b"a,secret\r1,2\r",
        b"secret" * 200_000,
    ],
)
def test_a_file_without_names_is_refused_and_not_shown(folder, data) -> None:
    for call in (CsvFile.names, CsvFile.batches, CsvFile.reader):
        with pytest.raises(ArgumentError) as caught:
            call(written(folder, data))
        assert "secret" not in str(caught.value).lower()


def test_an_unknown_column_does_not_show_the_first_record(folder) -> None:
    file = written(folder, b"Zoe,50000\nBob,60000\n")
    pytest.importorskip("ibis")
    from leastnoise import ask

    for call in (lambda: file.reader(["salary"]), lambda: ask(file, "count(salary)", epsilon=1)):
        with pytest.raises(ArgumentError, match="salary") as caught:
            call()
        assert "Zoe" not in str(caught.value) and "50000" not in str(caught.value)


@pytest.mark.parametrize("cut", [-40, -4])
def test_a_file_that_ends_too_early_could_not_be_read(folder, cut) -> None:
    file = written(folder, b"a,b\n" + b"1,2\n" * 100_000, "table.csv.gz")
    file.path.write_bytes(file.path.read_bytes()[:cut])
    with pytest.raises((OSError, EOFError)):
        list(file.batches())
    pytest.importorskip("ibis")
    from leastnoise import ask

    with pytest.raises(LeastnoiseError, match=r"^not answered; the budget is spent$"):
        ask(str(file.path), "count()", epsilon=1)


def test_bytes_that_cannot_be_unpacked_are_a_failure_of_the_file(folder) -> None:
    file = written(folder, b"a,b\n" + b"1,2\n" * 100_000, "table.csv.gz")
    data = bytearray(file.path.read_bytes())
    data[100:140] = b"\xff" * 40
    file.path.write_bytes(data)
    with pytest.raises((OSError, EOFError)):
        list(file.batches())


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": 3},
        {"delimiter": ""},
        {"delimiter": ",,"},
        {"delimiter": '"'},
        {"delimiter": "\n"},
        {"delimiter": "é"},
        {"delimiter": 44},
        {"line_breaks": 1},
        {"line_breaks": None},
    ],
)
def test_arguments_are_checked(arguments) -> None:
    with pytest.raises(ArgumentError, match=next(iter(arguments))):
        CsvFile(**{"path": "x.csv", **arguments})


def test_no_columns_are_refused(folder) -> None:
    with pytest.raises(ArgumentError, match="columns"):
        written(folder, b"a,b\n1,2\n").batches([])


@pytest.mark.parametrize(
    "make",
    [lambda file: str(file.path), lambda file: file, lambda file: replace(file, line_breaks=True)],
)
def test_a_csv_file_is_a_table(folder, make) -> None:
    pytest.importorskip("ibis")
    from leastnoise.tables.sources import open_table

    table = open_table(make(written(folder, b'a,b\n1,2\n"x\0y",\n3\n')))
    assert table.schema() == {"a": "text", "b": "text"}
    table.engine.load(["a", "b"])
    rows = table.engine.read(f"SELECT * FROM {table.relation} AS s")
    assert sorted(rows) == [("1", "2"), ("3", None), ("x\0y", None)]
    table.close()


@FEW
@given(data=DATA, block=st.sampled_from(BLOCKS))
def test_an_encoding_is_read_byte_by_byte(data, block, tmp_path, monkeypatch):
    """The same table as of a file that was rewritten in UTF-8 before."""
    monkeypatch.setattr(csv_file, "_BLOCK", block)
    (tmp_path / "one.csv").write_bytes(b"a,\xe9\n" + data)
    # 0xff has no character in cp1253: no UTF-8 either.
    text = (b"a,\xe9\n" + data).decode("cp1253", "surrogateescape")
    (tmp_path / "other.csv").write_bytes(text.encode("utf-8", "surrogatepass"))
    one, other = CsvFile(tmp_path / "one.csv", encoding="cp1253"), CsvFile(tmp_path / "other.csv")
    assert one.names() == other.names() == ["a", "\N{GREEK SMALL LETTER IOTA}"]
    assert one.reader().read_all() == other.reader().read_all()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-7", "shift_jis", "cp037", "hex", "none", 7])
def test_encodings_in_which_a_byte_depends_on_others_are_refused(encoding, tmp_path):
    with pytest.raises(ArgumentError, match="encoding must be utf-8, or one with a byte"):
        CsvFile(tmp_path / "x.csv", encoding=encoding)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_another_delimiter_is_an_error_with_the_remedy(delimiter, tmp_path):
    (tmp_path / "x.csv").write_text(f"name{delimiter}income\nZoe{delimiter}7\n")
    with pytest.raises(ArgumentError, match="delimiter must be") as refused:
        CsvFile(tmp_path / "x.csv").names()
    assert repr(delimiter) in str(refused.value) and "income" not in str(refused.value)
    assert CsvFile(tmp_path / "x.csv", delimiter).names() == ["name", "income"]
    (tmp_path / "y.csv").write_text(f'"one{delimiter}name"\n')
    assert CsvFile(tmp_path / "y.csv").names() == [f"one{delimiter}name"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("name", ["pipe.csv", "pipe.parquet"])
def test_a_pipe_is_refused_before_anybody_pays(tmp_path, name):
    """It can be read once, and its names are read first: the rows would never come."""
    os.mkfifo(tmp_path / name)
    with pytest.raises(ArgumentError, match="table"):
        open_table(tmp_path / name)
