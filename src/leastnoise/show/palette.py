"""One mechanism, one look: its colour, dash and marker are the same in every picture.

The colours are Okabe and Ito's and neighbors of them; dashes differ, too, so that the
pictures read in grey and without colour vision. An integer mechanism looks like the continuous one
that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

INK, PAPER, FAINT = "#000000", "#FFFFFF", "#D8D8D8"


@dataclass(frozen=True)
class Look:
    """How a mechanism is drawn."""

    colour: str
    dash: Any
    marker: str
    width: float = 1.5

    @property
    def line(self) -> dict[str, Any]:
        """Arguments for a line."""
        return {"color": self.colour, "linestyle": self.dash, "linewidth": self.width}


#: A design, and what is achieved: solid black.
DESIGN = Look(INK, "-", "o", 1.9)
#: What is proven to be out of reach, wherever a bound is drawn.
BOUND = Look("#767676", (0, (2, 2)), "^", 1.3)

_LOOKS = {
    "laplace": Look("#0072B2", (0, (6, 2)), "s"),
    "calibrated-laplace": Look("#56B4E9", (0, (10, 3)), "P"),
    "truncated-laplace": Look("#009E73", (0, (6, 2, 1, 2)), "D"),
    "gaussian": Look("#E69F00", (0, (1, 3)), "<"),
    "analytic-gaussian": Look("#D55E00", (0, (1, 1.3)), "^"),
    "gaussian-mixture": Look("#994F00", (0, (5, 1, 1, 1)), "d"),
    "staircase": Look("#CC79A7", (0, (3, 1, 1, 1, 1, 1)), "v"),
    "atom-staircase": Look("#AA3377", (0, (3, 1, 1, 1)), ">"),
    "tulap": Look("#7A6000", (0, (4, 1.5)), "X"),
    "uniform": Look("#882255", (0, (8, 2, 1, 2, 1, 2)), "p"),
    "uniform-atom": Look("#44AA99", (0, (8, 2, 2, 2)), "h"),
}
_LOOKS |= {
    "discrete-laplace": _LOOKS["laplace"],
    "truncated-discrete-laplace": _LOOKS["truncated-laplace"],
    "discrete-gaussian": _LOOKS["analytic-gaussian"],
    "rounded-tulap": _LOOKS["tulap"],
}
#: Mechanisms that are not of this package.
_OTHER = Look("#555555", (0, (12, 2, 2, 2)), "*")
#: Further designs in one picture.
_MORE = ((0, (5, 1)), (0, (2, 1)), (0, (5, 1, 1, 1)), (0, (1, 1)))


def look_of(name: str) -> Look:
    """The look of a mechanism by its name; "design" for a design."""
    return DESIGN if name == "design" else _LOOKS.get(name, _OTHER)


def looks_of(names: Iterable[str]) -> list[Look]:
    """Looks for one picture: a second design gets a dash of its own."""
    looks, designs = [], 0
    for name in names:
        look = look_of(name)
        if name == "design":
            if designs:
                look = Look(look.colour, _MORE[(designs - 1) % len(_MORE)], "o", 1.6)
            designs += 1
        looks.append(look)
    return looks
