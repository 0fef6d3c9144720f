"""The file of kind "dependent": its keys, in order. Standard library only.

What they mean is stated in `dependent_check.proof.md`; `dependent_reader.py` checks what goes
together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from ...losses import Loss
from ...problem.privacy import GaussianCurve, Point, Releases
from ...problem.problem import Crossing, Prior
from ..budgets import CURVE, PROFILE, RELEASES
from ..codec import (
    COUNT,
    FLAG,
    LOSS,
    NOT_NEGATIVE,
    POSITIVE,
    SHORT,
    About,
    Codec,
    Count,
    Delta,
    Epsilon,
    Flag,
    NotNegative,
    Positive,
    integer,
    number,
    pair,
    record,
    several,
)
from ..fields import read_object
from ..limits import MAX_CELLS
from ..noise.cells import NumberNoise
from ..noise.intervals import Intervals
from .additive import NOISE, noise_part
from .dependent_parts import CHANNEL_CERTIFICATE, INTERVALS, ChannelCertificate, LatticeNoise, Moved

#: Limits of the checker: nodes with a row, weights in rows, pieces of a prior.
MAX_ROWS = 2_001
MAX_ROW_WEIGHTS = 2_000_000
MAX_PRIOR_PIECES = 10_000

_MASS = number(lambda v: 0 <= v <= 1, "from 0 to 1")
_LISTED = record(
    Prior,
    optional={"edges": ()},
    masses=several(_MASS, MAX_PRIOR_PIECES),
    edges=several(SHORT, MAX_PRIOR_PIECES + 1, 1),
)
_PRIOR = Codec[Prior | None](
    lambda value, name: None if value == "uniform" else _LISTED.read(value, name),
    lambda prior: "uniform" if prior is None else _LISTED.write(prior),
)


def _read_noise(value: object, name: str) -> NumberNoise:
    data = read_object(value, name)
    noise: NumberNoise = noise_part(data, "grid" not in data).read(data, name)
    return noise


_NOISE = Codec[NumberNoise](_read_noise, lambda noise: NOISE.of(noise).write(noise))
_ROWS = several(several(COUNT, MAX_ROW_WEIGHTS), MAX_ROWS)
Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Rows:
    """The key "channel": answers and weights of the rows, or the rule that makes them."""

    denominator: Count
    first: Annotated[int | None, integer(-MAX_CELLS, MAX_CELLS)] = None
    outputs: Annotated[tuple[Fraction, ...] | None, several(SHORT, MAX_ROW_WEIGHTS)] = None
    rows: Annotated[tuple[tuple[int, ...], ...], _ROWS] = field(kw_only=True)
    revealed: Annotated[int | None, COUNT] = None
    noise: Annotated[LatticeNoise | None, record(LatticeNoise)] = None
    intervals: Annotated[Intervals | None, INTERVALS] = None
    moved: Annotated[Moved | None, record(Moved)] = None


@dataclass(frozen=True, kw_only=True)
class ChannelFile:
    """The keys of a file; None stands for one that is not there."""

    epsilon: Epsilon
    delta: Delta
    sensitivity: Positive
    loss: Annotated[Loss, LOSS]
    bounds: Annotated[Ends, pair(SHORT, SHORT)]
    step: Positive
    prior: Annotated[Prior | None, _PRIOR]
    integer: Flag = False
    crossing: Annotated[Crossing | None, record(Crossing, at=SHORT, slope=SHORT)] = None
    profile: Annotated[tuple[Point, ...], PROFILE] = ()
    gdp: Annotated[GaussianCurve | None, CURVE] = None
    releases: Annotated[Releases | None, RELEASES] = None
    instance_bound: Annotated[Fraction | None, NOT_NEGATIVE] = None
    max_error: Annotated[Fraction | None, POSITIVE] = None
    monotone: Annotated[bool | None, FLAG] = None
    beyond: Annotated[Ends | None, pair(SHORT, SHORT)] = None
    #: The noise as in a file of its own.
    additive: Annotated[NumberNoise | None, _NOISE] = None
    channel: Annotated[Rows, record(Rows)]
    upper: NotNegative
    lower: Annotated[Fraction, number()]
    certificate: Annotated[ChannelCertificate, CHANNEL_CERTIFICATE]
    about: About = ""

    @property
    def demands(self) -> set[str]:
        """Which keys ask for more than a budget of every answer."""
        names = ("instance_bound", "crossing", "max_error", "monotone")
        return {name for name in names if getattr(self, name) is not None}


CHANNEL_FILE = record(ChannelFile)
