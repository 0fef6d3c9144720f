"""Gurobi behind the same face; its size-limited licence is enough for these."""

from __future__ import annotations

import importlib.util

import pytest

from leastnoise.errors import MissingExtraError
from leastnoise.hierarchy import D, Options, P

INSTANCE = {"epsilon": 1, "delta": "0.2", "beta": "1/4", "cells": 8}
there = importlib.util.find_spec("gurobipy") is not None


@pytest.mark.skipif(there, reason="gurobipy is installed")
def test_without_gurobi_the_error_names_the_extra():
    with pytest.raises(MissingExtraError, match=r"leastnoise\[gurobi\]"):
        P(**INSTANCE).solve(solver="gurobi")


@pytest.mark.skipif(not there, reason="gurobipy is not installed")
@pytest.mark.parametrize("problem", [P, D])
@pytest.mark.parametrize("algorithm", ["cutting-plane", "direct"])
def test_gurobi_and_highs_agree(problem, algorithm):
    options = Options(drop_every=4)
    ours = problem(**INSTANCE).solve(algorithm, "highs", options)
    theirs = problem(**INSTANCE).solve(algorithm, "gurobi", options)
    assert theirs.certified
    assert theirs.value == pytest.approx(ours.value, abs=1e-6)
