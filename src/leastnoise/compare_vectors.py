"""What every noise for a vector would cost at a budget, beside the best possible."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .baselines.vectors import VectorBaseline, baselines, split_design_baseline
from .compared import Compared, ComparedRow, excess_of
from .design import VectorDesign
from .errors import LeastnoiseError
from .formatting import outwards

#: Seconds for our own noise on each coordinate.
_SPLIT_SECONDS = 5.0


@dataclass(frozen=True)
class VectorRow(ComparedRow):
    """One noise; losses and errors are those of the norm, of other noise exact up to rounding."""

    #: The smallest t with P(|noise| <= t) >= 95 %; None where there is no closed form.
    error_95: float | None
    note: str = ""


@dataclass(frozen=True)
class VectorComparison(Compared[VectorRow]):
    """Noises that are private for a vector at a budget, the least expected loss first.

    `lower` is proven: no additive noise with this budget has a smaller expected loss.
    """

    design: VectorDesign

    def to_json(self) -> dict[str, Any]:
        """What `leastnoise compare --dimension D --json` prints."""
        return {"dimension": self.design.dimension} | super().to_json()

    def plot(self, path: str | Path | None = None) -> Any:
        """The radial density beside Gaussian and exponential noise (extra `plot`)."""
        return self.design.plot(path)

    def __repr__(self) -> str:
        d = self.design
        lines = [
            f"VectorComparison at dimension={d.dimension}, epsilon={d.epsilon:g}, "
            f"delta={d.delta:g}, sensitivity={d.sensitivity:g}, loss {d.loss_name} of the norm: "
            f"no additive noise is below {outwards(d.lower, 6, False)}",
            f"  {'noise':<46}{'loss':>11}{'excess':>10}{'95% error':>12}",
        ]
        for row in self.rows:
            error = "-" if row.error_95 is None else f"{row.error_95:.5g}"
            lines.append(
                f"  {row.label:<46}{row.loss:>11.6g}{100 * row.excess:>9.1f}%{error:>12}"
                + (f"  ({row.note})" if row.note else "")
            )
        return "\n".join(lines)


def beside_vectors(found: VectorDesign) -> VectorComparison:
    """A design for a vector, and beside it what else one would add.

    The baselines are calibrated for the same Euclidean sensitivity.
    """
    epsilon, delta = float(found.document.epsilon), float(found.document.delta)
    budget = (found.dimension, epsilon, delta, found.sensitivity, found.loss)
    others, refused = baselines(*budget), []
    try:
        others.append(split_design_baseline(*budget, time_limit=_SPLIT_SECONDS))
    except LeastnoiseError as error:
        refused.append(("split", str(error)))
    rows = [_row(one, found.lower) for one in others]
    own = VectorBaseline("design", "this design", found.upper, True, found.noise.error_radius(0.95))
    rows.append(_row(own, found.lower))
    rows.sort(key=lambda row: (row.loss, row.name != "design"))
    return VectorComparison(found, tuple(rows), tuple(refused))


def _row(baseline: VectorBaseline, lower: float) -> VectorRow:
    excess = excess_of(baseline.loss, lower)
    note = "" if baseline.exact else "at most this: the root of the expected square"
    return VectorRow(baseline.name, baseline.label, baseline.loss, excess, baseline.error_95, note)
