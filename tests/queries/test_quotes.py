"""No line of a CSV file swallows another: quotes enclose whole fields, or the file is refused."""

import csv
import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import ArgumentError, LeastnoiseError
from leastnoise.queries.quotes import quotes_match

WELL = [
    "a,b\n1,2\n",
    'a,b\n"1","2"\n',
    '"a","b"\r\n"one ""two""",x\r\n',
    'a,b\n"two\nlines",x\n',
    'a,b\n"",""\n"""",x',
    '\ufeff"a",b\n1,2\n',
]
ODD = [
    'a,b\n"1,2\n3,4\n',
    'a,b\n5" pipe,2\n',
    'a,b\n"x"y,2\n',
    'a,b\n"a" b","c\n1,2\n',
    'a,b\n "x",2\n',
    'a,b\nx,"\n',
]


@pytest.mark.parametrize("text", WELL)
@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
def test_files_of_a_csv_writer_pass(text: str, block: int) -> None:
    assert quotes_match(io.BytesIO(text.encode()), ",", max(block, 3 if text[0] > "z" else 1))


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
def test_quotes_in_odd_places_do_not(text: str, block: int) -> None:
    assert not quotes_match(io.BytesIO(text.encode()), ",", block)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.text('ab", \n\r', max_size=4), min_size=2, max_size=2), max_size=4),
    st.integers(1, 9),
)
def test_whatever_a_writer_writes_passes(rows: list[list[str]], block: int) -> None:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    assert quotes_match(io.BytesIO(text.getvalue().encode()), ",", block)


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_such_a_table_is_refused_without_showing_it(tmp_path, text: str, suffix: str) -> None:
    pytest.importorskip("ibis")
    from leastnoise.queries import ask

    path = tmp_path / f"table{suffix}"
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    with pytest.raises(ArgumentError, match="whole fields") as caught:
        ask(str(path), "count()", epsilon=1)
    assert "pipe" not in str(caught.value)


def test_a_file_that_ends_too_early_is_refused(tmp_path) -> None:
    pytest.importorskip("ibis")
    from leastnoise.queries import ask

    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 100_000)[:-40])
    with pytest.raises(LeastnoiseError, match="could not be read"):
        ask(str(path), "count()", epsilon=1)
