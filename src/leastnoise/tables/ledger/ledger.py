"""Ledger: a budget that survives crashes and cannot be overspent together.

What an entry costs, what is compared before each charge, and why: `ledger.proof.md`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import ArgumentError, BudgetError, LedgerError
from ...exact import Number, rational, round_down, round_up, text_of
from ...hints import hinted
from .filters import COMPOSITIONS, CURVES, Spent, cost_of, fits, largest_next, reserve_of
from .tally import Tally, read, written

_LOG = logging.getLogger(__name__)

#: A cost that cannot be kept exactly is rounded up to a multiple of 1/_GRID.
_GRID = 10**40
#: Sums are kept exactly while their denominators are no longer (of squares: than its square).
_LONGEST = 10**300


@dataclass(frozen=True)
class Charge:
    """One entry: what was spent, when, on which query, by which mechanism (SHA-256).

    epsilon is mu or rho where the ledger's budget is.
    """

    id: int
    time: str
    epsilon: Fraction
    delta: Fraction
    query: str
    mechanism: str

    def to_json(self) -> dict[str, Any]:
        """Plain values, fractions as floats."""
        return _plain(self)

    def __repr__(self) -> str:
        cost = f"epsilon={float(self.epsilon):g}, delta={float(self.delta):g}"
        return f"Charge({self.id}, {self.time[:19]}, {cost}, {self.query!r})"


class History(list[Charge]):
    """Charges, oldest first: a list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from ...show.html import html_history

        return html_history(self)


@dataclass(frozen=True)
class Balance:
    """What a ledger allows, what is spent, and what one more charge may cost.

    Where the budget is mu or rho (`composition` "gaussian" or "concentrated") that is what every
    epsilon here is; spent are then the sums of mu or rho, and of a Gaussian ledger only what is
    left tells what is left: squares add up.
    """

    epsilon: Fraction
    delta: Fraction
    composition: str
    spent_epsilon: Fraction
    spent_delta: Fraction
    left_epsilon: Fraction
    left_delta: Fraction
    charges: int
    created: str
    closed: str | None
    protects: str | None

    def to_json(self) -> dict[str, Any]:
        """Plain values, fractions as floats."""
        return _plain(self)

    def __repr__(self) -> str:
        return (
            f"Balance(left epsilon={float(self.left_epsilon):g} of {float(self.epsilon):g}, "
            f"delta={float(self.left_delta):g} of {float(self.delta):g}, {self.charges} "
            f"charge{'' if self.charges == 1 else 's'}{', closed' if self.closed else ''})"
        )

    def _repr_html_(self) -> str:
        from ...show.html import html_balance

        return html_balance(self)


class Ledger:
    """A privacy budget for one table, in a SQLite file or in PostgreSQL.

    Guarantee: `charge` returns only after its entry is durable, and the entries of all processes
    together keep within the budget by the ledger's filter (`filters.proof.md`). So a crash can
    waste budget and never leak it: no noise is drawn before `charge` has returned. A ledger is
    bound to one privacy unit and one neighbor relation by its first charge, because budgets of
    different ones do not add up. No charge is made to a ledger whose sums are not those of its
    entries. Costs are exact, or rounded up by less than 1e-40 (`ledger.proof.md`).

    Example: a total budget of epsilon 1.

        >>> ledger = Ledger.create("budget.db", epsilon=1)
        >>> _ = ledger.charge(0.25, query="count()")
        >>> float(ledger.balance.left_epsilon)
        0.75
    """

    @hinted
    def __init__(self, where: str | Path, *, name: str = "budget") -> None:
        """Open a ledger: the path of a SQLite file, or a postgresql:// URL."""
        from .store import Store

        self.name = _checked_name(name)
        self._store = Store(where, create=False)
        self._store.seen(self.name)
        #: The entries that this object has added up itself.
        self._tally = Tally()

    @classmethod
    @hinted
    def create(
        cls,
        where: str | Path,
        *,
        epsilon: Number | None = None,
        delta: Number = 0,
        composition: str = "basic",
        gdp: Number | None = None,
        zcdp: Number | None = None,
        name: str = "budget",
    ) -> Ledger:
        """Make a ledger with a total budget; refused if there is one already.

        The budget is (epsilon, delta), or one number: gdp=mu for charges that are mu-GDP, whose
        squares add up, or zcdp=rho for charges that are rho-zCDP, which add up.
        """
        from .store import Store, ledgers

        if gdp is not None or zcdp is not None:
            epsilon, composition = _of_curve(epsilon, delta, composition, gdp, zcdp)
        elif epsilon is None:
            raise ArgumentError("epsilon", epsilon, "given, or gdp=, or zcdp=: the total budget")
        elif composition not in COMPOSITIONS:
            raise ArgumentError("composition", composition, f"one of {', '.join(COMPOSITIONS)}")
        total_epsilon, total_delta = rational(epsilon, "epsilon"), rational(delta, "delta")
        if not 0 <= total_epsilon <= 1000:
            raise ArgumentError("epsilon", epsilon, "from 0 to 1000")
        if not 0 <= total_delta < 1 or total_epsilon == total_delta == 0:
            raise ArgumentError(
                "delta", delta, "at least 0 and below 1, and positive if epsilon is 0"
            )
        if composition == "adaptive" and total_delta < Fraction(1, 10**100):
            raise ArgumentError("delta", delta, "at least 1e-100 for the adaptive filter")
        store = Store(where, create=True)
        with store.transaction() as connection:
            # The primary key decides a race: the loser's insert fails.
            row = connection.execute(
                ledgers.select().where(ledgers.c.name == _checked_name(name))
            ).one_or_none()
            if row is not None:
                raise LedgerError(f"a ledger called {name!r} exists there already")
            connection.execute(
                ledgers.insert().values(
                    name=name,
                    epsilon=str(total_epsilon),
                    delta=str(total_delta),
                    composition=composition,
                    created=_now(),
                    spent_epsilon="0",
                    spent_delta="0",
                    spent_squares="0",
                )
            )
        return cls(where, name=name)

    @hinted
    def charge(
        self,
        epsilon: Number | None = None,
        delta: Number = 0,
        *,
        gdp: Number | None = None,
        zcdp: Number | None = None,
        query: str,
        mechanism: str = "",
        protects: str = "row, add-remove",
    ) -> Charge:
        """Spend (epsilon, delta), durably, or raise `BudgetError` with what is left.

        A ledger whose budget is mu takes `gdp`; one whose budget is rho takes `zcdp`, and `gdp` or
        an epsilon without delta as what they are worth in it.

        query: what it was spent on, for the history. mechanism: the SHA-256 of its file.
        protects: the unit and the neighbor relation that the mechanism's privacy is about.
        """
        from .store import charges, ledgers

        now = _now()
        self._catch_up()
        with self._agreed() as (connection, row, tally):
            asked = self._worth(row.composition, epsilon, delta, gdp, zcdp)
            cost = _cost(*asked, tally.spent)
            self._refuse(row, *cost, protects)
            spent = tally.spent.plus(*cost)
            changed = connection.execute(
                ledgers.update()
                .where(ledgers.c.name == self.name)
                .values(
                    protects=protects,
                    spent_epsilon=written(spent.epsilon),
                    spent_delta=written(spent.delta),
                    spent_squares=written(spent.squares),
                )
            )
            done = connection.execute(
                charges.insert().values(
                    ledger=self.name,
                    time=now,
                    epsilon=str(cost[0]),
                    delta=str(cost[1]),
                    query=query,
                    mechanism=mechanism,
                )
            )
            if changed.rowcount != 1 or not done.inserted_primary_key:
                # A trigger or a rule that somebody has put on the tables.
                raise LedgerError(f"ledger {self.name!r}: its database took no charge")
            key = int(done.inserted_primary_key[0])
        _LOG.info("ledger %s: charge %d spent %s, delta %s", self.name, key, *map(float, cost))
        # Now that it is on disk: a file from before this charge is noticed by the next one.
        self._tally = Tally(key, tally.count + 1, spent)
        return Charge(key, now, *cost, query, mechanism)

    def check(
        self,
        epsilon: Number | None = None,
        delta: Number = 0,
        *,
        protects: str,
        gdp: Number | None = None,
        zcdp: Number | None = None,
    ) -> None:
        """Raise what `charge` would raise now, and spend nothing."""
        self._catch_up()
        with self._agreed() as (_, row, tally):
            asked = self._worth(row.composition, epsilon, delta, gdp, zcdp)
            self._refuse(row, *_cost(*asked, tally.spent), protects)

    def close(self) -> None:
        """Refuse every further charge, for good."""
        from .store import ledgers

        with self._store.locked(self.name) as (connection, row):
            if row.closed is None:
                connection.execute(
                    ledgers.update().where(ledgers.c.name == self.name).values(closed=_now())
                )

    @property
    def balance(self) -> Balance:
        """The state now; it is checked that the sums are those of the entries, all of them."""
        from .store import charges

        row = self._store.seen(self.name)
        tally = Tally()
        for page in self._store.pages(
            self.name, 0, row.last or 0, charges.c.epsilon, charges.c.delta
        ):
            tally = tally.plus(page)
        spent = _spent(row)
        if tally.spent != spent or tally.count != row.entries:
            raise self._changed()
        self._tally = tally
        epsilon, delta = _total(row)
        open_ = row.closed is None
        left_delta = delta - reserve_of(row.composition, delta) - spent.delta
        left = largest_next(spent, epsilon, delta, row.composition)
        return Balance(
            epsilon,
            delta,
            row.composition,
            spent.epsilon,
            spent.delta,
            left if open_ else Fraction(0),
            left_delta if open_ else Fraction(0),
            tally.count,
            row.created,
            row.closed,
            row.protects,
        )

    def history(self) -> History:
        """All charges, oldest first: a list."""
        from .store import charges as c

        last = self._store.seen(self.name).last or 0
        columns = (c.c.time, c.c.epsilon, c.c.delta, c.c.query, c.c.mechanism)
        return History(
            Charge(r.id, r.time, read(r.epsilon), read(r.delta), r.query, r.mechanism)
            for page in self._store.pages(self.name, 0, last, *columns)
            for r in page
        )

    def to_pandas(self) -> Any:
        """All charges as a pandas data frame, oldest first; costs are exact fractions."""
        from ...frame import data_frame

        return data_frame(
            [vars(charge) for charge in self.history()], [field.name for field in fields(Charge)]
        )

    def _catch_up(self) -> None:
        """Add up the entries that are new to this object, without keeping anybody waiting."""
        from .store import charges

        tally = self._tally
        last = self._store.seen(self.name).last or 0
        for page in self._store.pages(
            self.name, tally.last, last, charges.c.epsilon, charges.c.delta
        ):
            tally = tally.plus(page)
        self._tally = tally

    @contextmanager
    def _agreed(self) -> Iterator[tuple[Any, Any, Tally]]:
        """(connection, row, tally) of the locked ledger; its sums are those of its entries."""
        from .store import charges, entries_after

        with self._store.locked(self.name) as (connection, row):
            tally = self._tally
            # What came since `_catch_up`: a few entries, if any.
            while page := entries_after(
                connection, self.name, tally.last, charges.c.epsilon, charges.c.delta
            ):
                tally = tally.plus(page)
            if tally.spent != _spent(row):
                raise self._changed()
            yield connection, row, tally
        self._tally = tally

    def _changed(self) -> LedgerError:
        return LedgerError(
            f"ledger {self.name!r}: its totals are not the sums of its entries; "
            "it has been changed by hand and cannot be trusted"
        )

    def _worth(
        self,
        composition: str,
        epsilon: Number | None,
        delta: Number,
        gdp: Number | None,
        zcdp: Number | None,
    ) -> tuple[Fraction, Fraction]:
        """What a charge costs in this ledger, in epsilon, mu or rho; and its delta."""
        given = {"epsilon": epsilon, "gdp": gdp, "zcdp": zcdp}
        stated = {name: value for name, value in given.items() if value is not None}
        if len(stated) != 1:
            raise ArgumentError("epsilon", epsilon, "given, or gdp=, or zcdp=, and not two of them")
        ((name, value),) = stated.items()
        if name == "epsilon":
            pair = cost_of(*_asked(value, delta), composition)
            if pair is not None:
                return pair
        elif rational(value, name) <= 0 or rational(delta, "delta") != 0:
            raise ArgumentError(name, value, "positive, and without delta")
        else:
            cost = rational(value, name)
            if CURVES.get(composition) == name:
                return cost, Fraction(0)
            if composition == "concentrated":
                return cost**2 / 2, Fraction(0)
        kept = CURVES.get(composition, "epsilon and delta")
        raise BudgetError(f"ledger {self.name!r} has a budget of {kept}, and cannot spend {name}")

    def _refuse(self, row: Any, epsilon: Fraction, delta: Fraction, protects: str) -> None:
        if row.closed is not None:
            raise BudgetError(f"ledger {self.name!r} was closed at {row.closed}")
        if row.protects not in (None, protects):
            raise BudgetError(
                f"ledger {self.name!r} is about {row.protects!r}, not about {protects!r}: their "
                "budgets do not add up. Use another ledger"
            )
        total = _total(row)
        if fits(_spent(row).plus(epsilon, delta), *total, row.composition):
            return
        spent = _spent(row)
        left = largest_next(spent, *total, row.composition)
        left_delta = total[1] - reserve_of(row.composition, total[1]) - spent.delta
        if row.composition in CURVES:
            name = CURVES[row.composition]
            asked, rest = f"{name}={_up(epsilon)}", f"{name}={_down(left)}"
        else:
            asked = f"epsilon={_up(epsilon)}, delta={_up(delta)}"
            rest = f"epsilon={_down(left)}, delta={_down(left_delta)}"
        raise BudgetError(
            f"ledger {self.name!r} has too little budget left: {asked} was asked for, "
            f"{rest} is left"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled ledger is opened again, in another process as well: the books are one file."""
        if self._store.path is None:
            raise TypeError("a ledger in PostgreSQL cannot be pickled: its URL may hold a password")
        return partial(Ledger, name=self.name), (str(self._store.path),)

    def __repr__(self) -> str:
        return f"Ledger({self.name!r})"


def _plain(record: Charge | Balance) -> dict[str, Any]:
    return {n: float(v) if isinstance(v, Fraction) else v for n, v in vars(record).items()}


def _of_curve(
    epsilon: Number | None, delta: Number, composition: str, gdp: Number | None, zcdp: Number | None
) -> tuple[Fraction, str]:
    """(total, composition) of a ledger whose budget is mu or rho."""
    name = "zcdp" if gdp is None else "gdp"
    value = zcdp if gdp is None else gdp
    if epsilon is not None or rational(delta, "delta") != 0 or None not in (gdp, zcdp):
        raise ArgumentError(name, value, "given alone: it is the whole budget")
    if composition != "basic":
        raise ArgumentError("composition", composition, f"left out with {name}")
    total = rational(value, name)
    if not 0 < total <= 1000:
        raise ArgumentError(name, value, "above 0 and at most 1000")
    return total, next(curve for curve, word in CURVES.items() if word == name)


def _asked(epsilon: Number, delta: Number) -> tuple[Fraction, Fraction]:
    e, d = rational(epsilon, "epsilon"), rational(delta, "delta")
    if e < 0:
        raise ArgumentError("epsilon", epsilon, "at least 0")
    if not 0 <= d <= 1 or e == d == 0:
        raise ArgumentError("delta", delta, "from 0 to 1, and positive if epsilon is 0")
    return e, d


def _cost(epsilon: Fraction, delta: Fraction, spent: Spent) -> tuple[Fraction, Fraction]:
    """What is charged: no less than was asked for, and such that no sum ever becomes long."""
    after = spent.plus(epsilon, delta)
    if epsilon.denominator > _GRID or not (
        after.epsilon.denominator <= _LONGEST and after.squares.denominator <= _LONGEST**2
    ):
        epsilon = _coarse(epsilon)
    if delta.denominator > _GRID or after.delta.denominator > _LONGEST:
        delta = _coarse(delta)
    return epsilon, delta


def _coarse(cost: Fraction) -> Fraction:
    return Fraction(-(-cost.numerator * _GRID // cost.denominator), _GRID)


def _spent(row: Any) -> Spent:
    return Spent(*map(read, (row.spent_epsilon, row.spent_delta, row.spent_squares)))


def _total(row: Any) -> tuple[Fraction, Fraction]:
    """The whole budget; LedgerError if it is none that this version makes."""
    epsilon, delta = read(row.epsilon), read(row.delta)
    adaptive = row.composition == "adaptive"
    if row.composition not in (*COMPOSITIONS, *CURVES) or (adaptive and delta == 0):
        raise LedgerError(
            "this version of leastnoise does not know the ledger's rule of composition"
        )
    return epsilon, delta


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _down(value: Fraction) -> str:
    return text_of(round_down(value, 6))


def _up(value: Fraction) -> str:
    return text_of(round_up(value, 6))


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not 1 <= len(name) <= 200 or not name.isprintable():
        raise ArgumentError("name", name, "a string of 1 to 200 printable characters")
    return name
