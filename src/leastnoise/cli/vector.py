"""Vectors on the command line: showing a design for them."""

from __future__ import annotations

from typing import Any

from ..words import UNPROVEN, outwards


def describe(found: Any) -> dict[str, Any]:
    """What `design --dimension D --json` prints: plain numbers, the bracket rounded outwards."""
    return {
        "kind": "vector",
        "dimension": found.dimension,
        "epsilon": found.epsilon,
        "delta": found.delta,
        "sensitivity": found.sensitivity,
        "loss": found.loss_name,
        "lower": found.lower,
        "upper": found.upper,
        "gap": found.gap if found.gap != float("inf") else None,
        "certified": found.certified,
        "converged": found.converged,
        "status": found.status,
        "seconds": found.stats["seconds"],
        "rounds": found.stats["rounds"],
        "std_of_a_coordinate": found.noise.variance**0.5,
        "error_95": found.noise.error_radius(0.95),
    }


def lines(found: Any) -> list[str]:
    """The same for people."""
    word = "proven" if found.certified else UNPROVEN
    noise = found.noise
    return [
        f"noise for {found.dimension} numbers, epsilon {found.epsilon:g}, delta {found.delta:g}, "
        f"Euclidean sensitivity {found.sensitivity:g}, loss {found.loss_name} of the norm",
        f"  expected loss at most      {outwards(found.upper, 8, True)}  (of this noise, {word})",
        f"  no noise can go below      {outwards(found.lower, 8, False)}  ({word})",
        f"  std of a coordinate        {noise.variance**0.5:.6g}",
        f"  95 % of errors within      {noise.error_radius(0.95):.6g}  (Euclidean)",
        f"  no error beyond            {noise.radii[-1]:.6g}",
        f"{found.status}; {found.stats['seconds']:.2f} s.",
    ]
