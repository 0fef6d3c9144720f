"""A design behind the interface of diffprivlib's mechanisms; diffprivlib is not needed.

Where it is installed, `OptimalMechanism` is one of its `DPMechanism`s, so that its transforms and
whatever asks for one take ours.
"""

from __future__ import annotations

import math
from fractions import Fraction
from importlib.util import find_spec
from numbers import Real
from random import SystemRandom
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, DataError
from ..exact import Number
from ..losses import Loss
from ..noise.release import exact_value
from .claims import ONE_NUMBER, demand_kind

if TYPE_CHECKING:
    from ..design import Design
    from ..noise import AdditiveNoise


def _base() -> type:
    """diffprivlib's own base class, or `object` without it (or with one that does not import)."""
    if find_spec("diffprivlib") is None:
        return object
    try:
        from diffprivlib.mechanisms import DPMechanism
    except ImportError:
        return object
    base: type = DPMechanism
    return base


_Base: Any = _base()


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument is of the wrong type: a `TypeError`, as diffprivlib raises it."""


class DataTypeError(DataError, TypeError):
    """A value to be protected is no number; it is not shown."""


class OptimalMechanism(_Base):
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
        random_state: SystemRandom | None = None,
        design: Design[AdditiveNoise] | None = None,
    ) -> None:
        if random_state is not None and not isinstance(random_state, SystemRandom):
            raise ArgumentError(
                "random_state",
                random_state,
                "None, or SystemRandom() of random or secrets: the noise must be secret",
            )
        if design is None:
            from ..design import design as run

            for name, number in (
                ("epsilon", epsilon),
                ("delta", delta),
                ("sensitivity", sensitivity),
            ):
                if isinstance(number, (bool, str)) or not isinstance(number, Real):
                    raise ArgumentTypeError(name, number, "a real number")
            if integer and isinstance(sensitivity, float) and not sensitivity.is_integer():
                raise ArgumentTypeError("sensitivity", sensitivity, "an integer for integer noise")
            design = run(
                epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss, integer=integer
            )
        self.design = design
        self.random_state = None

    @classmethod
    def of(cls, design: Design[AdditiveNoise]) -> OptimalMechanism:
        """The mechanism of a design that exists already."""
        demand_kind(design, *ONE_NUMBER)
        if design.total is None or design.releases > 1:
            raise ArgumentError(
                "design", str(design), "a design with an epsilon and a delta for one release"
            )
        document = design.document
        return cls(
            epsilon=document.epsilon,
            delta=document.delta,
            sensitivity=document.sensitivity,
            design=design,
        )

    @property
    def epsilon(self) -> float:
        """The privacy budget's epsilon."""
        assert self.design.epsilon is not None
        return self.design.epsilon

    @property
    def delta(self) -> float:
        """The privacy budget's delta."""
        assert self.design.delta is not None
        return self.design.delta

    @property
    def sensitivity(self) -> float:
        """How far apart the values on neighboring datasets may be."""
        return self.design.sensitivity

    def randomise(self, value: Any) -> Any:
        """A private release of `value`; for an array, one independent release per element."""
        if isinstance(value, (str, bytes, complex)) or value is None:
            raise DataTypeError("value", type(value), "a number, or an array of numbers")
        if self.design.integer and isinstance(value, float) and not value.is_integer():
            raise DataTypeError(
                "value", type(value), "an integer: this noise is for integer queries"
            )
        return self.design.release(value)

    def bias(self, value: Any) -> float:
        """The mean error of a release: the noise's own mean, as the rounding has none.

        Exactly 0 for symmetric noise.
        """
        _number(value)
        return 0.0 if self._symmetric else self.design.noise.mean

    @property
    def _symmetric(self) -> bool:
        document = self.design.noise.document
        if document.noise.edges is not None:
            mirrored = tuple(-edge for edge in document.noise.edges[::-1])
            placed = mirrored == document.noise.edges
        else:
            placed = 2 * document.noise.first + len(document.noise.weights) == 1
        return placed and document.noise.weights == document.noise.weights[::-1]

    def variance(self, value: Any) -> float:
        """The variance of a release of `value`: grid noise, and the random rounding to the grid."""
        noise, number = self.design.noise, _number(value)
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

    def _check_all(self, value: Any) -> bool:
        """Whether the value can be released; diffprivlib's own name for it."""
        _number(value)
        return True

    def copy(self) -> OptimalMechanism:
        """Itself: it never changes."""
        return self

    def __repr__(self) -> str:
        return (
            f"{type(self).__module__}.{type(self).__name__}(epsilon={self.epsilon:g}, "
            f"delta={self.delta:g}, sensitivity={self.sensitivity:g}, "
            f"loss={self.design.loss_name})"
        )


def _number(value: Any) -> Fraction:
    """The exact number that a value is; a `TypeError` that does not show it if it is none."""
    if isinstance(value, (str, bytes)) or not isinstance(value, (Real, np.number)):
        raise DataTypeError("value", type(value), "a number")
    return exact_value(value)
