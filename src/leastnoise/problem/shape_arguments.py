"""The arguments of `design` for a shape, checked before anything is computed."""

from __future__ import annotations

from fractions import Fraction

from ..errors import ArgumentError, Described
from ..losses import L1, L2, as_loss
from .arguments import Arguments, DesignRequest, ShapeArguments
from .budgets import check_budgets
from .checks import check_gap, check_progress, check_sensitivity, check_sizes, check_time_limit
from .shape import MAX_SPARSE_STEPS, Shape, short_weights, weighed
from .shape_problem import ShapeProblem

#: The name of the loss that is the largest error of all numbers.
LARGEST = "largest"
#: The gap that is asked for if nobody says which.
_GAP = 1e-3
#: What `design` takes for a shape; whatever else is given is refused.
_TAKEN = ("sensitivity", *ShapeArguments.__annotations__)
#: The most levels that draws are likely to reach, dimension / epsilon.
_MOST_LEVELS = 1_000_000
#: The largest width of whole numbers.
_MOST_WIDTH = 1_000_000


def shaped(arguments: Arguments) -> DesignRequest[ShapeProblem]:
    """What is meant; refuses what makes no sense, naming the argument."""
    for name, value in arguments.given().items():
        if name not in _TAKEN:
            raise ArgumentError(name, value, "left out for a shape")
    shape = arguments.sensitivity
    assert isinstance(shape, Shape)
    integer, largest = arguments.integer, arguments.loss == LARGEST
    for name in ("epsilon", "delta"):
        check_sizes(name, getattr(arguments, name))
    (epsilon, delta), _, _ = check_budgets(arguments.epsilon, arguments.delta, None, None)
    _check_epsilon(epsilon, shape)
    if not isinstance(integer, bool):
        raise ArgumentError("integer", integer, "True or False")
    cost = L1() if largest else as_loss(arguments.loss)
    if cost not in (L1(), L2()):
        raise ArgumentError("loss", cost.name, '"l1", "l2" or "largest" for a shape')
    for width in shape.widths:
        check_sensitivity(width, integer)
        if integer and width > _MOST_WIDTH:
            raise ArgumentError(
                "sensitivity", width, f"a shape of widths up to {_MOST_WIDTH} with integer=True"
            )
    if not integer and not shape.boxes:
        raise ArgumentError("integer", integer, "True when a unit moves only some of the numbers")
    if largest and not (shape.boxes and len(shape.blocks) == 1):
        raise ArgumentError("loss", LARGEST, '"l1" or "l2" unless the shape is a Cube of one width')
    weights: tuple[Fraction, ...] = ()
    if arguments.weights is not None:
        if largest:
            raise ArgumentError("weights", "given", "left out for the largest error")
        shape, weights = weighed(shape, arguments.weights)
    if not short_weights(weights):
        described = Described("numbers of very many digits")
        raise ArgumentError("weights", described, "numbers of fewer digits")
    gap = arguments.gap
    check_progress(arguments.progress)
    return DesignRequest(
        ShapeProblem(epsilon, delta, shape, cost, largest, integer, weights),
        float(check_gap(_GAP if gap is None else gap)),
        check_time_limit(arguments.time_limit),
        None,
        arguments.progress,
    )


def _check_epsilon(epsilon: Fraction, shape: Shape) -> None:
    """So large that draws take no more than moments."""
    if epsilon == 0:
        raise ArgumentError("epsilon", epsilon, "positive for several numbers at once")
    least = Fraction(shape.dimension, _MOST_LEVELS)
    for block in shape.blocks:
        if not block.box:
            least = max(least, shape.dimension * block.width / MAX_SPARSE_STEPS)
    if epsilon < least:
        raise ArgumentError("epsilon", epsilon, f"at least {float(least):g} for this shape")
