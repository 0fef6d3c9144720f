"""Products of matrices of whole numbers, exact and fast enough; standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from ..work import charge

Whole = Sequence[Sequence[int]]
Lists = list[list[int]]


def product(a: Whole, b: Whole) -> Lists:
    """a b. Each row of b is packed into one long number, with room enough for every sum."""
    left = _largest(a)
    most = left * _largest(b) * len(b)
    size = (most.bit_length() + 9) // 8  # bytes of a number and its sign
    width = len(b[0])
    charge(len(a) * len(b) // 20 + (len(a) + len(b)) * width // 4)
    used = sum(len(row) - row.count(0) for row in a)
    charge(used * _nanoseconds(left, size * width) // 1000)
    half = 1 << (8 * size - 1)  # above most, so that no sum borrows from its neighbor
    shift = _packed([half] * width, 8 * size)
    packed = [_packed(row, 8 * size) for row in b]
    rows = []
    for row in a:
        total = shift + sum(x * y for x, y in zip(row, packed, strict=True) if x)
        line = total.to_bytes(size * width + 1, "little")
        rows.append(
            [
                int.from_bytes(line[k : k + size], "little") - half
                for k in range(0, size * width, size)
            ]
        )
    return rows


def _nanoseconds(factor: int, length: int) -> int:
    """Of adding a multiple of a number of so many bytes, as measured on a busy machine.

    Python's digits have 30 bits: one pass for each digit of the factor, one for the sum.
    """
    digits = 1 + factor.bit_length() // 30
    return 300 + length * 8 // 30 * 13 * (digits + 1) // 20


def _packed(row: Sequence[int], bits: int) -> int:
    """The sum of row[j] 2^(bits j), by halves."""
    digits = list(row)
    while len(digits) > 1:
        pairs = zip(digits[::2], [*digits[1::2], 0], strict=False)
        digits, bits = [a + (b << bits) for a, b in pairs], 2 * bits
    return digits[0]


def _largest(a: Whole) -> int:
    return max((max(map(abs, row), default=0) for row in a), default=0)


def transposed(a: Whole) -> Lists:
    """a^T."""
    return [list(column) for column in zip(*a, strict=True)]


def sandwich(frame: Whole | None, m: Whole) -> Whole:
    """frame^T m frame; m itself if the frame is the identity (None)."""
    return m if frame is None else product(transposed(frame), product(m, frame))


def spread(frame: Whole | None, m: Whole) -> Whole:
    """frame m frame^T; m itself if the frame is the identity (None)."""
    return m if frame is None else product(frame, product(m, transposed(frame)))


def dot(a: Whole, b: Whole) -> int:
    """The trace of a b^T."""
    charge(len(a) * len(a[0]) // 4)
    return sum(x * y for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


def row_sum(a: Whole) -> int:
    """The largest sum of the sizes of a row: no eigenvalue of a is larger in size."""
    return max(sum(map(abs, row)) for row in a)


def root_up(x: Fraction) -> Fraction:
    """At least the square root of x >= 0; less than 2^-80, or that part of it, above it."""
    scale = 1 << (80 + max(0, x.denominator.bit_length() - x.numerator.bit_length()) // 2)
    return Fraction(isqrt(x.numerator * scale * scale // x.denominator) + 1, scale)
