"""The file of noise for several numbers at once, kind "joint": what it holds, how it is read.

What the keys mean is stated in `joint.proof.md`. Standard library only.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from ...losses import L1, L2
from ...problem.shape import MAX_NUMBERS, MAX_SPARSE, WEIGHT_BITS, Block, Shape, short_weights
from ...problem.shape_problem import ShapeProblem
from ..base import MechanismFile
from ..certificates.bases import Bases
from ..certificates.cells import Cells
from ..certificates.flow import Flow
from ..certificates.shaped import NoProof, ShapeProof
from ..certificates.sums import Sums
from ..certificates.volume import Volume
from ..codec import (
    DELTA,
    EPSILON,
    FLAG,
    LOSS,
    NOT_NEGATIVE,
    POSITIVE,
    Record,
    Within,
    integer,
    one_of,
    record,
    several,
)
from ..fields import demand
from ..layout import Layout, by_key
from ..noise.shapes.elliptical import EuclideanNoise, GaussianNoise
from ..noise.shapes.knorm import KNorm
from ..noise.shapes.shaped import ShapeNoise

JointFile = MechanismFile[ShapeProblem, ShapeNoise, ShapeProof]


def _check_block(block: Block) -> None:
    demand(block.most <= block.numbers, '"most" must be at most "numbers"')
    demand(block.box or block.numbers <= MAX_SPARSE, f'"numbers" must be at most {MAX_SPARSE}')


def _check_shape(shape: Shape) -> None:
    demand(1 <= shape.dimension <= MAX_NUMBERS, f'"blocks" must have 1 to {MAX_NUMBERS} numbers')


def _check_problem(problem: ShapeProblem) -> None:
    """`FormatError` unless the shape, the loss and the weights go together."""
    demand(problem.epsilon > 0, '"epsilon" must be positive')
    demand(problem.loss in (L1(), L2()), '"loss" must be l1 or l2')
    for block in problem.shape.blocks:
        whole = block.width.denominator == 1
        demand(not problem.integer or whole, '"width" must be an integer if "integer" is true')
        demand(
            problem.integer or block.box,
            '"integer" must be true where not all numbers move at once',
        )
    _check_weights(problem)
    if problem.largest:
        demand(problem.loss == L1(), '"loss" must be l1 for the largest error')
        demand(not problem.weights, '"weights" are for means')
        shape = problem.shape
        plain = len(shape.blocks) == 1 and shape.boxes
        demand(plain, '"largest" is for one block whose numbers all move')


def _check_weights(problem: ShapeProblem) -> None:
    blocks = len(problem.shape.blocks)
    if problem.weights:
        demand(len(problem.weights) == blocks, f'"weights" must be a list of {blocks} entries')
        words = f'"weights" must be of at most {WEIGHT_BITS} bits together'
        demand(short_weights(problem.weights), words)
        demand(set(problem.weights) != {1}, '"weights" must be left out where all are 1')


_COUNT_OF_NUMBERS = integer(1, MAX_NUMBERS)
_BLOCK = record(
    Block, _check_block, numbers=_COUNT_OF_NUMBERS, most=_COUNT_OF_NUMBERS, width=POSITIVE
)
_SHAPE = record(Shape, _check_shape, blocks=several(_BLOCK, MAX_NUMBERS), one_sided=FLAG)
_PROBLEM = record(
    ShapeProblem,
    _check_problem,
    optional={"weights": ()},
    keys={"shape": "sensitivity"},
    epsilon=EPSILON,
    delta=DELTA,
    shape=_SHAPE,
    loss=LOSS,
    largest=FLAG,
    integer=FLAG,
    weights=several(POSITIVE, MAX_NUMBERS, 1),
)


def _noise(cls: type[Any], check: Any = None) -> Record[Any]:
    return record(cls, check, grid=POSITIVE, noise=Within(record(cls, without=["grid"])))


#: Files of kind "joint".
JOINT = Layout(
    ("joint",),
    _PROBLEM,
    by_key(
        "noise",
        _noise(KNorm),
        balls=_noise(EuclideanNoise, EuclideanNoise.check),
        each=_noise(GaussianNoise, GaussianNoise.check),
    ),
    one_of(
        record(NoProof),
        bases=record(Bases, Bases.check),
        curves=record(Volume, Volume.check),
        shifts=record(Sums),
        cells=record(Cells),
        rates=record(Flow, Flow.check),
    ),
    ("epsilon", "delta", "sensitivity", "loss", "largest", "integer", "grid", "noise", "weights"),
    upper=NOT_NEGATIVE,
    lower=NOT_NEGATIVE,
)


def is_joint(file: object) -> TypeGuard[JointFile]:
    """Whether this is a file of noise for several numbers at once."""
    return isinstance(file, MechanismFile) and file.kind == "joint"
