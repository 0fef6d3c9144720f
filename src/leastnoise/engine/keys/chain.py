"""The tables of a keyed release: the optimal chain and the best whole noise, rounded down.

Nothing is searched for: both are closed forms. How much the rounding costs, and why what is left
is private: `chain.proof.md`. The exact checker has the last word.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...certify.noise.keys.chain import LEAST_BITS, MAX_REACH, Chain
from ...errors import ArgumentError, Described
from ...exact import exp_bounds, nearest_float
from ...problem.privacy import Point

#: Bits that are computed behind those that are kept.
_SPARE = 64
#: The rounding costs at most 2^-_PRECISION of delta.
_PRECISION = 90
LEAST_DELTA = Fraction(1, 10**30)


#: (p, q, s) of a budget: power <= p/q level + s, both in parts of some power of two.
Line = tuple[int, int, int]


def budget_chain(budgets: Sequence[Point]) -> Chain:
    """Whole-number tables of the release that these (epsilon, delta) allow, all at once.

    `ArgumentError` if the noise would reach further than 10,000.
    """
    bits = LEAST_BITS + 2 * _PRECISION
    reach = len(_noise(_lines(budgets, Fraction(0), bits), 1 << bits, budgets))
    # Every probability is rounded by less than 2^-bits, and so is each of the terms of a hockey
    # stick, at most e^epsilon times: that much of delta is left for it.
    terms = (2 * reach + 12) * (1 + exp_bounds(max(epsilon for epsilon, _ in budgets))[1])
    least = _PRECISION + _length(1 / min(delta for _, delta in budgets)) + _length(terms)
    bits = max(2 * LEAST_BITS, 32 * -(-least // 32))
    unit = 1 << bits + _SPARE
    lines = _lines(budgets, terms / (1 << bits), bits + _SPARE)
    return chain_of(_show(lines, unit), _noise(lines, unit, budgets), bits)


def chain_of(show: list[int], tails: list[int], bits: int) -> Chain:
    """Tables of so many bits from two chains that were computed with 64 bits more.

    The two are nested: where the noise alone would bring a value above its reach more often than
    the key is shown (they agree there, up to rounding), the key is shown that often.
    """
    beyond = [t for t in (tail >> _SPARE for tail in tails) if t > 0]
    chain = Chain(1 << bits, (1 << bits,), tuple(beyond))
    shown = []
    for n, p in enumerate(show, 1):
        shown.append(max(p >> _SPARE, chain.tail(chain.reach + 1 - n)))
        if shown[-1] == chain.denominator:
            break
    return Chain(chain.denominator, tuple(shown), chain.beyond)


def _show(lines: Sequence[Line], unit: int) -> list[int]:
    """G(0), G(G(0)), ... until it is 1, rounded down; G is the least of all lines."""
    shares = [min(slack for _, _, slack in lines)]
    while shares[-1] < unit:
        last = shares[-1]
        first = min(p * last // q + slack for p, q, slack in lines)
        second = min(unit + (last + slack - unit) * q // p for p, q, slack in lines)
        shares.append(min(unit, first, second))
    return shares


def _noise(lines: Sequence[Line], unit: int, asked: Sequence[Point]) -> list[int]:
    """P(X >= 1), P(X >= 2), ... until it is at most the least delta, rounded down."""
    tails = [max((unit - slack) * q // (p + q) for p, q, slack in lines)]
    least = min(slack for _, _, slack in lines)
    while tails[-1] > least:
        tails.append(max((tails[-1] - slack) * q // p for p, q, slack in lines))
        if len(tails) > MAX_REACH:
            raise too_far(asked)
    return tails


def too_far(asked: Sequence[Point]) -> ArgumentError:
    """Few units would never be shown, and the tables would be long."""
    words = f"a key needs more than {MAX_REACH} units to be shown"
    if len(asked) > 1:
        return ArgumentError(
            "profile", Described(f"{len(asked)} budgets"), f"larger budgets: {words}"
        )
    ((epsilon, delta),) = asked
    name, value = ("epsilon", epsilon) if epsilon > 0 else ("delta", delta)
    return ArgumentError(
        name,
        nearest_float(value),
        f"larger: with epsilon={nearest_float(epsilon):g} and delta={nearest_float(delta):g} "
        f"{words}",
    )


def _lines(budgets: Sequence[Point], spare: Fraction, bits: int) -> list[Line]:
    """e^epsilon rounded down, and delta less so much, in parts of 2^bits."""
    lines = []
    for epsilon, delta in budgets:
        a, left = exp_bounds(epsilon)[0], delta - spare
        lines.append((a.numerator, a.denominator, (left.numerator << bits) // left.denominator))
    return lines


def _length(value: Fraction) -> int:
    """k with value <= 2^k."""
    return (value.numerator // value.denominator).bit_length()
