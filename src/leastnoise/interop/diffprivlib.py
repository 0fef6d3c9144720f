"""A design behind the interface of diffprivlib's mechanisms; diffprivlib is not needed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from ..exact import Number
from ..losses import Loss
from ..noise.release import exact_value

if TYPE_CHECKING:
    from ..design import Design


class OptimalMechanism:
    """Wherever code calls `mechanism.randomise(value)`: the least noise for the budget.

    The arguments are those of diffprivlib's additive mechanisms, and the loss to minimise.
    `randomise` is `Design.release`: (epsilon, delta)-private for any two values at most
    `sensitivity` apart, on operating system entropy; a seed is therefore refused. It never changes.
    """

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number = 0.0,
        sensitivity: Number,
        loss: str | Loss = "l1",
        integer: bool = False,
        random_state: None = None,
        design: Design | None = None,
    ) -> None:
        if random_state is not None:
            raise ArgumentError("random_state", random_state, "None: the noise must be secret")
        if design is None:
            from ..design import design as run

            design = run(
                epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss, integer=integer
            )
        self.design = design
        self.random_state = None

    @classmethod
    def of(cls, design: Design) -> OptimalMechanism:
        """The mechanism of a design that exists already."""
        document = design.document
        return cls(
            epsilon=document.epsilon, delta=document.delta, sensitivity=document.sensitivity,
            design=design,
        )

    @property
    def epsilon(self) -> float:
        """The privacy budget's epsilon."""
        return self.design.epsilon

    @property
    def delta(self) -> float:
        """The privacy budget's delta."""
        return self.design.delta

    @property
    def sensitivity(self) -> float:
        """How far apart the values on neighbouring datasets may be."""
        return self.design.sensitivity

    def randomise(self, value: Any) -> Any:
        """A private release of `value`; for an array, one independent release per element."""
        return self.design.release(value)

    def bias(self, value: Any) -> float:
        """The mean error of a release: the noise's own mean, as the rounding has none."""
        exact_value(value)
        return self.design.noise.mean

    def variance(self, value: Any) -> float:
        """The variance of a release of `value`: grid noise, and the random rounding to the grid."""
        noise, number = self.design.noise, exact_value(value)
        if noise.integer:
            return noise.variance
        g = float(noise.grid_step)
        scaled = number / noise.grid_step
        up = float(scaled - math.floor(scaled))
        # A cell of r grid points has the variance (b^2 - g^2)/12, where a whole cell has b^2/12.
        return noise.variance - (1 - noise.atom) * g * g / 12 + g * g * up * (1 - up)

    def mse(self, value: Any) -> float:
        """The mean squared error of a release of `value`."""
        return self.variance(value) + self.bias(value) ** 2

    def copy(self) -> OptimalMechanism:
        """Itself: it never changes."""
        return self

    def __repr__(self) -> str:
        return (
            f"OptimalMechanism(epsilon={self.epsilon:g}, delta={self.delta:g}, "
            f"sensitivity={self.sensitivity:g}, loss={self.design.loss_name})"
        )
