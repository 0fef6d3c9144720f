"""The law of a keyed release, for every number of units: its privacy, and what its values cost.

Statements and proofs: `../../kinds/keyed.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated

from ....exact import exp_bounds
from ....losses import Loss
from ....work import add_up, charge, once
from ...codec import COUNT, Count, several
from ...fields import demand

#: The farthest noise, and so the longest tables, of a file.
MAX_REACH = 10_000
#: One uniform number has so many bits at least: the sampler looks at 64 of them first.
LEAST_BITS = 64


@dataclass(frozen=True)
class Chain:
    """The law of a keyed release, for every number of units n, in whole numbers.

    Draw U uniform in 0..denominator - 1. A key that n units have is shown iff U < show(n); its
    value is then max(reach, n + X), where X >= j iff U < tail(j).
    """

    denominator: Count
    #: show(1), show(2), ..., the last one is the denominator.
    shown: Annotated[tuple[int, ...], several(COUNT, 2 * MAX_REACH + 1, 1, work=1)]
    #: tail(1), tail(2), ..., tail(reach) > 0.
    beyond: Annotated[tuple[int, ...], several(COUNT, MAX_REACH, 1, work=1)]

    def check(self) -> None:
        """`FormatError` unless the denominator is a power of two."""
        power = self.denominator > 0 and self.denominator & (self.denominator - 1) == 0
        demand(
            power and self.denominator.bit_length() > LEAST_BITS,
            f'"denominator" must be a power of two, at least 2^{LEAST_BITS}',
        )

    @property
    def reach(self) -> int:
        """T: no value is further than this from the true number."""
        return len(self.beyond)

    @property
    def always_released_from(self) -> int:
        """A key that so many units have, or more, is always shown."""
        return len(self.shown)

    def show(self, n: int) -> int:
        """denominator * P(shown) of a key that n units have."""
        if n < 1:
            return 0
        return self.shown[min(n, len(self.shown)) - 1]

    def tail(self, j: int) -> int:
        """denominator * P(X >= j); X is symmetric."""
        if j > self.reach:
            return 0
        if j >= 1:
            return self.beyond[j - 1]
        return self.denominator - self.tail(1 - j)

    def mass(self, k: int) -> int:
        """denominator * P(X = k)."""
        return self.tail(k) - self.tail(k + 1)

    def least(self, n: int) -> int:
        """denominator * P(shown with the smallest value, `reach`), for n >= 1."""
        return self.show(n) - self.tail(self.reach + 1 - n)

    def fault(self) -> str | None:
        """Why the tables are no law; None if they are one for every number of units."""
        charge(2 * (len(self.shown) + self.reach))
        if self.beyond[-1] < 1 or any(a < b for a, b in pairwise(self.beyond)):
            return "the noise's tail does not fall, or ends with nothing"
        if 2 * self.beyond[0] > self.denominator:
            return "more than half of the noise is above 0"
        if self.shown[-1] != self.denominator or any(a > b for a, b in pairwise(self.shown)):
            return "the probabilities of release do not rise to certainty"
        if self.denominator in self.shown[-2:-1]:
            return "the probabilities of release go on after certainty"
        for n in range(1, self.always_released_from + 1):
            if self.least(n) < 0:
                return f"{n} units: a value above the least is likelier than any release"
        return None

    def worst_stick(self, epsilon: Fraction) -> tuple[int, Fraction]:
        """(n, at least the largest hockey stick of n and n + 1 units, both ways), over n >= 0."""
        reach, unit = self.reach, self.denominator
        p, q = exp_bounds(epsilon)[0].as_integer_ratio()
        charge(12 * (2 * reach + 2) + 12 * max(self.always_released_from, 2 * reach + 1))

        def over(here: int, there: int) -> int:
            return max(0, q * here - p * there)

        # up[i], down[i]: the excess of masses at noise k >= i - reach - 1, one unit more, one less.
        masses = [
            0,
            *(self.mass(k) for k in range(-reach, reach + 1)),
            0,
        ]  # k = -reach-1 .. reach+1
        up, down = [0] * (2 * reach + 4), [0] * (2 * reach + 4)
        for i in range(2 * reach + 2, -1, -1):
            later = masses[i + 1] if i + 1 < len(masses) else 0
            up[i] = up[i + 1] + over(masses[i], later)
            down[i] = down[i + 1] + (over(masses[i], masses[i - 1]) if i else 0)

        worst = self.show(1) * q, 0  # nobody against one: a key of nobody is never shown
        for n in range(1, max(self.always_released_from, 2 * reach + 1) + 1):
            i = max(0, 2 * reach + 1 - n)  # noise reach - n, which one unit more brings above reach
            none = unit - self.show(n), unit - self.show(n + 1)
            least = self.least(n), self.least(n + 1)
            more = up[i] + over(least[1], least[0]) + over(none[1], none[0])
            less = down[i + 1] + over(least[0], least[1]) + over(none[0], none[1])
            worst = max(worst, (max(more, less), n), key=lambda pair: pair[0])
        return worst[1], Fraction(worst[0], q * unit)


@once
def loss_of_chain(chain: Chain, loss: Loss) -> Fraction:
    """At least E c(X); exact where the loss has rational values."""
    charge((chain.reach + 1) * (loss.effort + 4))
    terms = [chain.mass(0) * loss.upper(Fraction(0))]
    terms += [2 * chain.mass(k) * loss.upper(Fraction(k)) for k in range(1, chain.reach + 1)]
    return add_up(terms) / chain.denominator
