"""Which keys may be shown: the best private rule for a set of unknown keys.

Desfontaines, Voss, Gipson and Mandayam (2022): among all rules that see only how many units have
a key, this one shows a key with the largest probability that (epsilon, delta) allows, for every
number of units. Statement and proof: `selection.proof.md`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ..errors import ArgumentError
from ..exact import exp_lower
from ..sampling import Entropy

_BITS = 128
_LONGEST = 1_000_000


def probabilities(epsilon: Fraction, delta: Fraction) -> list[int]:
    """2^128 times the probability to show a key that 0, 1, 2, ... units have, until it is 1."""
    one = 1 << _BITS
    if not 0 < delta <= 1 or int(delta * one) == 0:
        raise ArgumentError("delta", delta, "at least 1e-30: private keys need a delta")
    grow = exp_lower(epsilon)
    slack = delta * one
    table = [0]
    while table[-1] < one:
        if len(table) > _LONGEST:
            raise ArgumentError("epsilon", float(epsilon), "larger: no key would ever be shown")
        last = table[-1]
        most = min(Fraction(one), grow * last + slack, one - (one - last - slack) / grow)
        table.append(math.floor(most))
    return table


def select(units: dict[str, int], table: list[int], entropy: Entropy) -> list[str]:
    """The keys that are shown, in the order of the keys."""
    shown = []
    for key in sorted(units):
        number = units[key]
        if number >= len(table) - 1 or entropy.bits(_BITS) < table[number]:
            shown.append(key)
    return shown
