"""How narrow the support of private noise can be: a bracket in closed form.

Statement and proof: `support.proof.md`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ....errors import ArgumentError
from ....exact import exp_lower, exp_upper, round_down, round_up, text_of
from ....problem import Problem, ends_of, foldable

#: More sensitivities than this fit into no mechanism file.
_MOST = 60_000


def block_mass(blocks: int, exponential: Fraction) -> Fraction:
    """M_k: the most that k neighboring stretches of one sensitivity hold, in units of delta.

    Stretch i from the nearer end holds at most e^(i eps) delta.
    """
    half, odd = divmod(blocks, 2)
    if exponential == 1:
        return Fraction(blocks)
    both = 2 * (exponential**half - 1) / (exponential - 1)
    return both + (exponential**half if odd else 0)


def smallest_width(
    epsilon: Fraction, delta: Fraction, sensitivity: Fraction, integer: bool = False
) -> tuple[Fraction, Fraction]:
    """(needed, enough): no private noise is narrower than `needed`, some is as narrow as `enough`.

    The width of a support [low, high] is high - low; for integers the number of whole numbers in
    it. Both are within one sensitivity of each other. Infinite supports are refused: delta > 0.
    """
    if delta <= 0:
        raise ArgumentError("delta", text_of(delta), "positive for noise of bounded support")
    need = _blocks(delta, exp_upper(epsilon))
    have = _blocks(delta, exp_lower(epsilon))
    before = block_mass(have - 1, exp_lower(epsilon))
    after = block_mass(have, exp_lower(epsilon))
    share = (1 / delta - before) / (after - before)
    enough = (have - 1 + share) * sensitivity
    needed = (need - 1) * sensitivity
    return (needed + 1, Fraction(math.ceil(enough))) if integer else (needed, enough)


def _blocks(delta: Fraction, exponential: Fraction) -> int:
    """The least k with delta * M_k >= 1."""
    low, high = 0, 1
    while delta * block_mass(high, exponential) < 1:
        low, high = high, 2 * high
        if high > 4 * _MOST:
            raise ArgumentError("delta", float(delta), "larger: the noise would not fit a file")
    while high - low > 1:
        middle = (low + high) // 2
        enough = delta * block_mass(middle, exponential) >= 1
        low, high = (low, middle) if enough else (middle, high)
    return high


def refuse_narrow(problem: Problem) -> None:
    """`ArgumentError` if the support is too narrow for any private noise, with what is needed."""
    width = _width(problem)
    if width is None:
        return
    if problem.gdp is not None:
        raise ArgumentError(
            "constraints",
            _named(problem),
            "without an end of the support: bounded noise is below no Gaussian curve",
        )
    for epsilon, delta in problem.budgets:
        if delta == 0:
            raise ArgumentError(
                "constraints",
                _named(problem),
                f"without an end of the support while delta is 0 at epsilon={text_of(epsilon)}: "
                "noise that ends somewhere rules neighbors out",
            )
        if math.isinf(width):
            continue
        needed, enough = smallest_width(epsilon, delta, problem.sensitivity, problem.integer)
        if Fraction(width) < needed:
            unit = "integers" if problem.integer else "in width"
            raise ArgumentError(
                "constraints",
                _named(problem),
                f"constraints that allow a support of at least {_down(needed)} {unit}: no "
                f"narrower noise satisfies epsilon={text_of(epsilon)}, delta={text_of(delta)}, and "
                f"{_up(enough)} always suffice",
            )


def support_words(problem: Problem) -> str:
    """What is known about the smallest support, for a message; empty if there is none."""
    width = _width(problem)
    if width is None or math.isinf(width):
        return ""
    both = [smallest_width(e, d, problem.sensitivity, problem.integer) for e, d in problem.budgets]
    needed, enough = max(a for a, _ in both), max(b for _, b in both)
    return (
        f" (a support must be at least {_down(needed)} wide for privacy alone, "
        f"and {_up(enough)} is enough for that)"
    )


def _width(problem: Problem) -> Fraction | float | None:
    """How wide the support is; None without one, infinity with one end."""
    low, high = ends_of(problem.constraints)
    if low is None and high is None:
        return None
    if foldable(problem.constraints, problem.loss):
        sizes = [size for size in (None if low is None else -low, high) if size is not None]
        low, high = -min(sizes), min(sizes)
    if low is None or high is None:
        return math.inf
    if problem.integer:
        return Fraction(max(0, high // 1 + (-low) // 1 + 1))
    return high - low


def _named(problem: Problem) -> list[dict[str, object]]:
    return [constraint.spec() for constraint in problem.constraints]


def _up(value: Fraction) -> str:
    return f"{float(round_up(value, 6)):.6g}"


def _down(value: Fraction) -> str:
    return f"{float(round_down(value, 6)):.6g}"
