"""Vectors on the command line: showing a design for them."""

from __future__ import annotations

from typing import Any

from ..formatting import UNPROVEN, outwards
from .demands import bracket_of
from .shared import say


def describe(found: Any) -> dict[str, Any]:
    """What `design --dimension D --json` prints."""
    return {
        **bracket_of(found),
        "dimension": found.dimension,
        "std_of_a_coordinate": found.noise.variance**0.5,
        "error_95": found.noise.error_radius(0.95),
    }


def show(found: Any) -> None:
    """The same for people."""
    word = "proven" if found.certified else UNPROVEN
    noise = found.noise
    lines = [
        f"noise for {found.dimension} numbers, epsilon {found.epsilon:g}, delta {found.delta:g}, "
        f"Euclidean sensitivity {found.sensitivity:g}, loss {found.loss_name} of the norm",
        f"  expected loss at most      {outwards(found.upper, 8, True)}  (of this noise, {word})",
        f"  no noise has less than     {outwards(found.lower, 8, False)}  ({word})",
        f"  std of a coordinate        {noise.variance**0.5:.6g}",
        f"  95% of errors within       {noise.error_radius(0.95):.6g}  (Euclidean)",
        *([] if noise.endless else [f"  largest error              {noise.radii[-1]:.6g}"]),
        f"{found.status}; {found.stats['seconds']:.2f} s.",
    ]
    say("\n".join(lines))
