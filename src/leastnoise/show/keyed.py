"""Private group keys: how often one is released, and its error, beside baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..formatting import number
from .captions import wrap
from .palette import look_of
from .picture import Picture, canvas

if TYPE_CHECKING:
    from ..design import Design
    from ..noise.selection import SelectionNoise

#: Points of a curve, at most.
_POINTS = 300
#: Keys released more rarely than this have no error worth drawing.
_RARE = 1e-3


def plot_keyed(
    design: Design[SelectionNoise], path: str | Path | None = None, width: float | None = None
) -> Picture:
    """The probability that a key is released, and the loss of its count, by its number of units."""
    rows = list(design.compare())
    last = max(2 * design.noise.group_size_for(0.95), *(row["mostly_from"] + 3 for row in rows))
    numbers = range(1, last + 1, -(-last // _POINTS))
    with canvas(9.2, 4.0, path, width) as picture:
        left, right = picture.figure.subplots(1, 2)
        for row in rows:
            line = look_of(row.name).line
            shown = [row.mechanism.release_probability(n) for n in numbers]
            left.plot(numbers, shown, label=row.label, **line)
            seen = [n for n, p in zip(numbers, shown, strict=True) if p >= _RARE]
            losses = [row.mechanism.expected_error(n, design.loss) for n in seen]
            right.plot(seen, losses, label=row.label, **line)
        left.set(xlabel="units that have the key", ylabel="probability of release")
        left.set_ylim(0, 1.04)
        right.set(
            xlabel="units that have the key",
            ylabel=f"expected loss ({design.loss_name}) of its count, if released",
        )
        right.set_ylim(0, None)
        right.legend(loc="upper right")
        competitors = design.noise.document.problem.competitors
        words = f"{competitors} releases more; largest error {number(design.noise.reach)}"
        head = wrap(f"{design.caption}\n{words}", picture.width, 10)
        picture.figure.suptitle(head, fontsize=10)
    return picture
