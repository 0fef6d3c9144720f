"""What every query says: what the engine adds up, the numbers to release, and their sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar

from ...errors import ArgumentError, Described
from ..axes.crossed import Crossed, keys_on, name_in_group, names_of, parts_of
from ..axes.keys import list_keys, number_keys
from ..axes.period import period_of, spoken_column
from ..axes.place import Place
from ..planning.tracks import Track
from ..sources.bounding import GroupSums, Request
from ..sources.expression import parse_condition
from ..sources.rows import RowValue, TableRows, check_keys
from ..sources.where import truth_of
from ..unit import Unit
from .numbers import LEFT_OUT, Estimate, Part, Released, ReleaseForm, Sharing, half_width

#: Keys to be found privately: a key appears only if enough units have it.
PRIVATE = "private"
#: Columns to group by together.
_MOST_COLUMNS = 20


@dataclass(frozen=True)
class Setting:
    """What the claim is about; public."""

    unit: Unit
    neighbors: str
    #: The number of rows, where it is the same for all neighbors and may be used as it is.
    size: int | None = None

    @property
    def rows(self) -> int:
        """At most so many rows of one unit count in a group."""
        return self.unit.max_rows_per_group

    @property
    def protects(self) -> str:
        """The unit and the relation, as a ledger keeps them."""
        return f"{self.unit}, {self.neighbors}"

    @property
    def replace(self) -> bool:
        """Whether a neighbor has one unit replaced."""
        return self.neighbors == "replace"


@dataclass(frozen=True, kw_only=True)
class Query:
    """A question about a table, with a filter and a group-by; all of it is public.

    where: a condition such as "year = 2024"; rows for which it is not true do not count.
    by: a column to group by, with `keys`: a public list of its values (others do not count), or
        "private" to find them privately. Keys never come silently from the data, and a list or
        an array of those that a private table has is not public. A list of
        columns takes a list of keys for each: every combination is a group; or "private": then
        the combinations are found that enough units have. by="month(when)" groups by the months of
        dates, timestamps or strings such as 2024-01-31; so do year, quarter and day. Their keys are
        2024-01, 2024, 2024-Q1, 2024-01-31, or ranges such as "2024-01..2024-12".
    """

    where: str | None = None
    by: str | Sequence[str] | None = None
    keys: Sequence[Any] | str | None = None

    word: ClassVar[str]
    #: What is released of it: "numbers" with noise, alone or with those of other queries; a
    #: "vector"; "sums" of a vector of counts; or a "choice" of an exponential mechanism.
    mechanism: ClassVar[str] = "numbers"
    #: What a person with more rows than count does to them.
    excess: ClassVar[str] = (
        "each has a smaller weight, so that counts and sums are too small where people have more "
        "rows"
    )
    #: Whether its release may be choices of an exponential mechanism instead.
    may_choose: ClassVar[bool] = False
    #: What its error is counted in, where that is not the answer's own unit.
    counted: ClassVar[str] = ""
    #: Arguments that need no name in a text, in their order; the last one may be several columns.
    positional: ClassVar[tuple[str, ...]] = ("column",)
    several: ClassVar[bool] = False
    #: Whether it can be about all rows, without a column.
    all_rows: ClassVar[bool] = False
    #: What it is called in the web app; "" if it is not offered there.
    title: ClassVar[str] = ""
    #: What readers see above its answers, with its arguments in braces.
    phrase: ClassVar[str] = ""
    #: Whether what stands in its brackets is one argument, which may hold commas and signs.
    whole_text: ClassVar[bool] = False
    #: What the several answers of a group differ in, in tables for readers.
    axis_answered: ClassVar[str] = "column"
    #: Which of the answers of a group a picture shows; all of them ("") if they have one scale.
    pictured: ClassVar[str] = ""
    #: Whether its answers are numbers of rows, which bars can show.
    counts_rows: ClassVar[bool] = False
    #: Whether its answers grow with every row, as counts and sums do.
    adds_up: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.where is not None:
            parse_condition(self.where)
        object.__setattr__(self, "keys", list_keys(self.keys))
        if (self.by is None) != (self.keys is None):
            raise ArgumentError(
                "keys",
                self.keys,
                'a public list of values, together with by=; or "private" (partition selection): '
                "which groups there are is itself a fact about the data (docs/groups.md)",
            )
        if self.by is not None and not isinstance(self.by, str):
            self._cross(names_of(self.by))
        elif isinstance(self.by, str) and self.keys != PRIVATE:
            object.__setattr__(self, "keys", keys_on(self.by, self.keys))
        self._reject_private_periods()

    def _reject_private_periods(self) -> None:
        names = () if self.by is None else (self.by,) if isinstance(self.by, str) else self.by
        if self.keys == PRIVATE and any(period_of(name) for name in names):
            allowed = "a public list of periods, such as 2024-01..2024-12"
            raise ArgumentError("keys", PRIVATE, allowed)

    def _cross(self, names: tuple[str, ...]) -> None:
        """Put several columns and their keys into one form."""
        keys = self.keys
        if len(names) > _MOST_COLUMNS:
            raise ArgumentError(
                "by", Described(f"{len(names)} columns"), f"at most {_MOST_COLUMNS}"
            )
        object.__setattr__(self, "by", names[0] if len(names) == 1 else names)
        if keys == PRIVATE:
            return
        if isinstance(keys, str) or not isinstance(keys, Sequence) or len(keys) != len(names):
            allowed = (
                f'{len(names)} public lists of values, one for each column of by=, or "private"'
            )
            raise ArgumentError("keys", keys, allowed)
        crossed = Crossed(names, tuple(map(keys_on, names, keys)))
        object.__setattr__(self, "keys", crossed.keys[0] if len(names) == 1 else crossed.keys)

    @property
    def crossed(self) -> Crossed | None:
        """The columns that it is grouped by together, if there are several with public keys.

        The periods of one column are known by their numbers, too.
        """
        if self.by is None or self.keys == PRIVATE:
            return None
        if isinstance(self.by, str):
            alone = period_of(self.by) is not None
            return Crossed((self.by,), (tuple(self.keys or ()),)) if alone else None
        return Crossed(tuple(self.by), tuple(map(tuple, self.keys or ())))

    # -- how it is written -----------------------------------------------------------------------

    @classmethod
    def arguments(cls) -> tuple[str, ...]:
        """The names of its arguments."""
        return tuple(field.name for field in fields(cls))

    @classmethod
    def from_text(cls, plain: Sequence[str], named: Mapping[str, Any]) -> Query:
        """The query of a text, from the arguments in its brackets without and with a name."""
        names = cls.positional
        if len(plain) > len(names) and not cls.several:
            raise ArgumentError("query", ", ".join(plain), cls.example())
        given: dict[str, Any] = dict(zip(names, plain, strict=False))
        if cls.several:
            given = {names[0]: list(plain)}
        for name, value in named.items():
            if value is None:
                continue
            if name not in cls.arguments():
                raise ArgumentError(name, value, "left out for this query")
            if name in given:
                raise ArgumentError(name, value, f"given once, such as {name}=1")
            given[name] = value
        if "column" in names and "column" not in given and not cls.all_rows:
            given["column"] = ""  # which the class rejects by its name
        types = {field.name: str(field.type) for field in fields(cls)}
        return cls(**{name: _read(name, types[name], value) for name, value in given.items()})

    @classmethod
    def example(cls) -> str:
        """How it is written."""
        bounds = ("low=0", "high=100") if "low" in cls.arguments() else ()
        return f"{cls.word}({', '.join((*cls.positional, *bounds))})"

    @property
    def heading(self) -> str:
        """What readers see above its answers; its filter and its groups are said beside it."""
        values = {name: getattr(self, name) for name in self.arguments()}
        return self.phrase.format_map({name: _spoken(value) for name, value in values.items()})

    # -- what a query says ----------------------------------------------------------------------

    def parts(self, setting: Setting) -> list[Part]:
        """The numbers to release for one group, each with its sensitivity."""
        raise NotImplementedError

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        """Their values."""
        raise NotImplementedError

    def forms(self, setting: Setting) -> list[ReleaseForm]:
        """The ways to release it; the first one releases the parts as they are."""
        return [ReleaseForm.plain(self.parts(setting))]

    @property
    def lacks_values(self) -> bool:
        """Whether there can be rows that it leaves out because they have no value."""
        return False

    @property
    def lacking(self) -> str:
        """What rows that are left out lack, and what may be the reason."""
        return "they have no value"

    def ends_of(self, column: str) -> tuple[float, float] | None:
        """The bounds that values are clamped to, where an answer can be at one; None for others.

        column: one of `columns_answered`.
        """
        return None

    def leaves_out(self, setting: Setting) -> bool:
        """Whether these rows are counted beside the answer, which is free: a row that is added or
        removed is either one of them or one of the others (`mean.proof.md`, 4).
        """
        alone = setting.unit.column is None and not setting.replace
        return self.lacks_values and alone and self.mechanism == "numbers"

    def complete_forms(self, setting: Setting) -> list[ReleaseForm]:
        """The forms, with the rows that are left out beside their parts where that is free."""
        forms = self.forms(setting)
        if not self.leaves_out(setting):
            return forms
        unit = Fraction(1)
        return [
            replace(form, beside=(Part(LEFT_OUT, unit, whole=True, step=unit / form.most),))
            for form in forms
        ]

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """How a unit moves the numbers of `drawn_form`; none where they cannot be drawn together
        with others (`joint_draw.proof.md`).
        """
        return ()

    def drawn_form(self, setting: Setting) -> ReleaseForm:
        """The numbers to release where all of a question, or of several, are drawn together."""
        return self.forms(setting)[0]

    def sharing(self, setting: Setting) -> Sharing | None:
        """How its numbers say that somebody has a private key; None where they cannot."""
        return None

    def noise(
        self, setting: Setting, epsilon: Fraction, delta: Fraction, groups: int, loss: str
    ) -> Any:
        """A `Release` of the query's own for `groups` groups that a unit can move; None if its
        numbers get noise as those of all queries do.
        """
        return None

    def workload(self) -> Any:
        """The sums of counts that it asks for; None for other queries."""
        return None

    def notes(self, setting: Setting) -> list[str]:
        """What a reader of the answer must know of the values."""
        return []

    def error_of(self, answers: Mapping[str, Estimate]) -> float:
        """The error that is planned with, from the answers of one group by name."""
        return half_width(answers[""])

    def numbers(self, form: ReleaseForm, exact: list[Fraction]) -> list[Fraction]:
        """The parts of a form from the exact parts."""
        return exact

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """The answer from the released parts of `noise.form`: post-processing."""
        raise NotImplementedError

    def estimates(
        self, released: list[Released], setting: Setting, noise: Any = None
    ) -> dict[str, Estimate]:
        """The answers of one group by name; "" where there is only one."""
        return {"": self.estimate(released, setting, noise)}

    def every_estimate(
        self, drawn: Iterable[list[Released]], setting: Setting, noise: Any = None
    ) -> list[Estimate]:
        """The answers of all groups, one after the other, from their released parts."""
        every = (self.estimates(numbers, setting, noise) for numbers in drawn)
        return [estimate for named in every for estimate in named.values()]

    def why(self, setting: Setting) -> str:
        """One paragraph: why the sensitivity is what it is."""
        raise NotImplementedError

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """For planning: the parts for so many ordinary rows, and what an error is compared with."""
        raise NotImplementedError

    def units_beyond(self, distance: Fraction, rows: int, setting: Setting) -> int:
        """So few units can be added or removed that the answer moves by more than this; 0 where
        that is not known. (Tables are of up to `rows` rows: `../planning/floor.proof.md`.)
        """
        return 0

    def moves(self, setting: Setting) -> int:
        """By how many steps of 1 a unit can move all counts of a workload together."""
        raise NotImplementedError

    def request(self, setting: Setting) -> Request:
        """What the engine adds up."""
        return self._request(setting)

    def fixed(self, unit: Unit, neighbors: str) -> bool:
        """Whether the number of rows is public and the same for neighbors, and used so."""
        whole_table = self.where is None and not self.grouped
        return whole_table and unit.column is None and neighbors == "replace" and self._sized

    @property
    def _sized(self) -> bool:
        """Whether the query can use a public number of rows."""
        return False

    @property
    def columns_by(self) -> tuple[str, ...]:
        """The columns whose keys make a group's key, where these can be told apart again."""
        if self.by is None or isinstance(self.by, str):
            return () if self.by is None else (self.by,)
        return tuple(self.by)

    @property
    def columns_answered(self) -> tuple[str, ...]:
        """The columns of which every group has an answer; "" where there is only one."""
        return ("",)

    @property
    def grouped(self) -> bool:
        """Whether there are groups."""
        return self.by is not None

    @property
    def public_keys(self) -> tuple[str, ...] | None:
        """The list of keys, if there is one."""
        if self.keys is None or self.keys == PRIVATE:
            return None
        if (crossed := self.crossed) is not None:
            return number_keys(crossed.groups)
        return tuple(self.keys)

    def label(self, key: str) -> str:
        """A group's key as it is shown."""
        return key if (crossed := self.crossed) is None else crossed.label(int(key))

    def labels(self, keys: Sequence[str]) -> list[str]:
        """What the answers are called: the groups of these keys, one after the other."""
        return [self.label(key) for key in keys]

    def answer_names(self, keys: Sequence[str]) -> Iterator[str]:
        """What each answer of groups with these keys is called, one group after the other.

        One by one: short arguments can make millions of them.
        """
        columns = self.columns_answered
        if not self.grouped:
            return iter(columns)
        return (name_in_group(label, name) for label in self.labels(keys) for name in columns)

    def places(self, keys: Sequence[str]) -> Iterator[Place]:
        """Where each answer stands in tables for readers, in the order of `answer_names`."""
        names = self.columns_answered
        axis = (self.axis_answered,)
        inner = [Place(axis, (name,)) if name else Place() for name in names]
        return (inner_query.within(self._group_place(key)) for key in keys for inner_query in inner)

    def _group_place(self, key: str) -> Place:
        """Where the group of a key stands."""
        if self.by is None:
            return Place()
        if (crossed := self.crossed) is not None:
            return crossed.place(int(key))
        if isinstance(self.by, str):
            return Place((self.by,), (key,))
        return Place(tuple(self.by), tuple(parts_of(key)))

    def step_at(self, value: float) -> float | None:
        """The step of the public grid that an answer is of; None where it is of none."""
        return None

    # -- shared -----------------------------------------------------------------------------------

    def _request(self, setting: Setting, **more: Any) -> Request:
        where = None
        if self.where is not None:
            condition = parse_condition(self.where)

            def where(rows: TableRows) -> str:
                return truth_of(rows, condition)

        return Request(
            unit=setting.unit,
            where=where,
            group=self._group(),
            keys=self.public_keys,
            absent=self.leaves_out(setting),
            **more,
        )

    def _group(self) -> Callable[[TableRows], tuple[RowValue, ...]] | None:
        if (crossed := self.crossed) is not None:
            return lambda rows: (crossed.cell(rows),)
        if self.by is None:
            return None
        names = (self.by,) if isinstance(self.by, str) else tuple(self.by)
        keys = self.public_keys or ()

        def grouped(rows: TableRows) -> tuple[RowValue, ...]:
            groups = tuple(rows.key(name, "by") for name in names)
            check_keys(names[0], groups[0].kind, keys)
            return groups

        return grouped

    def text(self, inside: str) -> str:
        """The query in the words of the command line."""
        words = f"{self.word}({inside})"
        if self.where is not None:
            words += f" where {self.where}"
        if self.by is not None:
            words += f" by {self.by if isinstance(self.by, str) else ', '.join(self.by)}"
        return words

    def __str__(self) -> str:
        return self.text("")


def _spoken(value: Any) -> str:
    """An argument as people write it."""
    if isinstance(value, Fraction):
        return f"{float(value):g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_spoken, value))
    return spoken_column(str(value))


def _read(name: str, kind: str, value: Any) -> Any:
    """An argument that a text states, by its declared type."""
    if kind == "bool" and isinstance(value, str):
        if value.lower() not in ("true", "false"):
            raise ArgumentError(name, value, "true or false")
        return value.lower() == "true"
    if kind.startswith("int") and isinstance(value, str):
        if not value.isdecimal():
            raise ArgumentError(name, value, f"an integer, such as {name}=10")
        return int(value)
    return value
