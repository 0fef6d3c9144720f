"""A uniform point of the unit ball, exactly: enclosures that tighten as far as anyone asks.

No floating-point number takes part. Statement and proof: `ball.proof.md`.
"""

from __future__ import annotations

from itertools import pairwise
from math import isqrt

from .entropy import Entropy

#: Binary digits of each uniform number that are drawn at first, and each time more are needed.
WORD = 64

Disc = tuple[int, int, int]  # first digits of both coordinates, and how many digits
Enclosure = tuple[int, int]


class Words:
    """Fresh words of the entropy, fetched a block at a time and never kept beyond one release."""

    def __init__(self, entropy: Entropy, block: int) -> None:
        self._entropy, self._block = entropy, max(1, block)
        self._left: list[int] = []

    def next(self) -> int:
        """A uniform number of WORD bits."""
        if not self._left:
            self._left = self._entropy.words(self._block).tolist()
        return self._left.pop()


def complex_coordinates(dimension: int) -> int:
    """How many complex coordinates the sphere has from which a point of the ball is taken."""
    return dimension // 2 + 1 if dimension % 2 == 0 else (dimension + 3) // 2


def words_needed(dimension: int) -> int:
    """About so many words make a point, most of the time."""
    return 4 * complex_coordinates(dimension) + 4


def draw_disc(words: Words) -> Disc:
    """A uniform point of the unit disc, by rejection from the square [-1, 1)^2."""
    while True:
        a, b, bits = words.next(), words.next(), WORD
        while True:
            near, far = _squares(a, b, bits)
            if far <= 1 << (2 * bits):
                return a, b, bits
            if near >= 1 << (2 * bits):
                break
            a, b, bits = a << WORD | words.next(), b << WORD | words.next(), bits + WORD


def _sides(a: int, bits: int) -> Enclosure:
    """2 U - 1 between the two, over 2^bits, for a U in [0, 1) that starts with these digits."""
    low = 2 * a - (1 << bits)  # even, so 0 is never inside
    return low, low + 2


def _size(u: Enclosure) -> Enclosure:
    """|u|."""
    return (u[0], u[1]) if u[0] >= 0 else (-u[1], -u[0])


def _squares(a: int, b: int, bits: int) -> Enclosure:
    """u^2 + v^2, over 4^bits."""
    u, v = _size(_sides(a, bits)), _size(_sides(b, bits))
    return u[0] * u[0] + v[0] * v[0], u[1] * u[1] + v[1] * v[1]


class BallPoint:
    """A uniform point of the unit ball of R^d, known to some digits; `refine` draws more."""

    __slots__ = ("_bits", "_cuts", "_discs", "dimension")

    def __init__(self, dimension: int, words: Words) -> None:
        self.dimension, self._bits = dimension, WORD
        count = complex_coordinates(dimension)
        self._cuts = [words.next() for _ in range(count - 1)]
        # An even dimension needs no phase of the last complex coordinate, an odd one does.
        phases = count - 1 if dimension % 2 == 0 else count
        self._discs = [draw_disc(words) for _ in range(phases)]

    def refine(self, words: Words) -> None:
        """Draw further digits of every uniform number."""
        self._cuts = [cut << WORD | words.next() for cut in self._cuts]
        self._discs = [
            (a << WORD | words.next(), b << WORD | words.next(), bits + WORD)
            for a, b, bits in self._discs
        ]
        self._bits += WORD

    def enclosures(self, precision: int) -> list[Enclosure] | None:
        """Each coordinate between the two, over 2^precision; None: too few digits to say."""
        unit = 1 << self._bits
        marks = [0, *sorted(self._cuts), unit]
        # Sorted uniform numbers start with the sorted digits; 0 and 1 are exact.
        last = len(marks) - 2
        squares = [
            (max(0, b - a - (k > 0)), b - a + (k < last))
            for k, (a, b) in enumerate(pairwise(marks))
        ]
        below, above = unit, unit  # what the squares are divided by, over 2^bits
        if self.dimension % 2:
            dropped = self._square(self._discs[-1], 0, squares[-1])
            if dropped is None:
                return None
            below, above = unit - dropped[1], unit - dropped[0]
            if below <= 0:
                return None
        enclosures: list[Enclosure] = []
        shift = 2 * precision
        for k, disc in enumerate(self._discs):
            for part in (0, 1):
                if len(enclosures) == self.dimension:
                    return enclosures
                square = self._square(disc, part, squares[k])
                if square is None:
                    return None
                low = isqrt((square[0] << shift) // above)
                high = isqrt((square[1] << shift) // below) + 1
                u = _sides(disc[part], disc[2])
                enclosures.append((low, high) if u[0] >= 0 else (-high, -low))
        return enclosures

    @staticmethod
    def _square(disc: Disc, part: int, share: Enclosure) -> Enclosure | None:
        """share * u^2 / (u^2 + v^2), over 2^bits like the share; None if the disc is too near 0."""
        near, far = _squares(*disc)
        if near == 0:
            return None
        u = _size(_sides(disc[part], disc[2]))
        return share[0] * u[0] * u[0] // far, min(share[1], -(-share[1] * u[1] * u[1] // near))
