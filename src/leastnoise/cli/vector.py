"""Vectors on the command line: reading them, and showing a design for them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import ArgumentError
from ..words import UNPROVEN, outwards


def lines_of(path: Path) -> list[str]:
    """The lines of a file that hold something; "-" is the standard input."""
    if str(path) == "-":
        text = sys.stdin.read()
    else:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise ArgumentError("rows", str(path), "a text file that can be read") from None
    return [line for line in text.splitlines() if line.strip()]


def vectors_of(texts: Sequence[str], dimension: int) -> list[list[str]]:
    """One vector for each text, its numbers between commas or spaces.

    As many single numbers as the dimension are one vector.
    """
    split = [text.replace(",", " ").split() for text in texts]
    if len(split) == dimension and all(len(one) == 1 for one in split):
        return [[number for one in split for number in one]]
    return split


def describe(found: Any) -> dict[str, Any]:
    """What `design --dimension D --json` prints: plain numbers, the bracket rounded outwards."""
    return {
        "dimension": found.dimension, "epsilon": found.epsilon, "delta": found.delta,
        "sensitivity": found.sensitivity, "loss": found.loss_name,
        "lower": found.lower, "upper": found.upper,
        "gap": found.gap if found.gap != float("inf") else None,
        "certified": found.certified, "converged": found.converged, "status": found.status,
        "seconds": found.stats["seconds"], "rounds": found.stats["rounds"],
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
