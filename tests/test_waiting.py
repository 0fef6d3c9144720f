"""Signs of life: work that takes a while says what it does, wherever it runs."""

from __future__ import annotations

import time

import numpy as np
import pytest

from leastnoise import ArgumentError, _live, design
from leastnoise.accounting import break_even, compose, compose_many
from leastnoise.datasets import synthetic
from leastnoise.learn import DPLogisticRegression, DPNaiveBayes

BEST = design(epsilon=1, delta="0.05", sensitivity=1, integer=True)
DATA = synthetic(400)


def test_composition_says_what_it_does():
    said = []
    compose_many(BEST, [2, 3], delta=0.3, progress=said.append)
    assert said == [
        "composing",
        "composing 2 releases, 0 of 2 done",
        "composing 3 releases, 1 of 2 done",
    ]
    said.clear()
    compose([(BEST, 2), (BEST, 1)], delta=0.3, progress=said.append)
    break_even(BEST, delta=0.3, max_releases=2, progress=said.append)
    assert said[0] == "composing" and "1 releases" in said[2]
    with pytest.raises(ArgumentError, match="progress must be a function, True"):
        compose(BEST, 2, delta=0.3, progress="loud")


def test_the_clock_moves_though_nothing_is_told(capfd, monkeypatch):
    monkeypatch.setattr(_live, "_TICK_SECONDS", 0.02)
    monkeypatch.setattr(_live, "_PLAIN_SECONDS", 0.05)
    with _live.waiting(True, "thinking"):
        time.sleep(0.2)
        _live.tell("deciding")
        time.sleep(0.2)
    lines = capfd.readouterr().err.splitlines()
    assert "thinking, 0 s" in lines and "deciding, 0 s" in lines
    _live.tell("nobody listens")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("model", [DPNaiveBayes, DPLogisticRegression])
def test_classifiers_say_what_they_do_if_asked(model, capfd, monkeypatch):
    monkeypatch.setattr(_live, "_TICK_SECONDS", 0.01)
    monkeypatch.setattr(_live, "_PLAIN_SECONDS", 0.0)
    options = {"delta": 0, "bounds": (0, 10), "classes": [0, 1]}
    model(**options).fit(DATA.numeric, DATA.labels)
    assert capfd.readouterr().err == ""
    model(verbose=True, **options).fit(DATA.numeric, DATA.labels)
    assert "calibrating noise, 0 s" in capfd.readouterr().err
    with pytest.raises(ArgumentError, match="verbose"):
        model(verbose="much", **options).fit(DATA.numeric, DATA.labels)


def test_comparing_noises_says_which(capsys):
    said = []
    with _live.waiting(said.append, "fit"):
        DPNaiveBayes(epsilon=2, delta=1e-3, bounds=(0, 10), classes=[0, 1]).fit(
            np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 1, 0, 1]
        )
    assert "calibrating Gaussian noise" in said and "calibrating Tulap noise" in said
