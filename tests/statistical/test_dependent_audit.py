"""A black-box audit of data dependent noise: answers for neighboring values, counted.

Half of the answers choose the event "likelier by more than e^eps at the first value", the other
half count it; by Hoeffding the counted difference is within the stated spread of the true one
except with probability 1e-9. It must not exceed delta, and it must see most of it: an audit that
cannot find anything proves nothing.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from leastnoise import design
from leastnoise.sampling import InsecureSeededEntropy, system_entropy

FAILURE = 1e-9


def violation(first, second, epsilon: float) -> tuple[float, float]:
    """(lower, upper) confidence bounds on P(A) - e^eps P'(A) for an event A found in the data."""
    size = len(first) // 2
    answers, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    one, two = place[: len(first)], place[len(first) :]

    def counts(drawn):
        return np.bincount(drawn, minlength=len(answers))

    exp = math.exp(epsilon)
    event = counts(one[:size]) > exp * counts(two[:size])
    seen = (counts(one[size:])[event].sum() - exp * counts(two[size:])[event].sum()) / size
    spread = (1 + exp) * math.sqrt(math.log(2 / FAILURE) / (2 * size))
    return seen - spread, seen + spread


@pytest.fixture(scope="module")
def found():
    return design(epsilon=1, delta=0.2, sensitivity=2, bounds=(0, 4), gap=0.05)


def pairs_of(found) -> list[tuple[float, float]]:
    """Neighbors on nodes, between nodes, at both ends, and very close to each other."""
    step = float(found.document.noise.step)
    return [
        (0, 2),
        (2, 0),
        (4, 2),
        (2, 4),
        (1, 3),
        (3, 1),
        (0.37 * step, 2 + 0.37 * step),
        (1 + 0.5 * step, 3 + 0.5 * step),
        (4 - 0.9 * step, 2 - 0.9 * step),
        (2, 2 + step),
        (2, 2 + 0.5 * step),
        (0, 1e-9),
    ]


def test_sampled_answers_keep_the_budget(found) -> None:
    entropy, size, best = InsecureSeededEntropy(3), 100_000, 0.0
    for one, two in pairs_of(found):
        a, b = (found.noise.sample(v, size, entropy=entropy) for v in (one, two))
        low, high = violation(a, b, 1.0)
        assert low <= 0.2
        best = max(best, high)
    assert best >= 0.2  # the budget is used up somewhere, and the audit sees it


def test_released_answers_have_the_sampled_law(found) -> None:
    """`release` rounds and then draws, `sample` draws from the mixture: one law."""
    step = float(found.document.noise.step)
    for value in (0.0, 1 + 0.3 * step, 4 - 0.1 * step):
        released = found.release([value] * 6000, entropy=InsecureSeededEntropy(5))
        answers, masses = found.noise.distribution(value)
        counts = np.array([released.count(float(y)) for y in answers])
        assert counts.sum() == 6000
        spread = np.sqrt(6000 * masses * (1 - masses)) * 6 + 8
        assert (np.abs(counts - 6000 * masses) <= spread).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "delta", "integer"),
    [(1, 0.2, False), (0.2, 0.05, False), (5, 0.25, False), (1, 0.1, True)],
)
def test_audit_with_system_entropy_and_more_samples(epsilon, delta, integer) -> None:
    sensitivity, bounds = (2, (0, 12)) if integer else (2, (0, 4))
    found = design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        bounds=bounds,
        integer=integer,
        gap=0.1,
    )
    pairs = [(0, 2), (5, 3), (12, 10), (6, 7)] if integer else pairs_of(found)
    best = 0.0
    for one, two in pairs:
        a, b = (found.noise.sample(v, 1_000_000, entropy=system_entropy()) for v in (one, two))
        low, high = violation(a, b, epsilon)
        assert low <= delta
        best = max(best, high)
    assert best >= delta
    released = np.array(found.release([float(pairs[0][0])] * 50_000))
    assert (
        abs(np.abs(released - pairs[0][0]).mean() - found.noise.expected_loss(pairs[0][0])) < 0.05
    )
