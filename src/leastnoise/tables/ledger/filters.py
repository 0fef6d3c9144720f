"""When a charge still fits: privacy filters for budgets that are chosen as one goes.

`basic` adds up epsilons and deltas. `adaptive` is the filter of Whitehouse, Ramdas, Rogers and Wu
(2023): it sets a part of delta aside and lets squares of epsilons add up, which pays from some
thirty small charges on. `gaussian` adds up squares of mu, for charges and a budget of mu-GDP, and
`concentrated` adds up rho, for those of rho-zCDP. All hold when each query, its budget included, is
chosen after all earlier answers have been seen. Statements and proofs: `filters.proof.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from ...bisection import narrow
from ...exact import exp_lower

#: How charges may add up; fixed when a ledger is created.
COMPOSITIONS = ("basic", "adaptive")
#: Those whose budget is one number, mu or rho, kept in the place of epsilon; by its argument.
CURVES = {"gaussian": "gdp", "concentrated": "zcdp"}


#: Steps of 1 in which roots are rounded down.
_FINE = 10**30


@dataclass(frozen=True)
class Spent:
    """Sums over all charges so far, exactly; epsilon is mu or rho where the budget is one."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    def plus(self, epsilon: Fraction, delta: Fraction) -> Spent:
        """The sums with one charge more."""
        return Spent(self.epsilon + epsilon, self.delta + delta, self.squares + epsilon**2)


def cost_of(
    epsilon: Fraction, delta: Fraction, composition: str
) -> tuple[Fraction, Fraction] | None:
    """What an (epsilon, delta)-private answer costs; None where a ledger has no budget for it."""
    if composition == "concentrated" and delta == 0:
        return epsilon**2 / 2, delta
    return None if composition in CURVES else (epsilon, delta)


def reserve_of(composition: str, delta: Fraction) -> Fraction:
    """The part of delta that is set aside for the composition itself."""
    return delta / 2 if composition == "adaptive" else Fraction(0)


def fits(spent: Spent, epsilon: Fraction, delta: Fraction, composition: str) -> bool:
    """Whether charges with these sums keep the budget together: (epsilon, delta), mu or rho."""
    reserve = reserve_of(composition, delta)
    if spent.delta > delta - reserve:
        return False
    if composition == "gaussian":
        return spent.squares <= epsilon**2
    if composition in ("basic", "concentrated"):
        return spent.epsilon <= epsilon
    # sqrt(2 log(1/reserve) squares) + squares/2 <= epsilon, without the root.
    room = epsilon - spent.squares / 2
    return room >= 0 and 2 * log_upper(1 / reserve) * spent.squares <= room**2


@lru_cache(maxsize=64)
def log_upper(x: Fraction) -> Fraction:
    """A rational at least log(x), for x >= 1, and above it by at most 2^-40."""
    most = Fraction(x.numerator.bit_length())  # log x < log2 x + 1
    # exp_lower(m) >= x proves m >= log x.
    return narrow(lambda m: exp_lower(m) >= x, Fraction(0), most, width=Fraction(1, 1 << 40))[1]


def largest_next(spent: Spent, epsilon: Fraction, delta: Fraction, composition: str) -> Fraction:
    """An epsilon that one more charge may have (with delta 0), rounded down; 0 if none."""
    if composition in ("basic", "concentrated"):
        return max(Fraction(0), epsilon - spent.epsilon)
    if composition == "gaussian":
        left = max(Fraction(0), epsilon**2 - spent.squares)
        return Fraction(isqrt(left.numerator * _FINE**2 // left.denominator), _FINE)

    def too_much(more: Fraction) -> bool:
        return not fits(spent.plus(more, Fraction(0)), epsilon, delta, composition)

    return narrow(too_much, Fraction(0), epsilon, steps=40)[0]
