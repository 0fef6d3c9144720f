"""The checker of data dependent mechanisms: each claim is proven, refuted or not checked.

Statements and proofs: `dependent_check.proof.md`. Standard library only, integer arithmetic, e^eps
rounded down for privacy; the lower bound is in `../certificates/channel_duality.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import itemgetter

from ...exact import exp_lower, nearest_float
from ...work import charge
from ..certificates.channel_duality import (
    answer_span,
    channel_dual_bound,
    crossing_floor,
    node_weights,
)
from ..noise.channel_loss import NodeLosses, channel_loss, worst_value_loss
from ..noise.intervals import Intervals, intervals_loss, intervals_stick, least_own
from ..noise.lattice_privacy import lattice_hockey_sticks
from ..noise.moved import moved_loss
from ..report import NOT_CHECKED, REFUTED, Checks, Claim, claim_of, lower_claim, private_words
from .dependent import (
    ChannelCertificate,
    ChannelDocument,
    Copies,
    LatticeNoise,
    Moved,
    PairMultipliers,
    Prices,
)
from .dependent_reader import parse_channel

_FALLS = "the loss falls away from 0, which the bound does not allow"


# -- a private distribution -------------------------------------------------------------------


def _total(document: ChannelDocument) -> Fraction:
    """Of the row that is furthest from a distribution."""
    if document.additive is not None:
        return document.additive.total()
    if document.intervals is not None:  # own answers have what is left of 1: too much was given
        return 1 - Fraction(min(0, least_own(document)), document.denominator)
    totals = [sum(row) + document.revealed for row in document.rows]
    if document.noise is not None:
        totals.append(sum(document.noise.weights))
    one = document.denominator
    return Fraction(max(totals, key=lambda found: abs(found - one)), one)


Law = dict[Fraction | int, int]  # answer, in steps from low -> weight, zeros left out


def law_hockey_sticks(
    laws: Sequence[Law], growth: Fraction, reach: int
) -> tuple[Iterator[tuple[int, int, int]], int]:
    """(k, m, sum_y max(0, q_k(y) - growth q_m(y))) for 1 <= |k - m| <= reach, or one like it.

    In whole numbers; so many of them, the second result, make one unit of the denominator. An
    answer that only one law gives counts in full against every other law; what is left of a law
    is compared once with each different one, so that of several m which differ from each other in
    such answers only, one is listed.
    """
    top, bottom = growth.as_integer_ratio()
    charge(60 + len(laws) + sum(map(len, laws)))
    often = Counter(y for law in laws for y in law)
    column = {y: j for j, y in enumerate(sorted(y for y, times in often.items() if times > 1))}
    own = [bottom * sum(w for y, w in law.items() if often[y] == 1) for law in laws]
    shared = [tuple((column[y], w) for y, w in law.items() if often[y] > 1) for law in laws]
    number = {part: j for j, part in enumerate(dict.fromkeys(shared))}
    rows = [_row(part) for part in number]
    return _compared(own, [number[part] for part in shared], rows, reach, (top, bottom)), bottom


Row = tuple[int, list[int]]  # the column of the first of some weights


def _row(part: Sequence[tuple[int, int]]) -> Row:
    """Weights by column as a list from the first to the last of them."""
    if not part:
        return 0, []
    first, last = min(j for j, _ in part), max(j for j, _ in part)
    charge(1 + (last - first) // 20)
    weights = [0] * (last - first + 1)
    for j, w in part:
        weights[j - first] = w
    return first, weights


def _compared(
    own: Sequence[int],
    groups: Sequence[int],
    rows: Sequence[Row],
    reach: int,
    growth: tuple[int, int],
) -> Iterator[tuple[int, int, int]]:
    top, bottom = growth
    longest = max((w.bit_length() for _, row in rows for w in row), default=0) + 128
    charge(sum(len(row) for _, row in rows) // 4)
    ahead = [[w * bottom for w in row] for _, row in rows]
    behind = [[w * top for w in row] for _, row in rows]
    known: dict[tuple[int, int], int] = {}
    for k, g in enumerate(groups):
        window = range(max(0, k - reach), min(len(groups), k + reach + 1))
        charge(1 + len(window) // 8)
        others = {groups[m]: m for m in window if m != k}
        charge(len(others) // 4)
        for h, m in others.items():
            if (g, h) not in known:
                charge(2 + len(ahead[g]) * (70 + longest // 30) // 1000)
                # Both from the first column of the one behind which they overlap.
                start = rows[h][0] - rows[g][0]
                here, there = ahead[g][max(0, start) :], behind[h][max(0, -start) :]
                known[g, h] = (
                    sum(ahead[g][: max(0, start)])
                    + sum(here[len(there) :])
                    + sum([a - b for a, b in zip(here, there, strict=False) if a > b])
                )
            yield k, m, own[k] + known[g, h]


def _laws(document: ChannelDocument) -> tuple[int, list[Law]]:
    """(first node, laws): the rows, with reach + 1 nodes beyond them on each side if any."""
    border = 0 if document.beyond is None else document.reach + 1
    nodes = range(-border, len(document.rows) + border)
    document.charge_cells(1, 5)
    if document.noise is not None:
        charge(2 * border * (2 + len(document.noise.weights) // 2))
    laws = (document.law_in_steps(k) for k in nodes)
    return -border, [{y: w for y, w in zip(places, row, strict=True) if w} for places, row in laws]


def worst_pair(document: ChannelDocument, epsilon: Fraction | None = None) -> tuple[str, Fraction]:
    """(where, largest hockey stick) over the nodes that neighbors can meet, exactly.

    At the question's epsilon, or another. With steps of several sensitivities neighbors share in
    that much less of what tells two nodes apart (`dependent_check.proof.md`, "Long steps").
    """
    at = document.problem.epsilon if epsilon is None else epsilon
    if document.additive is not None:
        return document.additive.worst_divergence(document.problem, at)
    if document.moved is not None:
        assert document.noise is not None
        weights = document.noise.weights
        # Longer shifts leave nothing in common, as a shift by all the weights does.
        reach = min(document.reach, len(weights))
        shift, found = max(lattice_hockey_sticks(weights, at, reach), key=itemgetter(1))
        return f"nodes {abs(shift)} apart", found / document.denominator
    if document.intervals is not None:
        return "nodes of two intervals", intervals_stick(document, at)
    first, laws = _laws(document)
    worst, where = 0, "no two nodes"
    revealed = Fraction(document.revealed, document.denominator)
    growth = 1 + document.spread * (exp_lower(at) - 1)
    pairs, unit = law_hockey_sticks(laws, growth, document.reach)
    for k, m, value in pairs:
        if value > worst:
            worst, where = value, f"nodes {k + first} and {m + first}"
    return where, Fraction(worst, unit * document.denominator) / document.spread + revealed


def keeps_budgets(document: ChannelDocument) -> bool:
    """Whether every budget that is asked for is kept at every pair of nodes, exactly."""
    return all(
        worst_pair(document, epsilon)[1] <= delta for epsilon, delta in document.problem.budgets
    )


# -- the expected loss ------------------------------------------------------------------------


def loss_of(document: ChannelDocument) -> Fraction:
    """At least the expected loss of rows, of intervals, or of noise whose answers are moved."""
    if document.intervals is not None:
        return intervals_loss(document)
    return channel_loss(document) if document.moved is None else moved_loss(document)


def _loss(document: ChannelDocument) -> Fraction | str:
    if document.additive is None:
        return loss_of(document)
    # Answers are moved into the range, towards the true value.
    loss = document.problem.loss
    return document.additive.release_loss(document.problem, loss) if loss.falls_nowhere else _FALLS


# -- the lower bound --------------------------------------------------------------------------


def _lower(document: ChannelDocument) -> Claim:
    if not document.problem.loss.falls_nowhere:
        return Claim("lower", NOT_CHECKED, None, _FALLS)
    problem, certificate = document.problem, document.certificate
    used = {pair.point for pair in certificate.pairs}
    if certificate.copies is not None:
        used |= {entry.point for entry in certificate.copies.shifts}
    if certificate.prices is not None:
        used |= {0}
    if not all(problem.asks(certificate.points_of(problem)[j]) for j in used):
        return Claim("lower", REFUTED, None, "the certificate uses a budget that is not claimed")
    # (The budgets are those of one release, whatever the total of several is.)
    who = f"{private_words(document.problem)} mechanism on this range"
    if document.releases is not None:
        who = "mechanism within the file's budgets for one release"
    return lower_claim(document.lower, channel_dual_bound(problem, certificate), who)


# -- what else is claimed ---------------------------------------------------------------------


def _demands(document: ChannelDocument) -> Iterator[Claim]:
    problem = document.problem
    if problem.instance_bound is not None:
        yield _instance(document, problem.instance_bound)
    if problem.max_error is not None:
        yield _max_error(document, problem.max_error)
    if problem.monotone:
        yield _monotone(document)


def _instance(document: ChannelDocument, bound: Fraction) -> Claim:
    loss = document.problem.loss
    if document.problem.crossing is not None or not loss.convex:
        return Claim("instance", NOT_CHECKED, None, "needs a convex loss of the error alone")
    if document.additive is not None and not loss.falls_nowhere:
        return Claim("instance", NOT_CHECKED, None, _FALLS)
    worst = worst_value_loss(document)
    words = f"no value's expected loss is above {nearest_float(worst):.12g}"
    return claim_of("instance", bound - worst, words, f"{words}, above the stated bound")


# -- the largest error ------------------------------------------------------------------------


def largest_error(document: ChannelDocument) -> Fraction:
    """At least the distance of every possible answer from the true value.

    Values that may be rounded to a node lie less than a step from it, and in the range.
    """
    step = document.step if document.rounds else Fraction(0)
    low, high = document.ends
    first, laws = _laws(document)
    worst = Fraction(0)
    charge(20 * len(laws))
    document.charge_cells(0, 2)
    for k, law in enumerate(laws, first):
        if law:  # an empty one is no distribution
            least, most = document.place(min(law)), document.place(max(law))
            node = document.place(k)
            worst = max(worst, most - max(low, node - step), min(high, node + step) - least)
    return worst


def _max_error(document: ChannelDocument, bound: Fraction) -> Claim:
    worst = largest_error(document)
    words = f"no release is further than {nearest_float(worst):.12g} from the true value"
    return claim_of("max_error", bound - worst, words, f"{words}, above the stated bound")


# -- order ------------------------------------------------------------------------------------


def disorder(document: ChannelDocument) -> Fraction:
    """The most by which some answer or less becomes likelier from one node to the next."""
    if document.additive is not None:
        return Fraction(0)  # one noise, moved with the value
    worst, (_, laws) = 0, _laws(document)
    document.charge_cells(0, 20)
    charge(2 * sum(map(len, laws)))
    for law, after in pairwise(laws):
        excess = 0
        for y in sorted(law.keys() | after.keys()):
            excess += after.get(y, 0) - law.get(y, 0)
            worst = max(worst, excess)
    return Fraction(worst, document.denominator)


def _monotone(document: ChannelDocument) -> Claim:
    return claim_of(
        "monotone",
        -disorder(document),
        "releases grow with the true value (stochastic order)",
        "a larger value makes a small release likelier",
    )


#: Checks every claim of a file of kind "dependent".
check_channel = Checks(_total, worst_pair, _loss, _lower, _demands)

__all__ = [
    "ChannelCertificate",
    "ChannelDocument",
    "Copies",
    "Intervals",
    "LatticeNoise",
    "Moved",
    "NodeLosses",
    "PairMultipliers",
    "Prices",
    "answer_span",
    "channel_dual_bound",
    "channel_loss",
    "check_channel",
    "crossing_floor",
    "disorder",
    "keeps_budgets",
    "largest_error",
    "law_hockey_sticks",
    "loss_of",
    "node_weights",
    "parse_channel",
    "worst_pair",
    "worst_value_loss",
]
