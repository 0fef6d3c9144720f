"""Several numbers at once, from the public interface: the numbers that must come out, and files."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from leastnoise import ArgumentError, Blocks, Cube, Design, Sparse, compare, design, load
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.certificates.shaped import NoProof
from leastnoise.certify.noise.shapes.block_counts import Side
from leastnoise.certify.noise.shapes.knorm import KNorm, largest_mean
from leastnoise.errors import DataError, FormatError
from leastnoise.noise.joint import JointNoise
from leastnoise.sampling.entropy import InsecureSeededEntropy
from leastnoise.sampling.geometric import GridOverflowError


@cache
def made(shape, loss="l2", epsilon=1, integer=True, delta=0) -> Design:
    return design(epsilon=epsilon, delta=delta, sensitivity=shape, integer=integer, loss=loss)


@pytest.mark.parametrize(
    ("shape", "loss", "epsilon", "expected"),
    [
        (Cube(2), "l2", 1, "3.902809"),
        (Cube(2), "l1", 1, "1.428956"),
        (Cube(5), "l2", 1, "13.916423"),
        (Cube(10), "l2", 1, "43.916667"),
        (Cube(10), "l1", 1, "5.487500"),
        (Cube(2, one_sided=True), "l2", 1, "3.162992"),
        (Cube(3, one_sided=True), "l2", 1, "4.613445"),
        (Cube(5, one_sided=True), "l2", 1, "8.1568"),
        (Cube(10, one_sided=True), "l2", 1, "20.278250"),
        (Cube(2, one_sided=True), "l2", 0.5, "12.853946"),
        (Sparse(5, 2), "l2", 1, "6.91"),
        (Sparse(10, 5), "l1", 1, "4.631"),
        (Sparse(10, 5), "l2", 0.5, "136.69"),
        (Sparse(20, 5), "l2", 1, "46.0446"),
        (Sparse(3, 2), "l2", 1.5, "2.342330"),
        (Sparse(3, 2, one_sided=True), "l1", 1.5, "0.874541"),
    ],
    ids=str,
)
def test_the_numbers_of_the_theory(shape, loss, epsilon, expected) -> None:
    found = made(shape, loss, epsilon)
    assert found.certified and found.verify().proven
    digits = len(expected.partition(".")[2])
    assert abs(found.upper - float(expected)) < 0.6 * 10**-digits
    assert 0 < found.lower <= found.upper


@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize("k", [2, 3, 4, 6, 8, 10])
def test_the_cube_is_the_best(k: int, loss: str) -> None:
    found = made(Cube(k), loss)
    assert found.converged and found.gap < 1e-6


@pytest.mark.parametrize(("k", "width"), [(1, 1), (3, 1), (10, 1), (2, 3), (3, 8)])
def test_the_largest_error_is_exactly_the_best(k: int, width: int) -> None:
    assert made(Cube(k, width=width), "largest").gap < 1e-9


def test_a_thousand_and_other_sizes() -> None:
    assert made(Cube(16), "l1").gap < 1e-3
    report = made(
        Blocks(Cube(1, one_sided=True), Sparse(4, 1, one_sided=True), Cube(2, one_sided=True))
    )
    assert sum(report.noise.shape.widths) == 7 and report.upper < 10


def test_real_values() -> None:
    found = made(Cube(10), integer=False)
    assert found.upper == pytest.approx(44, rel=1e-4) and found.gap < 0.01
    odd = made(Cube(3, width=[1, "1/3", 7]), integer=False)
    assert odd.certified
    exact = odd.release([0.1, 1e300, -3], exact=True)
    assert all((one / odd.document.noise.grid).denominator == 1 for one in exact)


def test_weights_move_noise_to_what_matters_less() -> None:
    even = design(epsilon=0.25, delta=0, sensitivity=Cube(2), integer=True, loss="l2")
    uneven = design(
        epsilon=0.25, delta=0, sensitivity=Cube(2), integer=True, loss="l2", weights=[100, 1]
    )
    assert uneven.document.noise.offsets[0] == 0 < uneven.document.noise.offsets[1]
    # Without offsets each of the two costs what it costs in `even`.
    assert uneven.upper < 0.7 * even.upper
    assert uneven.upper * 1.01 / 16 == pytest.approx(2.723, rel=1e-2)
    assert 0 < uneven.lower <= uneven.upper
    assert parse_any(uneven.document.dumps()) == uneven.document


def test_a_ratio_next_to_1_or_0_has_an_error_bound_or_a_clear_error() -> None:
    found = made(Cube(2)).document
    noise = JointNoise(replace(found, noise=replace(found.noise, ratio=Fraction(1, 10**40))))
    assert noise.error_bound() == found.noise.offsets[0]
    with pytest.raises(GridOverflowError):
        near = replace(found.noise, ratio=1 - Fraction(1, 10**40))
        JointNoise(replace(found, noise=near)).error_bound()


def test_error_bounds() -> None:
    for k, within in ((10, 9), (30, 20)):
        shape = Cube(k, one_sided=True)
        found = design(
            epsilon=1, delta=1e-6, sensitivity=shape, integer=True, loss="l2", time_limit=0.01
        )
        assert found.error_bound(0.95) == within
        drawn = np.abs(found.noise.sample(2500, InsecureSeededEntropy(k)))
        assert 0.945 < (drawn <= within).mean() < 0.99
        every = found.error_bound(0.95, all_at_once=True)
        covered = (drawn.max(axis=1) <= every).mean()
        assert covered > 0.935 and (drawn.max(axis=1) < every).mean() < 0.96


def test_a_positive_delta() -> None:
    found = design(epsilon=1, delta=1e-6, sensitivity=Cube(3), integer=True, loss="l2")
    assert found.gap < 1e-3 and "weak" not in found.status and "Gaussian" in found.status
    many = design(epsilon=1, delta=1e-3, sensitivity=Cube(16), integer=True, loss="l2")
    assert many.lower == pytest.approx(31.3, abs=0.6)
    assert "Euclidean noise, 8.7% below the 101.92 of K-norm noise at delta = 0" in many.status
    assert "13% below the 106.33 of Gaussian noise" in many.status
    assert many.status.endswith("weak")


def test_releases() -> None:
    found = made(Cube(3))
    entropy = InsecureSeededEntropy(4)
    drawn = np.array(
        [found.release([5, -2, 10**30], exact=True, entropy=entropy) for _ in range(300)]
    )
    assert all(isinstance(v, int) for v in drawn[0])
    assert abs(np.mean([int(v) - 5 for v in drawn[:, 0]])) < 1
    assert found.release(np.array([1, 2, 3])).dtype == np.int64
    assert found.release((1.0, 2, Fraction(3))).shape == (3,)


@pytest.mark.parametrize(
    "values",
    [
        "123",
        7,
        np.array(7.0),
        [1, 2],
        [1, 2, float("nan")],
        [1, 2, 3.25],
        [1, 2, "x"],
        [[1, 2]],
        None,
        {1: 5, 2: 6, 3: 7},
        {1: 5, 2: 6, 3: 7}.keys(),
        {1, 2, 3},
    ],
)
def test_what_is_no_vector_is_refused_without_showing_it(values) -> None:
    with pytest.raises(DataError) as caught:
        made(Cube(3)).release(values)
    words = str(caught.value)
    assert "3.25" not in words and "'x'" not in words and "123" not in words


def test_files_and_pickles(tmp_path) -> None:
    for found in (
        made(Cube(3)),
        made(Sparse(5, 2)),
        made(Cube(3, one_sided=True)),
        made(Cube(2), "largest"),
    ):
        path = found.save(tmp_path / "joint.json", about={"query": "counts"})
        again = load(path)
        assert again.kind == "joint" and again.certified
        assert again.upper == found.upper and again.about["query"] == "counts"
        assert pickle.loads(pickle.dumps(found)) == found
        assert repr(found.noise.shape) in repr(found)


# -- files that lie ----------------------------------------------------------


def test_files_whose_draws_take_long_are_refused() -> None:
    genuine = made(Sparse(4, 2)).document.to_json()
    parse_any(json.dumps(genuine))
    for width, ratio in (("5001", genuine["noise"]["ratio"]), ("1", "999999/1000000")):
        forged = json.loads(json.dumps(genuine))
        forged["sensitivity"]["blocks"][0]["width"] = width
        forged["noise"]["ratio"] = ratio
        with pytest.raises(FormatError, match="draws would take long"):
            parse_any(json.dumps(forged))
    # Nor may the weights that a level is drawn by fill the memory.
    genuine = made(Cube(2, one_sided=True)).document
    for overlap, ratio in ((25_000, Fraction(9, 10)), (1_500, 1 - Fraction(1, 10**190))):
        forged = replace(genuine, noise=KNorm(Fraction(1), ratio, (0,), overlap))
        with pytest.raises(FormatError, match="too much memory"):
            parse_any(forged.dumps())
    began = time.process_time()
    wide = KNorm(Fraction(1), Fraction(9, 10), (0,), 10_000)
    released = JointNoise(replace(genuine, noise=wide)).release([0, 0])
    assert len(released) == 2 and time.process_time() - began < 2
    # What `design` allows can be loaded.
    most = design(epsilon=1, delta=0, sensitivity=Sparse(2, 1, width=10_000), integer=True)
    assert parse_any(most.document.dumps()) == most.document


def _verdicts(document) -> dict[str, str]:
    return {claim.name: claim.verdict for claim in check_any(document).claims}


def test_claims_that_are_too_good_are_refuted() -> None:
    for found in (
        made(Cube(3)),
        made(Sparse(5, 2)),
        made(Cube(3, one_sided=True)),
        made(Cube(2), "largest"),
    ):
        honest = found.document
        less = replace(
            honest, upper=honest.noise.expected_loss(honest.problem) * Fraction(999_999, 1_000_000)
        )
        assert _verdicts(less)["upper"] == "refuted"
        more = replace(honest, lower=honest.lower * Fraction(1_000_001, 1_000_000))
        assert _verdicts(more)["lower"] == "refuted"
        epsilon = honest.epsilon * Fraction(999_999, 1_000_000)
        bold = replace(honest, problem=replace(honest.problem, epsilon=epsilon))
        assert _verdicts(bold)["privacy"] == "refuted"
        none = replace(honest, certificate=NoProof())
        assert _verdicts(none)["lower"] == "refuted"
        late = replace(honest, problem=replace(honest.problem, delta=Fraction(1, 10**9)))
        assert _verdicts(late)["lower"] == "refuted"


def test_one_sided_bounds_are_not_those_of_both_ways() -> None:
    """With moves of one sign less noise is enough, so a two-sided proof must not pass."""
    both, one = made(Cube(3)).document, made(Cube(3, one_sided=True)).document
    forged = replace(one, certificate=both.certificate, lower=min(both.lower, one.upper))
    assert both.lower > one.upper and _verdicts(forged)["lower"] == "refuted"


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["sensitivity"]["blocks"][0].update(numbers=2000),
        lambda d: d["sensitivity"]["blocks"][0].update(most=4),
        lambda d: d["sensitivity"]["blocks"][0].update(width="1/2"),
        lambda d: d["sensitivity"]["blocks"][0].update(width="-1"),
        lambda d: d["sensitivity"].update(blocks=[]),
        lambda d: d["noise"].update(overlap=1),
        lambda d: d["noise"].update(offsets=[0, 0]),
        lambda d: d["noise"].update(offsets=[-1]),
        lambda d: d["noise"].update(ratio="1"),
        lambda d: d.update(weights=["1"]),
        lambda d: d.update(weights=["1/" + "7" * 3000]),
        lambda d: d.update(weights=["1", "2"]),
        lambda d: d.update(largest=True),
        lambda d: d.update(grid="1/2"),
        lambda d: d.update(loss={"name": "power", "p": "3"}),
        lambda d: d["certificate"].update(numbers=4),
        lambda d: d["certificate"]["rates"].append(d["certificate"]["rates"][0]),
        lambda d: d["certificate"]["rates"].append([1, 1, 1, 0, "1"]),
        lambda d: d["certificate"].update(cells=3),
    ],
)
def test_malformed_files_are_refused(change) -> None:
    data = json.loads(made(Cube(3)).document.dumps())
    change(data)
    with pytest.raises(FormatError):
        parse_any(json.dumps(data))


@pytest.mark.parametrize(
    "change",
    [
        {"overlap": 10**6},
        {"overlap": 10**5},
        {"overlap": 20_000, "ratio": 1 - Fraction(1, 7**900)},
        {"ratio": 1 - Fraction(1, 7**900)},
        {"offsets": (10**6,)},
    ],
)
def test_no_file_takes_long(change) -> None:
    """Whatever the noise, the check ends: proven, refuted or refused."""
    honest = made(Cube(10, one_sided=True)).document
    began = time.process_time()
    with contextlib.suppress(FormatError):
        noise = replace(honest.noise, **change)
        check_any(replace(honest, upper=Fraction(10**9), noise=noise))
    assert time.process_time() - began < 6


def test_rates_that_change_prove_no_more_than_the_noise_costs() -> None:
    """Whatever the rates, what they prove is below what private noise costs."""
    draw = random.Random(8)
    found = made(Cube(4)).document
    cost = found.noise.expected_loss(found.problem)
    for _ in range(60):
        rates = {
            place: int(rate * draw.choice([0, 0.5, 0.9, 1, 1, 1, 1.1, 2]))
            for place, rate in found.certificate.rates.items()
        }
        assert replace(found.certificate, rates=rates).bound(found.problem) <= cost


def test_the_largest_error_by_enumeration() -> None:
    ratio = Fraction(1, 6)
    for block in (Side(1, 1, 1), Side(2, 2, 1, 1), Side(2, 2, 3, 1)):
        top = bottom = Fraction(0)
        for j in range(12):
            end = block.offset + j * block.width
            inside = [max(map(abs, x)) for x in product(range(-end, end + 1), repeat=block.numbers)]
            top += ratio**j * sum(inside)
            bottom += ratio**j * len(inside)
        assert float(top / bottom) == pytest.approx(float(largest_mean(block, ratio)), rel=1e-4)


def test_pictures_pages_and_comparisons() -> None:
    found = made(Cube(2))
    assert found.plot().png(50)[:4] == b"\x89PNG"
    page = found._repr_html_()
    assert "3.902" in page and "95%" in page
    beside = compare(epsilon=1, delta=0, sensitivity=Cube(2), integer=True, loss="l2")
    assert beside.rows[0].name == "design" and beside["laplace"].loss == pytest.approx(7.8354)
    assert "geometric" in repr(beside) and beside.to_json()["rows"]


def test_arguments_are_named() -> None:
    with pytest.raises(ArgumentError, match="time_limit"):
        design(epsilon=1, delta=0, sensitivity=Cube(2), time_limit=-1)
    with pytest.raises(ArgumentError, match="gap"):
        design(epsilon=1, delta=0, sensitivity=Cube(2), gap=7)
