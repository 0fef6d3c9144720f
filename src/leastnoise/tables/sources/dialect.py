"""SQL that the covered engines share: literals, forms and exact integers.

Proofs: `forms.proof.md`, of sums and quotients `bounding.proof.md`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any, ClassVar

from .csv_records import LONGEST_RECORD
from .table import LONGEST_KEY, NUMBER, TEXT, TRUTH, WHOLE, Column, RowText, SumsQuery, ValueForm

#: Numbers above this in size count as this, below the other as 0: nothing over- or underflows.
LARGEST, SMALLEST = 1e300, 1e-300
#: Texts that are numbers, and no others; longer ones are none.
NUMERAL = " *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})? *"
LONGEST_NUMERAL = 100
#: Strings whose order is that of their days: 2024-12, 2024-12-31, 2024-12-31 23:59.
DATED = "[0-9]{4}-[0-9]{2}(-[0-9]{2}([ T][-0-9:.+Z ]*)?)?"
FIRST_DAY, LAST_DAY = date(1, 1, 1), date(9999, 12, 31)


class Dialect:
    """Literals and forms. Every literal is a cast of digits: no text of a user is ever pasted."""

    double: ClassVar[str] = "DOUBLE"
    #: Whether arithmetic with doubles is that of IEEE 754, without errors.
    calm: ClassVar[bool] = True
    #: What makes an engine compute the columns of a subquery once for each row.
    once: ClassVar[str] = ""

    def identifier(self, name: str) -> str:
        """A quoted name."""
        return '"' + name.replace('"', '""') + '"'

    def real(self, value: float) -> str:
        """A double: its shortest digits, which every engine reads back as the same double."""
        return f"CAST('{'Infinity' if value == math.inf else repr(value)}' AS {self.double})"

    def whole(self, value: int) -> str:
        """A 64-bit number."""
        return f"CAST({value} AS BIGINT)"

    def octets(self, value: bytes) -> str:
        """Bytes."""
        raise NotImplementedError

    def shifted(self, value: str, bits: int) -> str:
        """A 64-bit number >= 0 without its lowest bits."""
        return f"({value} >> {bits})"

    def _not_a_number(self, value: str) -> str:
        raise NotImplementedError

    def _fingerprint(self, octets: str) -> str:
        """The SHA-256 of bytes: its 64 digits, sixteen times, so that no short text is the same."""
        return f"encode(repeat({self._digits(octets)}, 16))"

    def mixed(self, person: RowText, keys: Sequence[RowText]) -> str:
        """The first digits of the SHA-256 of a person's text and those of keys, with commas.

        48 bits: groups of one person hardly ever have the same, and short texts are quick to sort.
        """
        first, *texts = (
            value if form.kind == TEXT else self._written(value) for form, value in [person, *keys]
        )
        joined = f" || {self.octets(b',')} || ".join(texts)
        return f"left({self._digits(f'{first} || {joined}')}, 12)"

    def _digits(self, octets: str) -> str:
        """The SHA-256 of bytes in hexadecimal."""
        return f"sha256({octets})"

    def _written(self, value: str) -> str:
        """The bytes of a value's text."""
        return f"encode(CAST({value} AS VARCHAR))"

    # -- exact integers ---------------------------------------------------------------------------

    def sum_of(self, value: str) -> str:
        """The sum as a 64-bit number, whatever wider type the engine adds up in."""
        return f"CAST(SUM({value}) AS BIGINT)"

    def quotient(self, total: str, count: str) -> str:
        """floor(total / count) for integers >= 0: what is divided is a multiple of count."""
        multiple = f"CAST({total} - {total} % {count} AS {self.double})"
        exact = f"{multiple} / CAST({count} AS {self.double}) + {self.real(0.5)}"
        return f"CAST(FLOOR({exact}) AS BIGINT)"

    def spread_rows(self, most: int) -> str:
        """Of n rows in the order of their cells, how many of R evenly spread ones are in a cell.

        t of them are in cells up to this one, c in it: round(t R/n) - round((t - c) R/n).
        """
        count = f"GREATEST(n, {self.whole(1)})"
        upto, before = (
            self.quotient(f"({rows} * {self.whole(2 * most)} + {count})", f"({count} * 2)")
            for rows in ("t", "(t - c)")
        )
        return f"{upto} - {before}"

    # -- rows -------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def moment(self) -> Iterator[None]:
        """All that is read herein is of one state of the table."""
        yield

    def read(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        raise NotImplementedError

    def read_columns(self, query: str, count: int) -> Sequence[Sequence[Any]]:
        """The rows of a query as its columns, so many of them."""
        rows = self.read(query)
        return [[row[i] for row in rows] for i in range(count)]

    def count(self, relation: str) -> int:
        """The number of rows of a relation."""
        return int(self.read(f"SELECT COUNT(*) FROM {relation} AS s")[0][0])

    def read_people(
        self, relation: str, person: ValueForm, asked: Callable[[str], SumsQuery]
    ) -> Sequence[Sequence[Any]]:
        """The columns of what is asked of a relation, in which each person adds to the sums."""
        query = asked(relation)
        return self.read_columns(query.sql, len(query.columns))

    # -- forms ------------------------------------------------------------------------------------

    def number(self, before: str) -> ValueForm:
        """Of a double: NaN is missing, -0.0 is 0.0, sizes are from 1e-300 to 1e300."""
        return ValueForm(
            NUMBER,
            before,
            f"CASE WHEN {{0}} IS NULL OR {self._not_a_number('{0}')} THEN NULL "
            f"WHEN ABS({{0}}) < {self.real(SMALLEST)} THEN {self.real(0.0)} "
            f"ELSE LEAST({self.real(LARGEST)}, GREATEST({self.real(-LARGEST)}, {{0}})) END",
            quick=f"{{0}} <= {self.real(math.inf)}" if self.calm else "",  # NaN is above it
        )

    def day(self, before: str) -> ValueForm:
        """Of a date: infinities and years beyond 1 to 9999 are the first or the last day."""
        first, last = (f"DATE '{day.isoformat()}'" for day in (FIRST_DAY, LAST_DAY))
        clamped = f"CASE WHEN {{0}} IS NULL THEN NULL ELSE LEAST({last}, GREATEST({first}, {{0}}))"
        return ValueForm("date", before, f"{clamped} END")

    # -- columns of each kind ---------------------------------------------------------------------

    def whole_column(self, name: str, stored: str, raw: str) -> Column:
        """Whole numbers that fit 64 bits."""
        value = ValueForm(WHOLE, f"CAST({raw} AS BIGINT)")
        number = ValueForm(NUMBER, f"CAST({raw} AS {self.double})")
        return Column(name, stored, value, number, value, value)

    def number_column(
        self, name: str, stored: str, raw: str, number: ValueForm, text: str = ""
    ) -> Column:
        """Numbers; text: their digits as bytes, where they are whole and may be keys and ids."""
        key = ValueForm(TEXT, text) if text else None
        return Column(name, stored, number, number, key, key)

    def text_column(
        self, name: str, stored: str, octets: str, number: ValueForm, dated: str
    ) -> Column:
        """Texts: bytes, or a number where one stands there; dated: whether one is a date.

        Keys and ids are bounded: an engine's memory must not depend on the text of one row.
        """
        short = f"CASE WHEN octet_length({{0}}) <= {LONGEST_KEY} THEN {{0}}"
        short_enough = (
            f"WHEN octet_length({{0}}) <= {LONGEST_RECORD} THEN"  # longer: missing, as in CSV
        )
        value = ValueForm(TEXT, octets, f"CASE {short_enough} {{0}} END")
        key = ValueForm(TEXT, octets, f"{short} END")
        person = ValueForm(TEXT, octets, f"{short} {short_enough} {self._fingerprint('{0}')} END")
        day = ValueForm(TEXT, f"CASE WHEN {dated} THEN {octets} END")
        return Column(name, stored, value, number, key, person, dated=day)

    def truth_column(self, name: str, stored: str, raw: str) -> Column:
        """Truths, counted as 1 and 0."""
        value = ValueForm(TRUTH, raw)
        yes, none = self.real(1.0), self.real(0.0)
        number = ValueForm(
            NUMBER, raw, f"CASE WHEN {{0}} IS NULL THEN NULL WHEN {{0}} THEN {yes} ELSE {none} END"
        )
        return Column(name, stored, value, number, value)

    def date_column(self, name: str, stored: str, raw: str) -> Column:
        """Dates."""
        value = self.day(raw)
        return Column(name, stored, value, None, value, value)
