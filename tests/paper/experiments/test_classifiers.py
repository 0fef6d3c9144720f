"""Tables 2 and 3 as published: the fast simulation against a plain one, the tests, the report."""

from __future__ import annotations

import math
import os
from dataclasses import replace

import numpy as np
import pytest

from leastnoise import ArgumentError, design
from leastnoise.datasets import synthetic
from leastnoise.paper.experiments import descent_as_published, reproduce
from leastnoise.paper.experiments.bayes_as_published import Columns, Fitted, split, statistics
from leastnoise.paper.experiments.classifiers import Size, collect, paired, read_results
from leastnoise.paper.experiments.noises import METHODS, Channel, quantile

needs_files = pytest.mark.skipif(
    not os.environ.get("LEASTNOISE_DATA"), reason="LEASTNOISE_DATA names no folder"
)
DATA = synthetic(300)


def plain_errors(dataset, train, test, method, uniforms):
    """Naive Bayes of one draw after another, row by row."""
    found = statistics(dataset, train)
    result = ([], [])
    for draw in range(uniforms.shape[1]):
        held = {}
        for statistic, uniform in zip(found, uniforms[:, draw], strict=True):
            noise = statistic.kind.sensitivity * float(quantile(method)(np.array([uniform]))[0])
            value = statistic.value + noise
            if statistic.role != "mean":
                value = max(value, 1.0 if statistic.role == "spread" else 1e-6)
            held[statistic.role, statistic.label, statistic.feature, statistic.level] = value
        for side, rows in enumerate((train, test)):
            wrong = 0
            for row in rows:
                scores = []
                for label in range(len(dataset.classes)):
                    own = held["class", label, -1, -1]
                    score = math.log(own)
                    for j, code in enumerate(dataset.categorical[row]):
                        count = held.get(("count", label, j, int(code)), 0.0)
                        score += math.log(count / own) if count else -math.inf
                    for j, x in enumerate(dataset.numeric[row]):
                        mean = held["mean", label, j, -1]
                        spread = held["spread", label, j, -1]
                        score += -0.5 * ((x - mean) / spread) ** 2 - math.log(
                            spread * math.sqrt(2 * math.pi)
                        )
                    scores.append(score)
                wrong += int(np.argmax(scores)) != dataset.labels[row]
            result[side].append(wrong / len(rows))
    return np.array(result[0]), np.array(result[1])


def three_classes():
    """The same rows, some of them repeated, and a third label."""
    twice = np.concatenate([np.arange(len(DATA)), np.arange(80)])
    labels = DATA.labels[twice].copy()
    labels[::3] = 2
    return replace(
        DATA,
        numeric=np.round(DATA.numeric[twice]),
        labels=labels,
        categorical=DATA.categorical[twice],
        classes=(*DATA.classes, "third"),
    )


@pytest.mark.parametrize("dataset", [DATA, three_classes()], ids=["two", "three"])
@pytest.mark.parametrize("method", ["gaussian", "truncated-laplace", "optimal"])
def test_merged_features_are_the_plain_classifier(method, dataset):
    train, test = split(len(dataset), 1)
    fitted = Fitted(Columns(dataset), train, test)
    uniforms = np.random.default_rng(1).random((len(fitted.statistics), 4))
    fast = fitted.errors(method, uniforms)
    plain = plain_errors(dataset, train, test, method, uniforms)
    assert np.allclose(fast[0], plain[0])
    assert np.allclose(fast[1], plain[1])


def test_rows_that_a_class_cannot_explain():
    """Levels that one class never has, in training: the other class, and the first if neither."""
    levels = (("a", "b", "c", "d"), ("e", "f"))
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [1, 1], [2, 0], [3, 1]])
    dataset = replace(
        DATA,
        numeric=np.zeros((8, 0)),
        numeric_names=(),
        levels=levels,
        categorical=codes,
        categorical_names=("u", "v"),
        labels=np.array([0, 0, 1, 1, 0, 1, 0, 1]),
    )
    for third in ((), ("never",)):  # the way for two classes, and the way for many
        for labels in (dataset.labels, 1 - dataset.labels):
            whole = replace(dataset, classes=("no", "yes", *third), labels=labels)
            fitted = Fitted(Columns(whole), np.arange(6), np.array([6, 6, 7]))
            inside, outside = fitted.errors("none", np.zeros((len(fitted.statistics), 1)))
            assert inside.tolist() == [0.0]
            assert outside == pytest.approx([1 / 3])  # the label of the first row is right twice


def plain_descent(signed, rng, method, scale):
    """The paper's algorithm for one draw, every iterate kept."""
    rows, width = signed.shape
    each = math.ceil(width / 4)
    current = rng.uniform(-1, 1, (width, 1))[:, 0]
    for _ in range(5):
        order = rng.permutation(width)[:each]
        uniforms = rng.random((each, 1))[:, 0]
        iterates, moving = [], current.copy()
        for j, uniform in zip(order, uniforms, strict=True):
            total = -(signed[:, j] / (1 + np.exp(signed @ moving))).sum()
            total += 2 * scale * float(quantile(method)(np.array([uniform]))[0])
            value = moving[j] - total / rows
            moving[j] = math.copysign(max(abs(value) - 1e-8, 0.0), value)
            iterates.append(moving.copy())
        current = np.mean(iterates, axis=0)
    return current


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_rank_one_updates_are_the_plain_descent(scale):
    features, labels = DATA.design_matrix()
    train, test = split(len(labels), 2)
    train = np.concatenate([train, train[:50]])  # equal rows count as one, with a weight
    signed = features[train] * labels[train, None]
    rows = descent_as_published._Rows(features[train], labels[train])
    assert len(rows.features) < len(train)
    noise = descent_as_published._NoiseAsPublished("optimal", scale)
    fast = descent_as_published._descend(rows, noise, np.random.default_rng([3, 2, 0]), 1, 5)
    plain = plain_descent(signed, np.random.default_rng([3, 2, 0]), "optimal", scale)
    assert np.allclose(fast[:, 0], plain, atol=1e-4)
    found = descent_as_published.errors(
        features, labels, train, test, ("none", "optimal"), 3, 2, iterations=5
    )
    assert {method: len(errors[0]) for method, errors in found.items()} == {"none": 3, "optimal": 3}


def test_a_methods_draws_do_not_depend_on_its_company():
    features, labels = DATA.design_matrix()
    train, test = split(len(labels), 0)
    alone = descent_as_published.errors(features, labels, train, test, ("optimal",), 4, 0, 3)
    both = descent_as_published.errors(
        features, labels, train, test, ("gaussian", "optimal"), 4, 0, 3
    )
    assert np.array_equal(alone["optimal"][1], both["optimal"][1])


def test_the_tables_of_a_channel_follow_its_law():
    best = design(epsilon=1, delta=0.1, sensitivity=1, bounds=(0, 2), gap=0.05)
    channel = Channel(best.noise)
    rng = np.random.default_rng(4)
    for value in (0.0, 0.33, 1.2, 2.0):
        answers = channel.answers(np.full(40_000, value), rng.random(40_000))
        places, masses = best.noise.distribution(value)
        mean = float(places @ masses)
        spread = math.sqrt(float((places - mean) ** 2 @ masses))
        assert abs(answers.mean() - mean) < 5 * spread / 200 + 1e-9
        assert answers.std() == pytest.approx(spread, rel=0.05)


def test_channels_with_a_core_answer_beyond_it():
    best = design(
        epsilon=1,
        delta=0.1,
        sensitivity=2,
        bounds=(-100, 100),
        core=(-4, 4),
        crossing=(0, 99),
        gap=0.9,
        time_limit=5,
    )
    channel = Channel(best.noise)
    rng = np.random.default_rng(5)
    for value in (-50.0, 3.0, 77.7):
        answers = channel.answers(np.full(20_000, value), rng.random(20_000))
        assert abs(answers.mean() - value - best.noise.bias(value)) < 0.1


def test_paired_tests_see_a_difference_and_only_then():
    rng = np.random.default_rng(0)
    base = rng.normal(20, 3, 20)
    results = {
        ("x", k): {"a": (b, b), "b": (b + 0.1 + rng.normal(0, 0.05), b), "c": (b, b)}
        for k, b in enumerate(base)
    }
    mean, p = paired(results, "x", "a", "b", 0)
    assert mean == pytest.approx(0.1, abs=0.05)
    assert p < 1e-4
    assert paired(results, "x", "a", "c", 0) == (0.0, 1.0)


def test_sizes_are_checked():
    with pytest.raises(ArgumentError, match="splits must be an integer, at least 2"):
        Size(1, 20)


@needs_files
def test_a_stopped_run_goes_on(tmp_path):
    path = tmp_path / "table2-splits.csv"
    said = []
    sizes = {"post-operative": Size(2, 10)}
    first = collect("table2", sizes, path, said.append)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-3]) + "\n")  # a split that was cut off
    assert len(read_results(path)) == 1
    again = collect("table2", sizes, path, said.append)
    assert again.keys() == first.keys()
    for key, errors in first.items():
        for method in ("none", *METHODS):
            assert again[key][method] == pytest.approx(errors[method], abs=1e-4)


@needs_files
def test_two_processes_find_what_one_finds(tmp_path):
    sizes = {"ecoli": Size(3, 4)}
    alone = collect("table3-tenfold", sizes, tmp_path / "a.csv", print)
    both = collect("table3-tenfold", sizes, tmp_path / "b.csv", print, jobs=2)
    assert both == alone


@needs_files
@pytest.mark.parametrize("name", ["table2", pytest.param("table3", marks=pytest.mark.slow)])
def test_quick_tables(name, tmp_path):
    (report,) = reproduce(name, tmp_path, quick=True)
    assert {row[0] for row in report.rows} == {"post-operative", "ecoli"}
    text = (tmp_path / f"{name}.md").read_text()
    assert "As published" in text
    assert "not a private classifier" in text
    # Without noise the tables agree within what three splits can say.
    bare = [row for row in report.rows if row[1] == "no noise"]
    assert all(abs(row[5]) < 4 for row in bare)


def test_quick_totals(tmp_path):
    (report,) = reproduce("totals", tmp_path, quick=True)
    assert {row[2] for row in report.rows} >= {"optimal", "laplace"}
    assert (tmp_path / "totals.png").exists()
    best = [row for row in report.rows if row[:4] == ("naive Bayes", "synthetic", "optimal", 3.0)]
    assert best[0][4] < best[0][6] + 5
