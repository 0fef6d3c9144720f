"""Several numbers at once on the command line: showing a design for a shape."""

from __future__ import annotations

from typing import Any

from ..formatting import UNPROVEN, outwards
from .shared import say


def describe(found: Any) -> dict[str, Any]:
    """What `design --shape S --json` prints."""
    return {
        "kind": found.document.kind,
        **found.plain(),
        "gap": found.gap,
        "status": found.status,
        "seconds": found.stats["seconds"],
        "std": found.noise.std,
        "error_95": found.error_bound(0.95),
        "error_95_of_all": found.error_bound(0.95, all_at_once=True),
    }


def show(found: Any) -> None:
    """The same for people."""
    word = "proven" if found.certified else UNPROVEN
    lines = [
        f"noise for {found.dimension} numbers at once, epsilon {found.epsilon:g}, "
        f"delta {found.delta:g}, {found.shape!r}, loss {found.loss_name}",
        f"  expected loss at most      {outwards(found.upper, 8, True)}  (of this noise, {word})",
        f"  no noise has less than     {outwards(found.lower, 8, False)}  ({word})",
        f"  std of a number            {found.noise.std:.6g}",
        f"  95% of errors within       {found.error_bound(0.95):.6g}  (of each number)",
        f"  95% of errors within       {found.error_bound(0.95, all_at_once=True):.6g}  (of all)",
        f"{found.status}; {found.stats['seconds']:.2f} s.",
    ]
    say("\n".join(lines))
