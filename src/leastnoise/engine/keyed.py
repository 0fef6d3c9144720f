"""The tables of a keyed release: the optimal chain and the best whole noise, rounded down.

Nothing is searched for: both are closed forms. How much the rounding costs, and why what is left
is private: `keyed.proof.md`. The exact checker has the last word.
"""

from __future__ import annotations

from fractions import Fraction

from ..certify.keyed_document import LEAST_BITS, MAX_REACH, Chain
from ..errors import ArgumentError
from ..exact import exp_bounds, nearest_float

#: Bits that are computed behind those that are kept.
_SPARE = 64
#: The rounding costs at most 2^-_PRECISION of delta.
_PRECISION = 90
LEAST_DELTA = Fraction(1, 10**30)


def budget_chain(epsilon: Fraction, delta: Fraction) -> Chain:
    """Whole-number tables of the release that (epsilon, delta) allows.

    `ArgumentError` if the noise would reach further than 10,000.
    """
    low, high = exp_bounds(epsilon)
    reach = len(_noise(low, *_scaled(delta, LEAST_BITS + 2 * _PRECISION), (epsilon, delta)))
    # Every probability is rounded by less than 2^-bits, and so is each of the terms of a hockey
    # stick, at most e^epsilon times: that much of delta is left for it.
    terms = (2 * reach + 12) * (1 + high)
    least = _PRECISION + _length(1 / delta) + _length(terms)
    bits = max(2 * LEAST_BITS, 32 * -(-least // 32))
    one, slack = _scaled(delta - terms / (1 << bits), bits + _SPARE)
    return chain_of(_show(low, one, slack), _noise(low, one, slack, (epsilon, delta)), bits)


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


def _show(a: Fraction, one: int, slack: int) -> list[int]:
    """G(0), G(G(0)), ... until it is 1, rounded down."""
    p, q = a.numerator, a.denominator
    found = [slack]
    while found[-1] < one:
        last = found[-1]
        found.append(min(one, p * last // q + slack, one + (last + slack - one) * q // p))
    return found


def _noise(a: Fraction, one: int, slack: int, asked: tuple[Fraction, Fraction]) -> list[int]:
    """P(X >= 1), P(X >= 2), ... until it is at most delta, rounded down."""
    p, q = a.numerator, a.denominator
    found = [(one - slack) * q // (p + q)]
    while found[-1] > slack:
        found.append((found[-1] - slack) * q // p)
        if len(found) > MAX_REACH:
            raise too_far(*asked)
    return found


def too_far(epsilon: Fraction, delta: Fraction) -> ArgumentError:
    """Few units would never be shown, and the tables would be long."""
    name, value = ("epsilon", epsilon) if epsilon > 0 else ("delta", delta)
    return ArgumentError(
        name,
        nearest_float(value),
        f"larger: with epsilon={nearest_float(epsilon):g} and delta={nearest_float(delta):g} "
        f"a key needs more than {MAX_REACH} units to be shown",
    )


def _scaled(delta: Fraction, bits: int) -> tuple[int, int]:
    return 1 << bits, (delta.numerator << bits) // delta.denominator


def _length(value: Fraction) -> int:
    """k with value <= 2^k."""
    return (value.numerator // value.denominator).bit_length()
