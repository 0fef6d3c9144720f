"""The checker of data dependent mechanisms: each claim is proven, refuted or not checked.

Statements and proofs: `channel.proof.md`. Standard library only, integer arithmetic, e^eps
rounded down for privacy; the lower bound is in `channel_lower.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from ..exact import exp_lower, nearest_float
from .channel_document import (
    ChannelCertificate,
    ChannelDocument,
    LatticeNoise,
    PairMultipliers,
    additive_part,
)
from .channel_lower import answer_span, channel_dual_bound, crossing_floor, node_weights
from .channel_reader import parse_channel, too_much_work
from .question import Crossing, Prior, Question
from .report import (
    NOT_CHECKED,
    REFUTED,
    Claim,
    Report,
    budget_claims,
    check,
    claim_of,
    releases_claim,
)
from .upper import release_loss


def check_channel(document: ChannelDocument) -> Report:
    """Check every claim of a data dependent mechanism in exact arithmetic."""
    question = document.question
    if document.additive is not None:
        claims = [c for c in check(document.additive).claims if c.name != "lower"]
    else:
        claims = [_distribution(document), _privacy(document), _upper(document)]
        claims += budget_claims(
            question.profile, question.gdp, lambda epsilon: worst_pair(document, epsilon))
    if question.releases is not None:
        budgets = ((question.epsilon, question.delta), *question.profile)
        claims.append(releases_claim(question.releases, budgets, question.gdp))
    claims.append(_lower(document))
    if question.instance_bound is not None:
        claims.append(_instance(document))
    if question.max_error is not None:
        claims.append(_max_error(document, question.max_error))
    if question.monotone:
        claims.append(_monotone(document))
    return Report(tuple(claims))


# -- a private distribution -------------------------------------------------------------------


def _distribution(document: ChannelDocument) -> Claim:
    totals = [sum(row) for row in document.rows]
    if document.noise is not None:
        totals.append(sum(document.noise.weights))
    error = max(abs(total - document.denominator) for total in totals)
    return claim_of(
        "distribution", -Fraction(error, document.denominator),
        "every row is non-negative and sums to the denominator",
        "a row does not sum to the denominator",
    )


Law = dict[Fraction | int, int]  # answer -> weight, zeros left out


def law_hockey_sticks(
    laws: Sequence[Law], epsilon: Fraction, reach: int
) -> Iterator[tuple[int, int, Fraction]]:
    """(k, m, sum_y max(0, q_k(y) - e^eps q_m(y))) for 1 <= |k - m| <= reach, or one like it.

    In units of the denominator. An answer that only one law gives counts in full against every
    other law; what is left of a law is compared once with each different one, so that of several
    m which differ from each other in such answers only, one is listed.
    """
    bound = exp_lower(epsilon)
    top, bottom = bound.numerator, bound.denominator
    often = Counter(y for law in laws for y in law)
    own = [sum(w for y, w in law.items() if often[y] == 1) for law in laws]
    shared = [tuple((y, w) for y, w in law.items() if often[y] > 1) for law in laws]
    number = {part: j for j, part in enumerate(dict.fromkeys(shared))}
    groups = [number[part] for part in shared]
    parts = [dict(part) for part in number]
    known: dict[tuple[int, int], Fraction] = {}
    for k, g in enumerate(groups):
        window = range(max(0, k - reach), min(len(laws), k + reach + 1))
        for h, m in {groups[m]: m for m in window if m != k}.items():
            if (g, h) not in known:
                excess = (w * bottom - top * parts[h].get(y, 0) for y, w in parts[g].items())
                known[g, h] = Fraction(sum(x for x in excess if x > 0), bottom)
            yield k, m, own[k] + known[g, h]


def _laws(document: ChannelDocument) -> tuple[int, list[Law]]:
    """(first node, laws): the rows, with reach + 1 nodes beyond them on each side if any."""
    count = len(document.rows)
    if document.beyond is None:
        return 0, [{y: w for y, w in enumerate(row) if w} for row in document.rows]
    border = document.reach + 1
    nodes = range(-border, count + border)
    laws = (document.law(k) for k in nodes)
    return -border, [
        {y: w for y, w in zip(answers, row, strict=True) if w} for answers, row in laws
    ]


def worst_pair(
    document: ChannelDocument, epsilon: Fraction | None = None
) -> tuple[str, Fraction]:
    """(where, largest hockey stick) over the nodes that neighbours can meet, exactly.

    At the question's epsilon, or another.
    """
    at = document.question.epsilon if epsilon is None else epsilon
    first, laws = _laws(document)
    worst, where = Fraction(0), "no two nodes"
    for k, m, value in law_hockey_sticks(laws, at, document.reach):
        if value > worst:
            worst, where = value, f"nodes {k + first} and {m + first}"
    return where, worst / document.denominator


def keeps_budgets(document: ChannelDocument) -> bool:
    """Whether every budget that is asked for is kept at every pair of nodes, exactly."""
    return all(
        worst_pair(document, epsilon)[1] <= delta for epsilon, delta in document.question.budgets
    )


def _privacy(document: ChannelDocument) -> Claim:
    where, worst = worst_pair(document)
    delta = document.question.delta
    words = (
        f"largest hockey stick {nearest_float(worst):.12g} at {where}, "
        f"delta {nearest_float(delta):g}"
    )
    return claim_of("privacy", delta - worst, words, words)


# -- the expected loss ------------------------------------------------------------------------


class NodeLosses:
    """At least the share of the expected loss that node k pays for answering y, remembered.

    That is the integral of the prior density times the probability of being rounded to the node
    times the loss; for whole numbers the mass of the number times the loss.
    """

    def __init__(self, question: Question, step: Fraction) -> None:
        self.question = question
        self.step = step
        self.cells = question.pieces(step)
        self._means: dict[tuple[Fraction, Fraction], tuple[Fraction, Fraction]] = {}
        self._costs: dict[Fraction, Fraction] = {}

    def cost(self, k: int, y: Fraction) -> Fraction:
        """Of the answer y at node k."""
        question = self.question
        if question.prior is None and question.crossing is None and 0 < k < len(self.cells):
            # Between the ends of the range only the distance counts.
            error = y - question.low - k * self.step
            if error not in self._costs:
                self._costs[error] = self._cost(k, y)
            return self._costs[error]
        return self._cost(k, y)

    def _cost(self, k: int, y: Fraction) -> Fraction:
        question = self.question
        if question.integer:
            value, _, mass = self.cells[k][0]
            crossed = self._crossing(y, value, value, Fraction(1), Fraction(1))
            return mass * (question.loss.upper(y - value) + crossed)
        node, total = question.low + k * self.step, Fraction(0)
        for cell in (k - 1, k):
            if 0 <= cell < len(self.cells):
                for start, end, mass in self.cells[cell]:
                    if len(self.cells[cell]) == 1 and question.crossing is None:
                        # The error falls as the value rises.
                        total += mass * self._ramps(y - end, y - start)[cell == k]
                        continue
                    # The probability of this node, at the two ends of the piece.
                    before = 1 - abs(start - node) / self.step
                    after = 1 - abs(end - node) / self.step
                    total += mass * self._piece(y, start, end, before, after)
        return total

    def _piece(
        self, y: Fraction, start: Fraction, end: Fraction, before: Fraction, after: Fraction
    ) -> Fraction:
        """Mean over [start, end) of the loss times a weight linear from `before` to `after`."""
        falling, rising = self._ramps(y - end, y - start)  # in the error
        return before * rising + after * falling + self._crossing(y, start, end, before, after)

    def _ramps(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        if (lo, hi) not in self._means:
            self._means[lo, hi] = self.question.loss.ramp_means(lo, hi)
        return self._means[lo, hi]

    def _crossing(
        self, y: Fraction, start: Fraction, end: Fraction, before: Fraction, after: Fraction
    ) -> Fraction:
        rule = self.question.crossing
        if rule is None or y == rule.at:
            return Fraction(0)
        if start == end:
            share = Fraction((start - rule.at) * (y - rule.at) < 0)
        else:
            cut = min(max(rule.at, start), end)
            a, b = (start, cut) if y > rule.at else (cut, end)
            middle = ((a + b) / 2 - start) / (end - start)
            share = (b - a) / (end - start) * (before + (after - before) * middle)
        return rule.slope * abs(y - rule.at) * share


def channel_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss of a release, the true value being drawn from the prior."""
    losses = NodeLosses(document.question, document.step)
    answers = document.answers()
    total = Fraction(0)
    for k, row in enumerate(document.rows):
        total += sum(w * losses.cost(k, y) for y, w in zip(answers, row, strict=True) if w)
    return total / document.denominator


def noise_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss at every value beyond the range."""
    assert document.noise is not None
    loss, step, total = document.question.loss, document.step, Fraction(0)
    for i, w in enumerate(document.noise.weights, document.noise.first):
        if w:
            point = i * step
            integer = document.question.integer
            total += w * (loss.upper(point) if integer else loss.release_point(point, step))
    return total / document.denominator


def _upper(document: ChannelDocument) -> Claim:
    loss = channel_loss(document)
    words = f"expected loss of a release at most {nearest_float(loss):.12g}"
    return claim_of("upper", document.upper - loss, words, f"{words}, above the stated upper")


# -- the lower bound --------------------------------------------------------------------------


def _lower(document: ChannelDocument) -> Claim:
    if not document.question.loss.falls_nowhere:
        return Claim(
            "lower", NOT_CHECKED, None, "the loss falls away from 0, which the bound does not allow"
        )
    question, certificate = document.question, document.certificate
    used = {pair.point for pair in certificate.pairs}
    if not all(question.asks(certificate.points_of(question)[j]) for j in used):
        return Claim("lower", REFUTED, None, "the certificate uses privacy that is not promised")
    bound = channel_dual_bound(question, certificate)
    words = f"every private answer costs at least {nearest_float(bound):.12g}"
    return claim_of("lower", bound - document.lower, words, f"{words}, below the stated lower")


# -- a bound at every value -------------------------------------------------------------------


def worst_value_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss at every true value, for a convex loss without crossing.

    Between nodes k and k + 1 it is at most the quadratic of t in [0, 1] whose three coefficients
    are row k at node k, the mean of row k at node k+1 and row k+1 at node k, and row k+1 there.
    """
    loss, answers = document.question.loss, document.answers()
    if document.additive is not None:
        return release_loss(document.additive, loss)
    worst = Fraction(0) if document.noise is None else noise_loss(document)
    values: dict[Fraction, Fraction] = {}

    def at(k: int, node: int) -> Fraction:
        total = Fraction(0)
        for y, w in zip(answers, document.rows[k], strict=True):
            if w:
                x = y - document.place(node)
                if x not in values:
                    values[x] = loss.upper(x)
                total += w * values[x]
        return total / document.denominator

    own = [at(k, k) for k in range(document.last + 1)]
    worst = max(worst, *own)
    if document.question.integer:
        return worst
    for k, (start, end) in enumerate(pairwise(own)):
        middle = (at(k, k + 1) + at(k + 1, k)) / 2
        if middle > max(start, end):
            worst = max(worst, (middle * middle - start * end) / (2 * middle - start - end))
    return worst


def _instance(document: ChannelDocument) -> Claim:
    bound = document.question.instance_bound
    assert bound is not None
    if document.question.crossing is not None or not document.question.loss.convex:
        return Claim("instance", NOT_CHECKED, None, "needs a convex loss of the error alone")
    worst = worst_value_loss(document)
    words = f"no value's expected loss is above {nearest_float(worst):.12g}"
    return claim_of("instance", bound - worst, words, f"{words}: too much")


# -- the largest error ------------------------------------------------------------------------


def largest_error(document: ChannelDocument) -> Fraction:
    """At least the distance of every possible answer from the true value.

    Values that may be rounded to a node lie less than a step from it, and in the range.
    """
    step = Fraction(0) if document.question.integer else document.step
    low, high = document.ends
    first, laws = _laws(document)
    worst = Fraction(0)
    for k in range(first, first + len(laws)):
        answers, weights = document.law(k)
        used = [y for y, w in zip(answers, weights, strict=True) if w]
        node = document.place(k)
        worst = max(
            worst, max(used) - max(low, node - step), min(high, node + step) - min(used))
    return worst


def _max_error(document: ChannelDocument, bound: Fraction) -> Claim:
    worst = largest_error(document)
    words = f"no answer is further than {nearest_float(worst):.12g} from the true value"
    return claim_of("max_error", bound - worst, words, f"{words}: too far")


# -- order ------------------------------------------------------------------------------------


def disorder(document: ChannelDocument) -> Fraction:
    """The most by which some answer or less becomes likelier from one node to the next."""
    if document.additive is not None:
        return Fraction(0)  # one noise, moved with the value
    worst, (_, laws) = 0, _laws(document)
    answers = sorted({y for law in laws for y in law})
    for law, after in pairwise(laws):
        excess = 0
        for y in answers:
            excess += after.get(y, 0) - law.get(y, 0)
            worst = max(worst, excess)
    return Fraction(worst, document.denominator)


def _monotone(document: ChannelDocument) -> Claim:
    return claim_of(
        "monotone", -disorder(document),
        "answers grow with the true value, in the order of distributions",
        "a larger value makes small answers likelier",
    )


__all__ = [
    "ChannelCertificate",
    "ChannelDocument",
    "Crossing",
    "LatticeNoise",
    "NodeLosses",
    "PairMultipliers",
    "Prior",
    "Question",
    "additive_part",
    "answer_span",
    "channel_dual_bound",
    "channel_loss",
    "check_channel",
    "crossing_floor",
    "disorder",
    "keeps_budgets",
    "largest_error",
    "law_hockey_sticks",
    "node_weights",
    "parse_channel",
    "too_much_work",
    "worst_pair",
    "worst_value_loss",
]
