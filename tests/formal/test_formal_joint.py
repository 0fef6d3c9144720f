"""Coq on cubes of whole numbers: what our checker proves, what it refutes, and what is left out."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import pytest
from test_formal import ROOT, needs_coq
from typer.testing import CliRunner

from leastnoise import Blocks, Cube, Sparse, design
from leastnoise.certify import check, parse_any
from leastnoise.cli import app
from leastnoise.formal import NotCovered, accepts, coq, left_out, translated


@pytest.fixture(autouse=True)
def kept_theory(monkeypatch):
    """The compiled theory is kept from run to run."""
    monkeypatch.setattr(coq, "cache_folder", lambda part: ROOT / "build" / part)


def _cube(k, loss, width=1, **more):
    shape = Cube(k, width, **more)
    made = design(epsilon=1, delta=0, sensitivity=shape, integer=True, loss=loss)
    return json.loads(made.document.dumps())


def _with(file, value, *path):
    """A copy with another value; a function is applied to the number that is there."""
    file = copy.deepcopy(file)
    holder = file
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = str(value(Fraction(holder[path[-1]]))) if callable(value) else value
    return file


def _proven(file):
    """Whether our checker proves all that Coq is asked."""
    without = {"lower"} if left_out(file) else set()
    claims = check(parse_any(json.dumps(file))).claims
    return all(claim.verdict == "proven" for claim in claims if claim.name not in without)


def _free(file):
    return {**file, "lower": "0", "certificate": {}}


def _forged(file):
    """Files that are refuted, each in one claim, most of them by a little."""
    yield _with(file, lambda e: e * (1 - Fraction(1, 10**9)), "epsilon")
    yield _with(file, lambda q: q - Fraction(1, 2**60), "noise", "ratio")
    yield _with(_free(file), lambda u: u * (1 - Fraction(1, 10**9)), "upper")
    yield _with(_free(file), [file["noise"]["offsets"][0] + 1], "noise", "offsets")
    if not left_out(file):
        yield _with(_with(file, "9", "upper"), lambda u: u * (1 + Fraction(1, 10**6)), "lower")
        yield {**file, "certificate": {}}
        if file["largest"]:
            yield _with(file, 2, "certificate", "cells")
            return
        yield _with(file, lambda u: u * Fraction(999, 1000), "certificate", "unit")
        yield _with(file, lambda u: u * Fraction(1001, 1000), "certificate", "unit")


def test_shapes_that_are_not_covered_are_refused_by_name() -> None:
    file = _cube(2, "l1")
    for shape, words in (
        (Cube(2, one_sided=True), "overlap"),
        (Sparse(2, 1), "cube"),
        (Blocks(Cube(1, 1), Cube(1, 2)), "cube"),
    ):
        made = design(epsilon=1, delta=0, sensitivity=shape, integer=True)
        with pytest.raises(NotCovered, match=words):
            translated(json.loads(made.document.dumps()))
    for key, value in (("integer", False), ("delta", "0.1"), ("weights", ["2"])):
        with pytest.raises(NotCovered):
            translated({**file, key: value})
    sided = {**file["sensitivity"], "one_sided": True}
    with pytest.raises(NotCovered, match="one_sided"):
        translated({**file, "sensitivity": sided})
    for noise in ({"each": ["1"]}, {**file["noise"], "overlap": 1}):
        with pytest.raises(NotCovered):
            translated({**file, "noise": noise})
    with pytest.raises(NotCovered, match="wide"):
        translated(_with({**file, "largest": True}, [10**5], "noise", "offsets"))
    for place in (("certificate", "rates", 0, 4), ("noise", "ratio"), ("certificate", "unit")):
        with pytest.raises(ValueError, match="nvalid literal"):
            translated(_with(file, "1) [])]. Axiom x : False", *place))


def test_lower_is_left_out_for_a_reason() -> None:
    file = _cube(2, "l1")
    assert not left_out(file)
    assert not left_out({**file, "largest": True, "certificate": {"cells": 1}})
    assert "kind" in left_out({**file, "largest": True})
    assert "kind" in left_out(_with(file, 9, "certificate", "cut"))
    assert "fewer" in left_out(_with(file, 1, "certificate", "numbers"))
    sums = {"numbers": 2, "step": "1", "reach": 0, "shifts": []}
    assert "sums" in left_out({**file, "certificate": sums})
    for key, value, words in (("width", "2", "move"), ("numbers", 13, "more than 12")):
        other = _with(file, value, "sensitivity", "blocks", 0, key)
        other["certificate"]["numbers"] = other["sensitivity"]["blocks"][0]["numbers"]
        assert words in left_out(other)
        assert not left_out({**other, "lower": "0"})


@needs_coq
def test_cubes() -> None:
    """One run of Coq. Every claim is looked at, and what our reader refuses is refused again."""
    good = [_cube(3, "l1"), _cube(3, "l2"), _cube(2, "largest"), _cube(2, "l2", 3)]
    good += [_cube(2, "largest", 2), _free(good[0])]
    assert [bool(left_out(file)) for file in good] == [False, False, False, True, True, False]
    bad = [*_forged(good[0]), *list(_forged(good[1]))[4:8], *list(_forged(good[2]))[1:]]
    bad += [list(_forged(good[3]))[3], list(_forged(good[4]))[2]]
    for file in good:
        assert _proven(file)
    for file in bad:
        assert not _proven(file), file
    block, free = ("sensitivity", "blocks", 0), {**_free(good[0]), "upper": "99"}
    odd = [
        _with(free, [-1], "noise", "offsets"),
        _with(free, "1", "noise", "ratio"),
        _with(free, "0", *block, "width"),
        _with(_with(free, 0, *block, "numbers"), 0, *block, "most"),
        _with(free, "-1", "epsilon"),
        # rates below 0 count as 0
        _with(good[0], "-1", "certificate", "rates", 0, 4),
    ]
    assert accepts([*good, *bad, *odd]) == [True] * len(good) + [False] * (len(bad) + len(odd))


@needs_coq
def test_what_is_left_out_is_said(tmp_path) -> None:
    path = tmp_path / "wide.json"
    path.write_text(json.dumps(_cube(2, "largest", 2)), encoding="utf-8")
    done = CliRunner().invoke(app, ["verify", "--formal", str(path)])
    assert done.exit_code == 3, done.output
    assert "Coq: partly proven" in done.output and "Coq: proven" not in done.output
    assert "lower is not covered" in done.output
