"""The checker of noise for many linear questions: every claim of a file of kind "workload".

What is claimed and why the checks prove it: `workload_check.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction

from ...exact import exp_upper, nearest_float
from ...problem.privacy import curve_above
from ...problem.workload_parts import Marginals, Named, Part
from ...work import arithmetic, bits, charge, counted, multiply
from ..certificates.closed_form import (
    approximate_variance,
    concentrated_variance,
    entropy_variance,
    gaussian_variance,
)
from ..noise.plain_strategies import (
    AnswersStrategy,
    CountsStrategy,
    answers_cost,
    answers_moved,
    columns_within,
    counts_cost,
    law_claim,
    law_variance,
    lower_plain,
)
from ..noise.root_strategy import (
    PrefixProof,
    RootStrategy,
    length_of_roots,
    lower_prefix,
    lower_roots,
    upper_roots,
)
from ..noise.strategy import (
    Coordinates,
    Frame,
    Multipliers,
    Strategy,
    TallStrategy,
    frame_of,
    inverse_of,
    largest_sum,
    longest_shift,
    lower_total,
    upper_largest,
    upper_total,
)
from ..noise.summed_strategy import SummedStrategy, largest_column, upper_summed
from ..noise.table_strategy import TableStrategy, length_of, lower_tables, upper_tables
from ..report import Claim, Report, claim_of, lower_claim, upper_claim
from .joint import is_joint
from .vector import is_vector
from .workload import WorkloadDocument
from .workload_proofs import AnyStrategy, Proofs


def check_workload(document: WorkloadDocument) -> Report:
    """Check every claim of noise for many questions in exact arithmetic.

    `LimitError` if that takes more work than the budget of `../work.py`.
    """
    with counted():
        frames = Frames(document)
        own = [_privacy(document, frames)]
        if document.asked is not None and document.budget[0] == "gdp":
            own.append(_curve(document.budget[1], *document.asked))
        if document.law is not None:
            assert document.asked is not None
            own.append(law_claim(document.law, *document.asked))
        return Report((*own, _upper(document, frames), _lower(document, frames)))


class Frames:
    """The questions of each factor in coordinates, each worked out once."""

    def __init__(self, document: WorkloadDocument) -> None:
        self._replaced = document.replaced
        self._known: dict[tuple[int, bool, bool], Frame] = {}

    def of(
        self, place: int, part: Part, where: Coordinates, counts: tuple[int, ...] | None = None
    ) -> Frame:
        """The frame of a factor; of one factor there is one `where` with and one without None."""
        key = place, where is None, counts is None
        if key not in self._known:
            self._known[key] = frame_of(part, self._replaced, where, counts)
        return self._known[key]


def _curve(mu: Fraction, epsilon: Fraction, delta: Fraction) -> Claim:
    """The claim that mu-GDP is enough for the budget that was asked for."""
    found = curve_above(mu, epsilon)
    words = f"mu = {nearest_float(mu):.9g} implies delta {nearest_float(found):.6g} at epsilon "
    words += f"{nearest_float(epsilon):g}"
    return claim_of("curve", delta - found, words, f"{words}, above what was asked for")


def _privacy(document: WorkloadDocument, frames: Frames) -> Claim:
    length = shift_length(document, frames)
    name, value = document.budget
    noise = noise_words(document)
    moved = nearest_float(length) ** (0.5 if squared(document) else 1)
    words = (
        f"one unit changes the measurements by a length of at most {moved:.12g}; "
        f"{noise} for a length of 1 at {name} = {nearest_float(value):g}"
    )
    return claim_of("privacy", 1 - length, words, f"{words}: too little")


def _upper(document: WorkloadDocument, frames: Frames) -> Claim:
    which = "largest variance" if document.largest else "total squared error"
    return upper_claim(document.upper, release_cost(document, frames), f"{which} of a release")


def _lower(document: WorkloadDocument, frames: Frames) -> Claim:
    who = "equally private noise (and no mechanism, in the worst case over data)"
    return lower_claim(document.lower, lower_cost(document, frames), who)


#: Which noise keeps which budget.
NOISES = {
    "gdp": "rounded Gaussian noise",
    "zcdp": "discrete Gaussian noise",
    "epsilon": "discrete Laplace noise",
}


def _plain(strategy: object) -> bool:
    return isinstance(strategy, (CountsStrategy, AnswersStrategy))


def squared(document: WorkloadDocument) -> bool:
    """Whether lengths of shifts are Euclidean, and squared."""
    return document.budget[0] != "epsilon" or is_vector(document.law)


def noise_words(document: WorkloadDocument) -> str:
    """Which noise, on what."""
    if document.law is None:
        plain = {CountsStrategy(): " on each count", AnswersStrategy(): " on each answer"}
        alone = document.strategies[0] if len(set(document.strategies)) == 1 else None
        return NOISES[document.budget[0]] + (plain.get(alone, "") if _plain(alone) else "")
    if is_joint(document.law):
        return "joint noise on the answers"
    if is_vector(document.law):
        return "vector noise in the strategy"
    return "the best integer noise on each count"


def shift_length(document: WorkloadDocument, frames: Frames) -> Fraction:
    """The largest squared length of what one unit changes in the measurements.

    For Laplace noise lengths are sums of sizes, and not squared. For noise on answers: 1 where
    the change is one that the law is for, and else above 1.
    """
    rows = enumerate(zip(document.factors, document.strategies, strict=True))
    return multiply(_length_of(document, frames, k, *row) for k, row in rows)


def _length_of(
    document: WorkloadDocument, frames: Frames, place: int, part: Part, strategy: AnyStrategy
) -> Fraction:
    if isinstance(strategy, TableStrategy):
        assert isinstance(part, Marginals)
        return length_of(part, strategy)
    if isinstance(strategy, CountsStrategy):
        return Fraction(2 if document.replaced else 1)
    if isinstance(strategy, AnswersStrategy):
        # (Laplace noise is for as much as it is.)
        return Fraction(1 if document.law is None or _moved_within(part, document) else 2)
    if isinstance(strategy, RootStrategy):
        return length_of_roots(part.cells, strategy)
    if isinstance(strategy, SummedStrategy):
        return largest_column(strategy, document.replaced)
    frame = frames.of(place, part, strategy.coordinates)
    if isinstance(strategy, TallStrategy):
        return largest_sum(frame, strategy, document.replaced)
    return longest_shift(frame, strategy, document.replaced)


def laplace_rate(document: WorkloadDocument) -> Fraction:
    """epsilon over what a unit moves: of Laplace noise on answers all of them, else 1."""
    _, value = document.budget
    if document.strategies == (AnswersStrategy(),):
        moved = answers_moved(document.workload.part, document.replaced)
        return value / max(Fraction(1), moved)
    return value


def _moved_within(part: Part, document: WorkloadDocument) -> bool:
    """Whether what a unit does to the answers is what their joint noise is for."""
    law = document.law
    if not is_joint(law) or len(law.problem.shape.blocks) != 1:
        return False
    moves = law.problem.shape
    return moves.dimension == part.queries and columns_within(part, moves, document.replaced)


def variance_above(document: WorkloadDocument) -> Fraction:
    """At least the variance of the noise of one measurement."""
    if document.law is not None:
        return law_variance(document.law)
    name, value = document.budget
    if name == "zcdp":
        return 1 / (2 * value)
    grid = document.grid
    charge(20 * arithmetic(2 * bits(grid)))
    if name == "epsilon":
        value = laplace_rate(document)
        q = exp_upper(-value * grid)
        # (On a very fine grid q is rounded up to 1.)
        fine = 2 / value**2
        return fine if q == 1 else min(fine, grid**2 * 2 * q / (1 - q) ** 2)
    return (1 / value + grid / 2) ** 2


def variance_below(document: WorkloadDocument) -> Fraction:
    """At most the variance of every noise that is as private for a shift by exactly 1."""
    if document.asked is not None:
        return approximate_variance(*document.asked)
    name, value = document.budget
    if name == "gdp":
        return gaussian_variance(value)
    found = concentrated_variance(value)
    if document.entropy is not None:
        found = max(found, entropy_variance(value, document.entropy))
    return found


def release_cost(document: WorkloadDocument, frames: Frames) -> Fraction:
    """At least the total squared error of a release, or its largest variance."""
    rows = zip(document.factors, document.strategies, document.multipliers, strict=True)
    each = (_cost_above(document, frames, k, *row) for k, row in enumerate(rows))
    return multiply((variance_above(document), *each))


def _cost_above(
    document: WorkloadDocument,
    frames: Frames,
    place: int,
    part: Part,
    strategy: AnyStrategy,
    own: Proofs,
) -> Fraction:
    if isinstance(strategy, TableStrategy):
        assert isinstance(part, Marginals)
        return upper_tables(part, strategy, document.largest)
    if isinstance(strategy, RootStrategy):
        return upper_roots(part.cells, strategy)
    if isinstance(strategy, SummedStrategy):
        return upper_summed(part, strategy)
    if isinstance(strategy, CountsStrategy):
        return counts_cost(part, document.largest)
    if isinstance(strategy, AnswersStrategy):
        return answers_cost(part, document.largest)
    assert isinstance(own, Multipliers)
    where = strategy.coordinates
    frame = frames.of(place, part, where)
    inverse = inverse_of(frame, strategy, own)
    if document.largest:
        return upper_largest(part, document.replaced, where, inverse)
    return upper_total(frame, inverse)


def lower_cost(document: WorkloadDocument, frames: Frames) -> Fraction:
    """At most what every noise that is as private costs."""
    rows = zip(document.factors, document.strategies, document.multipliers, strict=True)
    each = (_cost_below(document, frames, k, *row) for k, row in enumerate(rows))
    return multiply((variance_below(document), *each))


def _cost_below(
    document: WorkloadDocument,
    frames: Frames,
    place: int,
    part: Part,
    strategy: AnyStrategy,
    own: Proofs,
) -> Fraction:
    if isinstance(strategy, TableStrategy):
        assert isinstance(part, Marginals)
        return _lower_tables(part, own)
    if isinstance(own, PrefixProof):
        ranges = isinstance(part, Named) and part.name == "ranges"
        return lower_prefix(part.cells, own, ranges)
    if isinstance(strategy, RootStrategy):
        return lower_roots(part.cells)
    if own is None:
        return lower_plain(part, document.largest, document.replaced)
    assert isinstance(own, Multipliers)
    where = strategy.coordinates if isinstance(strategy, Strategy) else own.coordinates
    found = lower_total(frames.of(place, part, where, own.questions), own)
    return found if own.questions is None else found / sum(own.questions)


def _lower_tables(part: Marginals, own: Proofs) -> Fraction:
    if not isinstance(own, tuple):
        return lower_tables(part, part.worth)
    worth = [c * w for c, w in zip(own, part.worth, strict=True)]
    cells = sum(c * part.cells_of(one) for c, one in zip(own, part.sets, strict=True))
    return lower_tables(part, worth) / cells
