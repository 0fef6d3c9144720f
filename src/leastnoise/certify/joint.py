"""The checker of noise for several numbers: every claim of a file of kind "joint".

What is claimed and why the checks prove it: `joint.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

from ..ask.privacy import root_above
from ..exact import exp_upper, nearest_float, ratio_below
from ..work import add_up, charge, counted
from .block_counts import Side, raised
from .joint_document import JointDocument
from .joint_elliptical import Elliptical, delta_above, elliptical_mean, squared_shift
from .joint_flow import Flow, flow_bound, slack_of_delta
from .joint_sums import Sums, mean_of_squares, one_number
from .joint_volume import Volume, mean_of_powers, proves_its_bound
from .levels import summed
from .report import Claim, Report, claim_of, lower_claim, upper_claim


def check_joint(document: JointDocument) -> Report:
    """Check every claim of noise for several numbers in exact arithmetic.

    `LimitError` if that takes more work than the budget of `../work.py`.
    """
    with counted():
        return Report((_privacy(document), _upper(document), _lower(document)))


def _privacy(document: JointDocument) -> Claim:
    if document.elliptical is not None:
        return _privacy_of_elliptical(document, document.elliptical)
    slack = document.ratio - exp_upper(-document.epsilon)
    words = (
        "a move changes the level by at most 1, and the probability by a factor of at most "
        f"{nearest_float(1 / document.ratio):.12g}"
    )
    return claim_of("privacy", slack, words, f"{words}, above e^epsilon")


def _privacy_of_elliptical(document: JointDocument, noise: Elliptical) -> Claim:
    found = delta_above(noise, document.sides, document.epsilon)
    shift = nearest_float(root_above(squared_shift(noise, document.sides)))
    unit = "standard deviations of Gaussian noise" if noise.balls is None else "units of the balls"
    words = (
        f"a move is at most {shift:.9g} {unit} long, "
        f"delta {nearest_float(found):.9g} at this epsilon"
    )
    return claim_of("privacy", document.delta - found, words, f"{words}, above what is stated")


def _upper(document: JointDocument) -> Claim:
    return upper_claim(document, release_loss(document), "expected loss of a release")


def _lower(document: JointDocument) -> Claim:
    bound = lower_bound(document)
    if bound == 0:
        words = "no loss is negative, and the certificate proves no more"
        return claim_of("lower", -document.lower, words, f"{words}, below the stated lower")
    return lower_claim(document, bound, f"private {'whole-number ' * document.integer}noise")


def release_loss(document: JointDocument) -> Fraction:
    """At least the worst case, over values, of the expected loss of a release."""
    levels, ratio, grid = document.levels, document.ratio, document.grid
    if document.largest:
        found = largest_mean(levels.blocks[0], ratio)
        return (found + (not document.integer)) * grid
    power = document.power
    rounding = Fraction(0) if document.integer else Fraction(1, 2 * power)
    if document.elliptical is not None:
        found = add_up(
            share * elliptical_mean(document.elliptical, b, power)
            for b, share in enumerate(document.shares)
        )
        return (found + rounding) * grid**power
    weight = levels.weight(ratio)
    found = add_up(
        share * levels.total(ratio, b, power) / weight
        for b, share in levels.alike(document.shares).items()
    )
    return (found + rounding) * grid**power


def mean_error(document: JointDocument, block: int) -> Fraction:
    """At least E |x| of the noise of a number of a block, in steps of the grid."""
    if document.elliptical is not None:
        return elliptical_mean(document.elliptical, block, 1)
    return document.levels.total(document.ratio, block, 1) / document.levels.weight(document.ratio)


def largest_mean(block: Side, ratio: Fraction, known: list[int] | None = None) -> Fraction:
    """E max |x_i| of one box, moved both ways.

    known: the sums of (2 t + 1)^k over t below 0, 1, 2, ... as far as they are known, to be kept
    for the next box of as many numbers.
    """
    k = block.numbers
    sums = [0] if known is None else known

    def moment(level: int) -> int:
        end = block.offset + level * block.width
        while len(sums) <= end:
            charge(2 + k // 25)
            sums.append(sums[-1] + raised(2 * len(sums) - 1, k))
        return end * raised(2 * end + 1, k) - sums[end]

    def count(level: int) -> int:
        return raised(block.side(2 * level), k)

    return summed(moment, 0, k + 1, ratio) / summed(count, 0, k, ratio)


def lower_bound(document: JointDocument) -> Fraction:
    """What the certificate proves about all private noise; 0 where there is none."""
    if isinstance(document.certificate, Sums):
        return _sums_bound(document, document.certificate)
    if isinstance(document.certificate, Volume):
        return _volume_bound(document, document.certificate)
    if isinstance(document.certificate, Flow):
        return _cube_bound(document, document.certificate)
    if document.certificate is None or document.delta > 0:
        return Fraction(0)
    return _largest_bound(document, document.certificate)


def both_ways(document: JointDocument, numbers: int) -> tuple[Fraction, Fraction]:
    """(ratio, delta) where several numbers move, each in its own direction: private with this delta
    at the epsilon whose e^-epsilon is at least the ratio.

    Where moves have one sign it takes two of them, unless there is one number only.
    """
    epsilon, delta = document.epsilon, document.delta
    if document.shape.one_sided and numbers > 1:
        return ratio_below(2 * epsilon), delta * (1 + exp_upper(epsilon))
    return ratio_below(epsilon), delta


def _largest_bound(document: JointDocument, cells: int) -> Fraction:
    """Brunn and Minkowski: the best box is the best of all sets, on a lattice of so many cells."""
    (block,) = document.shape.blocks
    if document.integer and (block.width / cells).denominator != 1:
        return Fraction(0)  # moves by a cell are no moves of whole numbers
    ratio, _ = both_ways(document, block.numbers)
    exact = document.integer and block.width == cells
    known = [0]
    found = min(
        largest_mean(Side(block.numbers, block.most, cells, offset), ratio, known)
        for offset in range(cells)
    )
    return max(Fraction(0), found - (not exact)) * block.width / cells


def _cube_bound(document: JointDocument, flow: Flow) -> Fraction:
    """The flow's bound for some numbers that a unit can move all at once, both ways."""
    width, reach, share = movable(document, flow.numbers)
    if reach < flow.numbers or (document.delta > 0 and not flow.cut):
        return Fraction(0)
    power = document.power
    ratio, delta = both_ways(document, flow.numbers)
    found = flow_bound(flow, ratio, power)
    if delta > 0:
        found -= delta * slack_of_delta(flow, ratio, power)
    each = found / flow.numbers
    if power == 2 and not (document.integer and width == 1):
        each -= Fraction(1, 4)  # what rounding at random to multiples of the width adds
    return max(Fraction(0), each) * width**power * share


def _sums_bound(document: JointDocument, sums: Sums) -> Fraction:
    """What sums of some numbers prove that a unit can move all at once, at any delta."""
    numbers, budget = sums.numbers, (document.epsilon, document.delta)
    width, reach, share = movable(document, numbers)
    if reach < numbers:
        return Fraction(0)
    whole = document.integer and numbers == 1
    found = one_number(sums, width, budget, document.loss, whole)
    if numbers > 1:
        found = mean_of_squares(found, numbers, document.shape.one_sided, document.integer)
    return max(Fraction(0), found) * share


def _volume_bound(document: JointDocument, volume: Volume) -> Fraction:
    """What projections of a cube of some numbers prove that a unit can move all at once."""
    numbers, power = volume.numbers, document.power
    width, reach, share = movable(document, numbers)
    budget = document.epsilon, document.delta
    if reach < numbers or not proves_its_bound(volume, budget, document.loss):
        return Fraction(0)
    found = mean_of_powers(volume, power, document.shape.one_sided) * width**power
    if document.integer:
        found -= Fraction(1, 4) if power == 1 else Fraction(1, 12)
    return max(Fraction(0), found) * share


def movable(document: JointDocument, numbers: int) -> tuple[Fraction, int, Fraction]:
    """(width, how many, share): so many numbers can all move by the width at once, and if any
    `numbers` of them err by c on average, the loss is at least share * c.

    The best of the widths at which there are enough of them.
    """
    blocks = list(zip(document.shape.blocks, document.shares, strict=True))
    charge(40 * len(blocks))
    found, most, reach = (Fraction(0), 0, Fraction(0)), Fraction(0), 0
    least: Fraction | None = None
    blocks.sort(key=lambda pair: pair[0].width, reverse=True)
    for width, wide in groupby(blocks, key=lambda pair: pair[0].width):
        for block, own in wide:
            reach += block.most
            least = own / block.most if least is None else min(least, own / block.most)
        assert least is not None
        worth = reach * least * width**document.power
        if reach >= numbers and worth > most:  # (of equal ones the widest)
            found, most = (width, reach, reach * least), worth
    return found
