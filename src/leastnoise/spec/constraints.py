"""Constraints a user may ask for, and the check that they make sense together.

The objects themselves live with the checker, which must read them without the rest of the
package; from here on they are part of the question.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..certify.constraints import (
    Constraint,
    Distinguishing,
    Dual,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
    ends_of,
    mirror_free,
)
from ..certify.limits import MAX_CONSTRAINTS
from ..errors import ArgumentError

__all__ = [
    "Constraint", "Distinguishing", "Dual", "LossAtMost", "MaxError", "Monotone", "Support",
    "Symmetric", "Unbiased", "Unimodal", "check_constraints", "ends_of", "mirror_free",
]

_KINDS = (
    "a list of Support, MaxError, Monotone, Symmetric, Unimodal, Unbiased, Distinguishing or "
    "LossAtMost"
)


def check_constraints(
    constraints: Iterable[Constraint] | Constraint, integer: bool
) -> tuple[Constraint, ...]:
    """The constraints as a tuple; refuses what is none and what no noise can obey."""
    if isinstance(constraints, Constraint):
        constraints = (constraints,)
    try:
        found = tuple(constraints)
    except TypeError:
        raise ArgumentError("constraints", constraints, _KINDS) from None
    if not all(isinstance(one, Constraint) for one in found):
        raise ArgumentError("constraints", constraints, _KINDS)
    if len(found) > MAX_CONSTRAINTS:
        raise ArgumentError("constraints", constraints, f"at most {MAX_CONSTRAINTS} of them")
    low, high = ends_of(found)
    if low is not None and high is not None and not _room(low, high, integer):
        raise ArgumentError("constraints", found, "supports that overlap")
    if any(isinstance(one, Distinguishing) for one in found) and (low is None or high is None):
        raise ArgumentError(
            "constraints", found,
            "with a Support of two ends (or MaxError) when Distinguishing is asked for: without a "
            "declared support a grain of noise everywhere would satisfy it",
        )
    modes = {one.at for one in found if isinstance(one, (Monotone, Unimodal))}
    if len(modes) > 1:
        raise ArgumentError("constraints", found, "with one mode, not several")
    return found


def _room(low: Fraction, high: Fraction, integer: bool) -> bool:
    if integer:
        return -(-low // 1) <= high // 1
    return low < high
