"""Mechanism files of kind "keyed": a key and the number of units that have it, from one draw.

The mechanism and why it is private: `keyed.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction

from ...problem.keyed_problem import FailureCurve, KeyedProblem, KeyedReleases
from ..base import MechanismFile
from ..budgets import PROFILE
from ..certificates.tails import BestTails
from ..codec import (
    DELTA,
    EPSILON,
    LOSS,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    always,
    integer,
    number,
    record,
)
from ..fields import demand
from ..layout import Layout, by_key
from ..limits import MAX_SHORT
from ..noise.keys.chain import Chain
from ..noise.keys.selection import Selection

MAX_KEYS_OF_A_UNIT = 1_000_000
EVEN_ONLY = "even and nowhere falling away from 0, such as l1, l2, power or huber"

KeyedFile = MechanismFile[KeyedProblem, Selection, BestTails]


def _check_problem(problem: KeyedProblem) -> None:
    """`FormatError` unless the parts go together."""
    both = bool(problem.profile) and problem.failure_curve is not None
    demand(not both, '"profile" and "curve" exclude each other')
    loss = problem.loss
    even = loss.symmetric and loss.falls_nowhere and loss.certified
    demand(even, f'"loss" must be {EVEN_ONLY}')


_CURVE = record(
    FailureCurve, mu=POSITIVE, failure=number(lambda v: 0 < v < 1, "between 0 and 1", MAX_SHORT)
)
_RELEASES = record(
    KeyedReleases,
    optional={"profile": (), "curve": None},
    count=integer(1, MAX_KEYS_OF_A_UNIT),
    epsilon=EPSILON,
    delta=DELTA,
    profile=PROFILE,
    curve=_CURVE,
)
_PROBLEM = record(
    KeyedProblem,
    _check_problem,
    optional={"profile": (), "failure_curve": None, "releases": None},
    keys={"failure_curve": "curve"},
    epsilon=EPSILON,
    delta=DELTA,
    sensitivity=always(Fraction(1), NUMBER),
    loss=LOSS,
    profile=PROFILE,
    failure_curve=_CURVE,
    releases=_RELEASES,
)

#: Files of kind "keyed".
KEYED = Layout(
    ("keyed",),
    _PROBLEM,
    by_key("chain", record(Selection, chain=record(Chain, Chain.check), excess=NOT_NEGATIVE)),
    None,
    ("epsilon", "delta", "sensitivity", "loss", "chain", "excess", "profile", "curve", "releases"),
    upper=NOT_NEGATIVE,
    lower=NOT_NEGATIVE,
    missing=BestTails(),
)
