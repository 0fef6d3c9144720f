"""What a declared record of a mechanism file takes, what it rejects, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import pytest

from leastnoise.certify.codec import (
    COUNT,
    FLAG,
    NUMBER,
    POSITIVE,
    Beside,
    Count,
    Flag,
    Key,
    Positive,
    Within,
    always,
    by_name,
    integer,
    integers,
    number,
    one_of,
    pair,
    record,
    row,
    several,
)
from leastnoise.errors import FormatError, LimitError
from leastnoise.work import counted


@dataclass(frozen=True)
class Wide:
    """A record with every way to state a key."""

    kind: ClassVar[Annotated[int, always(7, integer(0, 9))]] = 7

    width: Positive
    source: Annotated[int, integer(0, 5), Key("from")]
    places: Annotated[tuple[Any, ...], several(pair(integer(0, 9), NUMBER), 3)]
    marks: Annotated[tuple[Any, ...], several(integers(2, 0, 9), 3)]
    mirror: Flag = False
    weights: Annotated[tuple[int, ...], several(COUNT, 3, 1)] = ()

    def check(self) -> None:
        """`FormatError` for a width of 13."""
        if self.width == 13:
            raise FormatError('"width" must not be 13')


@dataclass(frozen=True)
class Round:
    """A record of another sort."""

    radius: Positive


@dataclass(frozen=True)
class Both:
    """A record that holds another: its keys stand beside those of this."""

    label: Count
    inner: Annotated[Round, Beside(record(Round))]


@dataclass(frozen=True)
class Flat:
    """A class that knows nothing of files."""

    grid: int
    first: int
    tail: Fraction | None = None
    open: bool = False


WIDE = record(Wide, Wide.check)
GOOD: dict[str, Any] = {
    "kind": 7,
    "width": "1/3",
    "from": 3,
    "places": [[1, "0.5"], [2, "-3"]],
    "marks": [[1, 2]],
}
MADE = Wide(Fraction(1, 3), 3, ((1, Fraction(1, 2)), (2, Fraction(-3))), ((1, 2),))


def test_a_record_is_read_and_written_back_in_order() -> None:
    assert WIDE.read(GOOD, "file") == MADE
    assert list(WIDE.write(MADE).items()) == list(GOOD.items())
    more = {**GOOD, "mirror": True, "weights": ["4"]}
    assert WIDE.write(WIDE.read(more, "file")) == more


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"extra": 1}, "\"wide\" has unknown keys, such as 'extra'"),
        ({"kind": 8}, '"wide.kind" must be 7'),
        ({"kind": "7"}, "\"wide.kind\" must be an integer from 0 to 9, got '7'"),
        ({"width": "0"}, '"wide.width" must be positive'),
        ({"width": 1}, '"wide.width" must be a string of at most 100 characters'),
        ({"width": "1/0"}, '"wide.width" divides by zero'),
        ({"width": "13"}, '"width" must not be 13'),
        ({"from": 6}, '"wide.from" must be an integer from 0 to 5, got 6'),
        ({"from": True}, '"wide.from" must be an integer from 0 to 5, got True'),
        ({"from": 1.0}, '"wide.from" must be an integer from 0 to 5, got 1.0'),
        ({"places": [[1, "1"]] * 4}, '"wide.places" must be a list of at most 3 entries'),
        ({"places": [[1]]}, '"wide.places" must be a pair'),
        ({"places": {}}, '"wide.places" must be a list of at most 3 entries'),
        ({"marks": [[1, 10]]}, '"wide.marks" must be an integer from 0 to 9, got 10'),
        ({"marks": [[1, False]]}, '"wide.marks" must be an integer from 0 to 9, got False'),
        ({"marks": [[1, 2, 3]]}, '"wide.marks" must be a pair'),
        ({"mirror": 0}, '"wide.mirror" must be true or false, got 0'),
        ({"weights": []}, '"wide.weights" must have at least 1 entries'),
        ({"weights": ["-1"]}, '"wide.weights" must be a string of at most 400 digits'),
        ({"weights": ["9" * 401]}, '"wide.weights" must be a string of at most 400 digits'),
    ],
    ids=str,
)
def test_what_a_record_rejects_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(FormatError) as error:
        WIDE.read(GOOD | change, "wide")
    assert str(error.value).startswith(words)


@pytest.mark.parametrize("key", GOOD)
def test_every_key_without_a_default_is_needed(key: str) -> None:
    left = {name: value for name, value in GOOD.items() if name != key}
    with pytest.raises(FormatError, match=f'"wide" lacks {key}'):
        WIDE.read(left, "wide")
    for other in (None, [], "x", 1):
        with pytest.raises(FormatError, match='"wide" must be an object'):
            WIDE.read(other, "wide")


def test_fields_can_be_left_out_or_needed_in_another_record() -> None:
    bare = record(Wide, without=["mirror", "weights"])
    assert bare.read(GOOD, "wide") == MADE
    with pytest.raises(FormatError, match="unknown keys, such as 'mirror'"):
        bare.read({**GOOD, "mirror": False}, "wide")
    full = record(Wide, required=["mirror"])
    assert full.write(MADE) == {**GOOD, "mirror": False}
    with pytest.raises(FormatError, match="lacks mirror"):
        full.read(GOOD, "wide")


def test_one_of_several_records_is_told_apart_by_its_key() -> None:
    both = one_of(radius=record(Round), width=WIDE)
    assert both.read({"radius": "2"}, "noise") == Round(Fraction(2))
    assert both.write(MADE) == GOOD
    with pytest.raises(FormatError, match='"noise" must have one of the keys radius, width'):
        both.read({}, "noise")
    with pytest.raises(FormatError, match='"noise" has unknown keys'):
        both.read({"radius": "2", **GOOD}, "noise")

    named = by_name({"round": record(Round)})
    assert named.read({"name": "round", "radius": "2"}, "shape") == Round(Fraction(2))
    assert named.write(Round(Fraction(2))) == {"name": "round", "radius": "2"}
    for wrong in ({"name": "flat", "radius": "2"}, {"radius": "2"}, {"name": ["round"]}):
        with pytest.raises(FormatError, match="must be one of round"):
            named.read(wrong, "shape")


def test_keys_beside_and_within() -> None:
    beside = record(Both)
    assert beside.read({"label": "1", "radius": "2"}, "both") == Both(1, Round(Fraction(2)))
    assert beside.write(Both(1, Round(Fraction(2)))) == {"label": "1", "radius": "2"}
    with pytest.raises(FormatError, match='"both" lacks radius'):
        beside.read({"label": "1"}, "both")

    noise = record(Flat, optional={"tail": None}, first=integer(-9, 9), tail=NUMBER)
    flat = record(Flat, grid=integer(1, 9), noise=Within(noise), open=FLAG)
    data = {"grid": 2, "noise": {"first": -1, "tail": "3"}, "open": False}
    assert flat.read(data, "file") == Flat(2, -1, Fraction(3))
    assert flat.write(Flat(2, -1, Fraction(3))) == data  # (a default of the class is no reason)
    assert flat.write(Flat(2, -1))["noise"] == {"first": -1}
    with pytest.raises(FormatError, match='"noise" has unknown keys'):
        flat.read({**data, "noise": {"first": 1, "grid": 2}}, "file")
    with pytest.raises(FormatError, match='"file" lacks open'):
        flat.read({"grid": 2, "noise": {"first": 1}}, "file")


def test_rows_and_numbers() -> None:
    codec = row(integer(0, 1), POSITIVE, FLAG)
    assert codec.read([1, "2", True], "row") == (1, Fraction(2), True)
    assert codec.write((1, Fraction(2), True)) == [1, "2", True]
    with pytest.raises(FormatError, match='"row" must be a list of 3 entries'):
        codec.read([1, "2"], "row")
    share = number(lambda v: 0 < v < 1, "between 0 and 1")
    with pytest.raises(FormatError, match=r'"share" must be between 0 and 1, got \'2\''):
        share.read("2", "share")
    for text in ("1e5", " 1", "+1", "1.", ".5", "1/-2", "٣", "1_0", ""):
        with pytest.raises(FormatError):
            share.read(text, "share")


def test_the_work_of_a_list_is_charged_before_it_is_read() -> None:
    seen = []
    watched = several(integer(0, 1), 10, work=10**6)
    with pytest.raises(LimitError), counted():
        watched.read([seen] * 4, "list")  # (not the entries, which are no integers)
    with counted() as work:
        watched.read([1, 0], "list")
    assert work.spent == 2 * 10**6
