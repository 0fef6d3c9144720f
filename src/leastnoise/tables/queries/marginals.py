"""Marginals: tables of counts by some attributes, all of them from one release.

Sensitivity and proof: `linear.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb, prod
from typing import Any, ClassVar

from ...errors import ArgumentError, Described
from ...hints import hinted_class
from ...problem.workload import MAX_ATTRIBUTES, Workload
from ...work import charge
from ..axes.crossed import Crossed, keys_on, names_of, quote_key
from ..axes.keys import list_keys
from ..axes.place import Place
from ..postprocessing.layout import CountLayout
from ..postprocessing.margins import MarginTables
from ..sources.expression import parse_condition
from .base import PRIVATE, Query
from .linear import MOST_ANSWERS, Linear

#: In the name of a count: whatever the attribute is.
EVERY = "*"


@hinted_class
@dataclass(frozen=True)
class Marginals(Linear):
    """Marginals: tables of counts by each attribute, by each pair of attributes, and so on.

    attributes: columns. keys: a public list of values for each; rows that have another value in one
    of them do not count. ways: how many attributes a table has, or a list of such numbers and of
    lists of attributes, as in [1, ["region", "age"]]; 0 is the number of all rows that count.
    An answer is called "north, *, f" where the second attribute may be anything. All tables come
    from one release, so a unit pays once, and they add up: a count is the sum of those that it
    consists of. The numbers as they were released are in `Answer.unbiased`.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: counts by region, by sex, and by both.

        >>> groups = [["north", "south"], ["f", "m"]]
        >>> tables = Marginals(["region", "sex"], ways=[1, 2], keys=groups)
        >>> 0 < plan(tables, epsilon=1, rows=1000).error < 50
        True
    """

    attributes: Sequence[str] = ()
    ways: int | Sequence[int | Sequence[str]] = 2
    word: ClassVar[str] = "marginals"
    phrase: ClassVar[str] = "Rows by {attributes}"
    title: ClassVar[str] = "Tables of counts that add up"
    positional: ClassVar[tuple[str, ...]] = ("attributes",)
    several: ClassVar[bool] = True

    @classmethod
    def arguments(cls) -> tuple[str, ...]:
        """All but `by`, which the attributes are."""
        return tuple(name for name in super().arguments() if name != "by")

    @classmethod
    def from_text(cls, plain: Sequence[str], named: Mapping[str, Any]) -> Query:
        """The same; ways are "1;2" or "1;region age"."""
        ways = named.get("ways")
        return super().from_text(plain, dict(named) | {"ways": _ways_of(ways)})

    def __post_init__(self) -> None:
        if self.where is not None:
            parse_condition(self.where)
        if self.by is not None:
            raise ArgumentError(
                "by", self.by, "left out: the attributes are the columns to group by"
            )
        if isinstance(self.attributes, str):
            raise ArgumentError("attributes", self.attributes, "a list of columns")
        if len(set(map(str, self.attributes))) < len(self.attributes):
            raise ArgumentError("attributes", list(self.attributes), "different columns")
        names = names_of(self.attributes)
        if len(names) > MAX_ATTRIBUTES:
            raise ArgumentError(
                "attributes", Described(f"{len(names)} columns"), f"at most {MAX_ATTRIBUTES}"
            )
        given = list_keys(self.keys)
        each = "one for each attribute" if len(names) > 1 else 'such as [["f", "m"]]'
        lists = f"a list of {len(names)} public list{'s' * (len(names) > 1)} of values, {each}"
        if given == PRIVATE or given is None or isinstance(given, str):
            raise ArgumentError("keys", given, lists)
        if len(given) != len(names):
            raise ArgumentError("keys", Described(f"a list of {len(given)}"), lists)
        keys = tuple(map(keys_on, names, given))
        if any(EVERY in list_of_keys for list_of_keys in keys):
            raise ArgumentError(
                "keys", EVERY, f"values other than {EVERY}, which stands for all values"
            )
        object.__setattr__(self, "attributes", names)
        object.__setattr__(self, "keys", keys)
        if not isinstance(self.ways, int):
            object.__setattr__(self, "ways", _frozen(self.ways))
        answers = sum(prod(len(keys[i]) for i in chosen) for chosen in self._sets)
        if answers > MOST_ANSWERS:
            raise ArgumentError(
                "ways",
                Described(f"{answers} counts"),
                f"at most {MOST_ANSWERS} counts in all tables",
            )

    @property
    def crossed(self) -> Crossed:
        """All attributes together: the cells of the vector."""
        return Crossed(tuple(self.attributes), tuple(map(tuple, self.keys or ())))

    @property
    def grouped(self) -> bool:
        """It is: by its attributes."""
        return True

    @property
    def columns_by(self) -> tuple[str, ...]:
        """Its attributes."""
        return tuple(self.attributes)

    @cached_property
    def _sets(self) -> tuple[tuple[int, ...], ...]:
        """The attributes of each table, by their places."""
        places = {name: i for i, name in enumerate(self.crossed.names)}
        every = (self.ways,) if isinstance(self.ways, int) else self.ways
        sets: list[tuple[int, ...]] = []
        if any(isinstance(way, bool) for way in every):
            raise ArgumentError("ways", list(every), "numbers, or lists of attributes")
        for way in dict.fromkeys(every):
            if isinstance(way, int):
                if not 0 <= way <= len(places):
                    words = f"from 0 to {len(places)}, or lists of attributes"
                    raise ArgumentError("ways", way, words)
                if comb(len(places), way) > MOST_ANSWERS:
                    raise ArgumentError(
                        "ways", way, f"sets of attributes, at most {MOST_ANSWERS} of them"
                    )
                sets += combinations(range(len(places)), way)
            elif isinstance(way, str) or not set(way) <= set(places) or len(set(way)) < len(way):
                names = ", ".join(places)
                raise ArgumentError("ways", way, f"lists of different attributes out of {names}")
            else:
                sets.append(tuple(sorted(places[name] for name in way)))
        if not sets:
            raise ArgumentError("ways", list(every), "one table or more")
        return tuple(dict.fromkeys(sets))

    def layout(self) -> CountLayout:
        """Its tables."""
        return MarginTables(self.crossed.sizes, self._sets)

    def workload(self) -> Workload:
        """The tables of the counts of all combinations."""
        return Workload.marginals(list(self.crossed.sizes), self._sets)

    def names(self) -> list[str]:
        """The values of each count, with * for attributes that its table has not."""
        keys = [[quote_key(key) for key in column] for column in self.crossed.keys]
        if len(keys) == 1:
            keys = [list(self.crossed.keys[0])]
        charge(len(self._sets) * len(keys) // 5)
        return [
            ", ".join(values)
            for chosen in self._sets
            for values in product(
                *(column if i in chosen else [EVERY] for i, column in enumerate(keys))
            )
        ]

    def places(self, keys: Sequence[str]) -> Iterator[Place]:
        """The values of each table's own attributes."""
        crossed = self.crossed
        return (
            Place(tuple(crossed.names[i] for i in chosen), values)
            for chosen in self._sets
            for values in product(*(crossed.keys[i] for i in chosen))
        )

    def __str__(self) -> str:
        every = (self.ways,) if isinstance(self.ways, int) else self.ways
        ways = ";".join(str(way) if isinstance(way, int) else " ".join(way) for way in every)
        return self.text(f"{', '.join(self.attributes)}, ways={ways}")


def _ways_of(text: Any) -> Any:
    """The tables that "1;2" or "1;region age" mean."""
    if not isinstance(text, str):
        return text
    words = [way.split() for way in text.split(";")]
    number = [len(way) == 1 and way[0].isdigit() for way in words]
    return [int(way[0]) if n else way or "" for n, way in zip(number, words, strict=True)]


def _frozen(ways: Any) -> tuple[Any, ...]:
    """Numbers and lists in a tuple, as a question that is compared and kept needs them."""
    if isinstance(ways, str) or not isinstance(ways, Sequence):
        raise ArgumentError("ways", ways, "an integer, or a list of numbers and of lists")
    return tuple(way if isinstance(way, (int, str)) else tuple(_listed(way)) for way in ways)


def _listed(way: Any) -> Sequence[str]:
    if not isinstance(way, Sequence) or not all(isinstance(name, str) for name in way):
        raise ArgumentError("ways", way, "an integer, or a list of numbers and of lists")
    return way
