"""The file of noise for several numbers at once, kind "joint": what it holds, how it is read.

Unknown, missing or repeated keys, wrong types and numbers out of range are refused with a
`FormatError`. What the keys mean is stated in `joint.proof.md`. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..ask.shape import MAX_NUMBERS, MAX_SPARSE, MAX_SPARSE_STEPS, Block, Shape
from ..exact import text_of
from ..losses import L1, L2, Loss
from ..work import bits, charge
from .about import about_text
from .base import MechanismDocument, check_file_keys, head_of, reading
from .block_counts import Side
from .fields import (
    check_keys,
    demand,
    read_bracket,
    read_count,
    read_delta,
    read_epsilon,
    read_exactly,
    read_flag,
    read_integer,
    read_list,
    read_loss,
    read_not_negative,
    read_number,
    read_object,
    read_positive,
)
from .joint_elliptical import FINE, Balls, Elliptical
from .joint_flow import Flow, Place
from .joint_sums import Sums
from .joint_volume import Volume
from .levels import Levels
from .shifts import certificate_from_json, shifts_to_json
from .vector_document import read_balls, read_curves

#: Limits of the checker.
WEIGHT_BITS = 256  # of the common denominator and a numerator
MAX_JOINT_STEPS = 1_000_000  # of the grid to a width
MAX_OFFSET = 1_000_000
MAX_JOINT_RATES = 60_000
MAX_FLOW = 60
MAX_JOINT_CELLS = 1_000
MAX_CUT = 1_000
MAX_ERROR = 1 << 62  # of a number, in steps
MAX_JOINT_BITS = 1_500_000_000  # of all weights that a draw chooses from, and twice that


@dataclass(frozen=True, kw_only=True)
class JointDocument(MechanismDocument):
    """Noise for several numbers and its claims, exactly as stated. Nothing here is checked.

    The noise is x * grid with P(x) ~ ratio^level(x) on vectors of whole numbers; or x is of an
    elliptical law, and then there are no levels.
    """

    KINDS = ("joint",)
    kind = KINDS[0]

    epsilon: Fraction
    delta: Fraction
    shape: Shape
    loss: Loss
    largest: bool = False  # whether the loss is that of the largest error, and not their mean
    integer: bool = False
    grid: Fraction
    ratio: Fraction
    offsets: tuple[int, ...]  # one for each block
    overlap: int | None
    weights: tuple[Fraction, ...]  # of the errors in the mean, one for the numbers of each block
    upper: Fraction
    lower: Fraction
    #: What proves `lower`: rates for a cube of some numbers, multipliers for sums of some, curves
    #: for projections of some, or how many cells a width has.
    certificate: Flow | Sums | Volume | int | None
    elliptical: Elliptical | None = None
    about: str = ""

    @property
    def dimension(self) -> int:
        """How many numbers there are."""
        return self.shape.dimension

    @property
    def sensitivity(self) -> Fraction:
        """The largest move of one number."""
        return max(self.shape.widths)

    @property
    def power(self) -> int:
        """The power of an error that is its loss."""
        return 1 if self.loss == L1() else 2

    @property
    def pure(self) -> bool:
        """Whether the noise is private at delta = 0, whatever delta is stated."""
        return self.elliptical is None

    @property
    def spent_delta(self) -> Fraction:
        """The delta that the noise needs: none by levels."""
        return Fraction(0) if self.pure else self.delta

    @property
    def noise_name(self) -> str:
        """Which noise it is."""
        if self.elliptical is None:
            return "noise by levels"
        return "Gaussian noise" if self.elliptical.balls is None else "Euclidean noise"

    @property
    def levels(self) -> Levels:
        """The noise on the whole numbers, unless its law is elliptical."""
        return Levels(self.sides, self.overlap)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The blocks with their widths in steps of the grid, rounded up, and their offsets."""
        return tuple(
            Side(block.numbers, block.most, math.ceil(block.width / self.grid), offset)
            for block, offset in zip(self.shape.blocks, self.offsets, strict=True)
        )

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file; the sensitivity of this kind is a shape."""
        return {**super().to_json(), "sensitivity": _shape_json(self.shape)}

    def _body_json(self) -> dict[str, Any]:
        if self.elliptical is not None:
            noise = _elliptical_json(self.elliptical)
        else:
            noise = {"ratio": text_of(self.ratio), "offsets": list(self.offsets)}
            if self.overlap is not None:
                noise["overlap"] = self.overlap
        return {
            "largest": self.largest,
            "integer": self.integer,
            "grid": text_of(self.grid),
            "noise": noise,
            **({} if self.even else {"weights": [text_of(one) for one in self.weights]}),
        }

    @property
    def even(self) -> bool:
        """Whether the errors of all numbers weigh the same."""
        return all(one == 1 for one in self.weights)

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """What part of the loss the mean over the numbers of each block is."""
        charge(20 * len(self.weights))
        own = [b.numbers * w for b, w in zip(self.shape.blocks, self.weights, strict=True)]
        total = sum(own)
        return tuple(one / total for one in own)

    def _certificate_json(self) -> dict[str, Any]:
        found = self.certificate
        if found is None:
            return {}
        if isinstance(found, int):
            return {"cells": found}
        if isinstance(found, Volume):
            return {
                "numbers": found.numbers,
                "directions": found.directions,
                "part": text_of(found.part),
                "bound": text_of(found.bound),
                "curves": found.curves.to_json(),
            }
        if isinstance(found, Sums):
            return {
                "numbers": found.numbers,
                "step": text_of(found.one.step),
                "reach": found.one.reach,
                "shifts": shifts_to_json(found.one.shifts, False),
            }
        return {
            "numbers": found.numbers,
            "ranked": found.ranked,
            "unit": text_of(found.unit),
            "rates": [[*place, str(rate)] for place, rate in sorted(found.rates.items())],
            **({"cut": found.cut} if found.cut else {}),
        }


def _elliptical_json(noise: Elliptical) -> dict[str, Any]:
    found: dict[str, Any] = {"each": [text_of(one) for one in noise.each]}
    if noise.common:
        found["common"] = text_of(noise.common)
        found["centres"] = [text_of(one) for one in noise.centres]
    if noise.balls is not None:
        found["balls"] = {
            "denominator": str(noise.balls.denominator),
            "radii": [text_of(radius) for radius in noise.balls.radii],
            "weights": [str(weight) for weight in noise.balls.weights],
        }
    return found


def _shape_json(shape: Shape) -> dict[str, Any]:
    return {
        "blocks": [
            {"numbers": one.numbers, "most": one.most, "width": text_of(one.width)}
            for one in shape.blocks
        ],
        "one_sided": shape.one_sided,
    }


def parse_joint(data: object) -> JointDocument:
    """The document in a JSON object of kind "joint"; `FormatError` if it is not one."""
    with reading():
        return _joint(head_of(data, JointDocument.KINDS))


def _joint(data: dict[str, Any]) -> JointDocument:
    check_file_keys(data, {"largest", "integer", "grid", "noise"}, {"weights"})
    noise = read_object(data["noise"], "noise")
    shape = _shape(data["sensitivity"])
    elliptical = _elliptical(noise, shape) if "each" in noise else None
    if elliptical is not None:  # nothing is drawn by levels
        noise = {"ratio": "1/2", "offsets": [0] * len(shape.blocks)}
    check_keys(noise, "noise", {"ratio", "offsets"}, {"overlap"})
    grid = read_positive(data["grid"], "grid")
    integer = read_flag(data["integer"], "integer")
    demand(not integer or grid == 1, '"grid" must be 1 for whole numbers')
    _check_widths(shape, grid, integer)
    given = read_exactly(noise["offsets"], "offsets", len(shape.blocks))
    offsets = tuple(
        read_integer(one, "offsets", 0, MAX_OFFSET if block.box else 0)
        for one, block in zip(given, shape.blocks, strict=True)
    )
    overlap = None
    if "overlap" in noise:
        demand(shape.one_sided, '"overlap" is for moves of one sign')
        overlap = read_integer(noise["overlap"], "overlap", 0, MAX_OFFSET)
    loss = read_loss(data["loss"])
    demand(loss in (L1(), L2()), '"loss" must be l1 or l2')
    largest = read_flag(data["largest"], "largest")
    if largest:
        demand(loss == L1(), '"loss" must be l1 for the largest error')
        demand("weights" not in data, '"weights" are for means')
        demand(
            len(shape.blocks) == 1
            and shape.blocks[0].box
            and overlap is None
            and elliptical is None,
            '"largest" is for one block whose numbers all move, by levels without "overlap"',
        )
    lower, upper = read_bracket(data)
    epsilon = read_epsilon(data["epsilon"])
    demand(epsilon > 0, '"epsilon" must be positive')
    ratio = read_number(noise["ratio"], "ratio", lambda v: 0 < v < 1, "between 0 and 1")
    if elliptical is None:
        _check_steps(shape, epsilon, ratio, overlap)
    return JointDocument(
        epsilon=epsilon,
        delta=read_delta(data["delta"]),
        shape=shape,
        loss=loss,
        largest=largest,
        integer=integer,
        grid=grid,
        ratio=ratio,
        offsets=offsets,
        overlap=overlap,
        weights=_weights(data, len(shape.blocks)),
        upper=upper,
        lower=lower,
        certificate=_certificate(data["certificate"], shape, loss, largest),
        elliptical=elliptical,
        about=about_text(data.get("about", {})),
    )


def _elliptical(noise: dict[str, Any], shape: Shape) -> Elliptical:
    check_keys(noise, "noise", {"each"}, {"common", "centres", "balls"})
    demand(("common" in noise) == ("centres" in noise), '"common" and "centres" go together')
    size = len(shape.blocks)
    each = tuple(read_deviation(one, "each") for one in read_exactly(noise["each"], "each", size))
    numbers = shape.dimension + ("common" in noise)
    balls = _balls(noise["balls"], numbers) if "balls" in noise else None
    if "common" not in noise:
        return _short(Elliptical(each, balls=balls))
    demand(shape.one_sided, '"common" is for moves of one sign')
    centres = tuple(
        read_number(one, "centres", lambda v: 0 <= v <= MAX_JOINT_STEPS, "from 0 on")
        for one in read_exactly(noise["centres"], "centres", size)
    )
    demand(
        all((one * FINE).denominator == 1 for one in centres),
        f'"centres" must be multiples of 1/{FINE}',
    )
    return _short(Elliptical(each, read_deviation(noise["common"], "common"), centres, balls))


def _short(noise: Elliptical) -> Elliptical:
    """The same, if no number that is drawn is too long."""
    if noise.balls is not None:
        reach = max(one + noise.centre(b) * noise.common for b, one in enumerate(noise.each))
        demand(reach * noise.balls.radii[-1] < MAX_ERROR, '"radii" must be smaller')
    return noise


def _balls(value: object, dimension: int) -> Balls:
    data = read_object(value, "balls")
    check_keys(data, "balls", {"denominator", "radii", "weights"}, set())
    denominator, radii, weights, _ = read_balls(data | {"atom": "0"})
    demand(len(radii) > 0, '"radii" must not be empty')
    demand(all(bits(one) <= 256 for one in radii), '"radii" must be shorter')
    demand(sum(weights) == denominator, '"weights" must add up to the denominator')
    return Balls(dimension, denominator, radii, weights)


def read_deviation(value: object, name: str) -> Fraction:
    """A standard deviation, in steps: neither so small nor so large that draws would take long."""
    found = read_number(value, name, lambda v: Fraction(1, 1000) <= v <= 10**12, "to 10^12")
    demand(bits(found) <= 256, f'"{name}" must be shorter')
    return found


def _check_widths(shape: Shape, grid: Fraction, integer: bool) -> None:
    for block in shape.blocks:
        demand(
            block.width <= MAX_JOINT_STEPS * grid,
            f'"width" must be at most {MAX_JOINT_STEPS} steps of the grid',
        )
        demand(
            not integer or block.width.denominator == 1, '"width" must be whole for whole numbers'
        )
        demand(integer or block.box, '"integer" must be true where not all numbers move at once')


def _check_steps(shape: Shape, epsilon: Fraction, ratio: Fraction, overlap: int | None) -> None:
    """So that a draw takes moments: where the sum of moves is bounded it goes step by step."""
    # The level is drawn by as many weights as there are numbers and steps of overlap, each as long
    # as a power of the ratio.
    demand(
        (shape.dimension + (overlap or 0)) ** 2 * bits(ratio) <= MAX_JOINT_BITS,
        '"overlap" and "ratio" must be shorter: draws would take too much memory',
    )
    for block in shape.blocks:
        steps = shape.dimension * block.width
        # (1 / ratio - 1 is at least log(1 / ratio), and that is epsilon but for its rounding.)
        demand(
            block.box
            or (
                steps <= MAX_SPARSE_STEPS * epsilon
                and steps <= 2 * MAX_SPARSE_STEPS * (1 / ratio - 1)
            ),
            '"width" must be smaller where not all numbers move at once: draws would take long',
        )


def short_weights(weights: Sequence[Fraction]) -> bool:
    """Whether sums of the weights stay short."""
    common = 1
    for one in weights:
        common = math.lcm(common, one.denominator)
        if common.bit_length() + one.numerator.bit_length() > WEIGHT_BITS:
            return False
    return True


def _weights(data: dict[str, Any], blocks: int) -> tuple[Fraction, ...]:
    if "weights" not in data:
        return (Fraction(1),) * blocks
    found = read_exactly(data["weights"], "weights", blocks)
    weights = tuple(read_positive(one, "weights") for one in found)
    demand(short_weights(weights), f'"weights" must be of at most {WEIGHT_BITS} bits together')
    demand(any(one != 1 for one in weights), '"weights" must be left out where all are 1')
    return weights


def _shape(value: object) -> Shape:
    data = read_object(value, "sensitivity")
    check_keys(data, "sensitivity", {"blocks", "one_sided"}, set())
    blocks = []
    for one in read_list(data["blocks"], "blocks", MAX_NUMBERS):
        block = read_object(one, "blocks")
        check_keys(block, "blocks", {"numbers", "most", "width"}, set())
        numbers = read_integer(block["numbers"], "numbers", 1, MAX_NUMBERS)
        most = read_integer(block["most"], "most", 1, numbers)
        demand(most == numbers or numbers <= MAX_SPARSE, f'"numbers" must be at most {MAX_SPARSE}')
        blocks.append(Block(numbers, most, read_positive(block["width"], "width")))
    shape = Shape(tuple(blocks), read_flag(data["one_sided"], "one_sided"))
    demand(1 <= shape.dimension <= MAX_NUMBERS, f'"blocks" must have 1 to {MAX_NUMBERS} numbers')
    return shape


def _certificate(
    value: object, shape: Shape, loss: Loss, largest: bool
) -> Flow | Sums | Volume | int | None:
    data = read_object(value, "certificate")
    if not data:
        return None
    if "curves" in data:
        return _volume(data, shape.dimension)
    if "shifts" in data:
        return _sums(data, shape.dimension if loss == L2() else 1)
    if "cells" in data:
        check_keys(data, "certificate", {"cells"}, set())
        demand(largest, '"cells" are for the largest error')
        return read_integer(data["cells"], "cells", 1, MAX_JOINT_CELLS)
    check_keys(data, "certificate", {"numbers", "ranked", "unit", "rates"}, {"cut"})
    numbers = read_integer(data["numbers"], "numbers", 1, min(MAX_FLOW, shape.dimension))
    ranked = read_flag(data["ranked"], "ranked")
    rates: dict[Place, int] = {}
    for entry in read_list(data["rates"], "rates", MAX_JOINT_RATES):
        charge(8)
        one = read_exactly(entry, "rates", 5)
        rank, above, b, below = (read_integer(x, "rates", 0, numbers + 1) for x in one[:4])
        demand(below < b < above and b <= numbers, '"rates" must have below < b < above')
        demand(ranked or rank == 0, '"rates" must have rank 0 where they are not ranked')
        demand((rank, above, b, below) not in rates, '"rates" must not repeat a place')
        rates[rank, above, b, below] = read_count(one[4], "rates")
    cut = read_integer(data["cut"], "cut", 1, MAX_CUT) if "cut" in data else 0
    return Flow(numbers, ranked, read_positive(data["unit"], "unit"), rates, cut)


def _sums(data: dict[str, Any], most: int) -> Sums:
    check_keys(data, "certificate", {"numbers", "step", "reach", "shifts"}, set())
    numbers = read_integer(data["numbers"], "numbers", 1, most)
    one = {key: value for key, value in data.items() if key != "numbers"}
    return Sums(numbers, certificate_from_json(one, ()))


def _volume(data: dict[str, Any], most: int) -> Volume:
    check_keys(data, "certificate", {"numbers", "directions", "part", "bound", "curves"}, set())
    numbers = read_integer(data["numbers"], "numbers", 2, most)
    part = read_number(data["part"], "part", lambda v: 0 < v < 1, "between 0 and 1")
    demand(bits(part) <= 64, '"part" must be shorter')
    return Volume(
        numbers,
        read_integer(data["directions"], "directions", 2, numbers),
        part,
        read_not_negative(data["bound"], "bound"),
        read_curves(read_object(data["curves"], "curves"), Fraction(1)),
    )
