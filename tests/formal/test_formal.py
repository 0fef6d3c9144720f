"""Coq proves what our checker proves: the theorem, what it rests on, small files, refusals."""

from __future__ import annotations

import copy
import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from leastnoise import (
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
    design,
)
from leastnoise.certify import check, parse_any
from leastnoise.cli import app
from leastnoise.formal import NotCovered, accepts, assumptions, coq, missing, prove, translated
from leastnoise.formal import __main__ as formally
from leastnoise.formal.coq import AXIOMS, THEORY
from leastnoise.partition_selection import partition_selection

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from agreement import BENT, MIXED  # noqa: E402

EXAMPLE = json.loads((ROOT / "docs" / "example.json").read_text(encoding="utf-8"))
FOLDER = ROOT / "src" / "leastnoise" / "formal" / "theory"

needs_coq = pytest.mark.skipif(missing() is not None, reason=missing() or "")

#: Integer noise with a tail: every period is half the one before.
TAIL = {
    "format": "leastnoise/1",
    "kind": "integer",
    "epsilon": "0.7",
    "delta": "0",
    "sensitivity": "1",
    "loss": {"name": "l2"},
    "step": "1",
    "noise": {
        "denominator": "6",
        "first": -1,
        "weights": ["1", "2", "1"],
        "tail": {"period": 1, "ratio": "1/2"},
    },
    "upper": "4",
    "lower": "0",
    "certificate": {"step": "1", "reach": 0, "shifts": []},
}
#: Runs of three whole numbers with free edges and an atom.
MESH = {
    "format": "leastnoise/1",
    "kind": "integer",
    "epsilon": "1",
    "delta": "0.6",
    "sensitivity": "3",
    "loss": {"name": "pinball", "tau": "0.25"},
    "step": "3",
    "grid": 3,
    "noise": {
        "denominator": "10",
        "edges": ["-3/2", "-1/2", "5/6", "3/2"],
        "weights": ["2", "4", "3"],
        "atom": "1",
    },
    "upper": "69/80",
    "lower": "0",
    "certificate": {"step": "1", "reach": 0, "shifts": []},
}
#: Questions whose designs have what those above have not.
QUESTIONS = (
    {"delta": "0.05", "gap": 0.05, "loss": BENT},
    {"delta": 0, "gap": 0.2, "loss": MIXED},
    {"delta": 0, "gap": 0.2, "loss": "huber:1000"},
    {"delta": "0.05", "gap": 0.05, "integer": True, "sensitivity": 2, "loss": MIXED},
    {"delta": "0.1", "integer": True, "profile": [("2", "0.05"), ("0.5", "0.2")]},
    {"delta": "0.1", "integer": True, "constraints": [MaxError(3), Symmetric()]},
    {"delta": "0.1", "gap": 0.2, "constraints": [Support(0, None), MaxError(9)]},
)


def _designed(problem):
    made = design(**{"epsilon": 1, "sensitivity": 1, **problem})
    return json.loads(made.document.dumps())


def _set(file, value, *path):
    """A copy of the file with another value at a place."""
    file = copy.deepcopy(file)
    holder = file
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value
    return file


def _broken(file):
    """Files that our checker refutes, each in one claim and by a little."""
    first = str(int(file["noise"]["weights"][0]) + 1)
    yield _set(file, first, "noise", "weights", 0)
    yield _set(file, "0" if file["delta"] != "0" else "-0.0001", "delta")
    yield {**file, "upper": str(Fraction(file["upper"]) * 99 / 100), "lower": "0"}
    better = str((Fraction(file["lower"]) + Fraction(file["upper"])) / 2)
    yield _set(file, better, "lower")


@pytest.fixture(autouse=True)
def kept_theory(monkeypatch):
    """The compiled theory is kept from run to run: it takes 30 CPU seconds."""
    monkeypatch.setattr(coq, "cache_folder", lambda part: ROOT / "build" / part)


def test_nothing_is_admitted_and_every_file_is_listed() -> None:
    assert {path.stem for path in FOLDER.glob("*.v")} == set(THEORY)
    for path in FOLDER.glob("*.v"):
        text = path.read_text(encoding="utf-8")
        words = text.replace(".", " ").split()
        for word in ("Admitted", "Axiom", "Parameter", "admit", "Conjecture", "Unset"):
            assert word not in words, path


def test_what_is_not_covered_is_refused_by_name() -> None:
    for key, value in (
        ("gdp", {}),
        ("constraints", [{"name": "loss-at-most", "loss": {"name": "power", "p": "3"}}]),
        ("releases", {}),
        ("kind", "vector"),
        ("loss", {"name": "power", "p": "3"}),
        ("loss", {"name": "sum", "terms": [["1", {"name": "power", "p": "3"}]]}),
    ):
        with pytest.raises(NotCovered, match="not covered"):
            translated({**EXAMPLE, key: value})
    keys = json.loads(partition_selection(epsilon=2, delta="1e-3").document.dumps())
    for key in ("curve", "releases"):
        with pytest.raises(NotCovered, match=key):
            translated({**keys, key: {}})
    leaning = _set(TAIL, ["1", "2", "0"], "noise", "weights")
    with pytest.raises(NotCovered, match=r"unbiased.*tail"):
        translated({**leaning, "constraints": [{"name": "unbiased"}]})
    with pytest.raises(NotCovered, match="distinguishing"):
        translated({**EXAMPLE, "constraints": [{"name": "distinguishing", "at_most": "0.1"}]})
    function = {key: EXAMPLE[key] for key in EXAMPLE if key != "certificate"}
    with pytest.raises(NotCovered, match='"custom" is not covered'):
        translated({**function, "loss": {"name": "custom"}})


def test_no_text_of_a_file_becomes_coq() -> None:
    """The reader refuses such files; the translator would not copy them either."""
    code = "1) 0 [])]. Axiom x : False. Definition y := [(true, Entry (1"
    for path in (("certificate", "shifts", 0, "shift"), ("noise", "first"), ("upper",)):
        with pytest.raises(ValueError, match="nvalid literal"):
            translated(_set(EXAMPLE, code, *path))
    for loss in (
        {"name": "huber", "width": code},
        {"name": "piecewise", "points": [["0", code]], "slopes": ["-1", "1"]},
        {"name": "sum", "terms": [[code, {"name": "l1"}]]},
    ):
        with pytest.raises(ValueError, match="nvalid literal"):
            translated({**EXAMPLE, "loss": loss})


def test_without_coq_it_says_how_to_get_it(monkeypatch, capsys) -> None:
    monkeypatch.setattr(coq.shutil, "which", lambda name: None)
    done = CliRunner().invoke(
        app, ["verify", "--formal", "--json", str(ROOT / "docs" / "example.json")]
    )
    told = json.loads(done.stdout)
    assert done.exit_code == told["exit_code"] == 2
    assert not told["ok"] and told["private"] and told["formal"]["verdict"] == "not run"
    assert "apt-get install coq" in told["formal"]["detail"]
    assert formally.main([]) == 2
    assert "apt-get install coq" in capsys.readouterr().out


def test_no_verdict_is_said_in_words(tmp_path) -> None:
    """Of a file that is not covered, before Coq is looked for."""
    path = tmp_path / "cubed.json"
    made = design(epsilon=1, delta="0.1", sensitivity=1, loss="power:3", integer=True)
    path.write_text(made.document.dumps(), encoding="utf-8")
    done = CliRunner().invoke(app, ["verify", "--formal", str(path)])
    assert done.exit_code == 3
    assert 'Coq: not covered. The loss "power" is not covered.' in done.stdout
    assert "The verdicts above are those of the exact check alone" in " ".join(done.stdout.split())


@needs_coq
def test_the_theorem_rests_on_the_three_axioms_of_the_reals() -> None:
    assert assumptions() == AXIOMS


@needs_coq
def test_a_file_is_proven_and_said_so(tmp_path) -> None:
    path = tmp_path / "example.json"
    path.write_text(json.dumps(EXAMPLE), encoding="utf-8")
    done = CliRunner().invoke(app, ["verify", "--formal", str(path)])
    assert done.exit_code == 0, done.output
    assert "Coq: proven" in done.output
    assert not prove({**EXAMPLE, "upper": "281/379"}).proven


@needs_coq
def test_every_form_is_accepted_and_every_claim_looked_at() -> None:
    """One run of Coq: what our checker proves, and what it refutes, of every loss, form, demand."""
    good = [EXAMPLE, TAIL, MESH, *(_designed(problem) for problem in QUESTIONS)]
    # A bound that is not positive needs no multipliers; one side is enough for an even loss.
    free = {**EXAMPLE, "loss": {"name": "l2"}, "upper": "1", "lower": "0"}
    lone = _set(EXAMPLE, [], "certificate", "shifts")
    for entry in EXAMPLE["certificate"]["shifts"]:
        twice = str(2 * Fraction(entry["budget"]))
        cells = [[i, str(2 * Fraction(z))] for i, z in entry["cells"]]
        one = {**entry, "mirror": False, "budget": twice, "cells": cells}
        lone["certificate"]["shifts"].append(one)
    good += [_set(free, [], "certificate", "shifts"), lone]
    bad = [one for file in (*good[:4], *good[8:10]) for one in _broken(file)]
    bad += [one for file in good[4:8] for one in list(_broken(file))[2:]]  # the bounds of the loss
    whole, real = good[8:10]
    # ends that are too near for the noise, and for the lower bound; noise that leans to one side
    bad += [_set(whole, "1", "constraints", 0, "t"), _set(real, "1/2", "constraints", 0, "low")]
    bad += [_set(real, "1/2", "constraints", 1, "t"), _set(real, "-1", "constraints", 0, "low")]
    lean = [*whole["noise"]["weights"]]
    lean[0], lean[1] = str(int(lean[0]) - 1), str(int(lean[1]) + 1)
    bad += [_set(whole, lean, "noise", "weights")]
    for file in good:
        assert check(parse_any(json.dumps(file))).exit_code == 0
    for file in bad:
        assert "-" in file["delta"] or check(parse_any(json.dumps(file))).exit_code == 1
    assert accepts(good + bad) == [True] * len(good) + [False] * len(bad)


def _plain(weights, *constraints, first=-1, **more):
    """A file whose privacy and bounds are easy: whole noise with constraints."""
    noise = {"denominator": str(sum(weights)), "first": first, "weights": list(map(str, weights))}
    easy = {"epsilon": "1", "delta": "0.9", "upper": "99", "loss": {"name": "l1"}}
    duals = {"unimodal": {"cells": []}, "monotone": {"cells": []}, "unbiased": {"slope": "0"}}
    duals |= {"loss-at-most": {"weight": "0"}}
    listed = [duals.get(one["name"], {}) for one in constraints]
    certificate = {**TAIL["certificate"], "constraints": listed}
    file = {**TAIL, **easy, "noise": noise, "constraints": list(constraints)}
    return {**file, "certificate": certificate, **more}


def _gridded(file, **noise):
    """The same noise on cells of three grid points."""
    noise = {**file["noise"], "atom": "0", **noise}
    return {**file, "kind": "additive", "grid": 3, "noise": noise}


def _shapes():
    """(noise that obeys a constraint, noise that does not, and that alone)."""
    mode = {"name": "unimodal", "at": "1/2"}
    fall, mean = {"name": "monotone"}, {"name": "unbiased"}
    yield _plain([1, 2, 9, 1], mode), _plain([3, 2, 9, 1], mode)
    yield _plain([1, 2, 2], fall), _plain([1, 2, 3], fall)
    yield _gridded(_plain([1, 2, 1], mode)), _gridded(_plain([2, 1, 3], mode))
    atom = {"atom": "1", "denominator": "5"}
    yield _gridded(_plain([1, 2, 1], fall), **atom), _gridded(_plain([1, 2, 1], mode), **atom)
    mesh = {"edges": ["-3/2", "-1/2", "3/2"], "weights": ["1", "2"], "denominator": "3"}
    edged = _gridded(_plain([1], fall), **mesh)
    del edged["noise"]["first"]
    yield edged, _set(edged, ["2", "1"], "noise", "weights")
    yield _plain([2, 3, 0, 1], mean), _plain([2, 3, 1], mean)
    centred = _set(edged, [mean], "constraints")
    centred["certificate"] = _plain([1], mean)["certificate"]
    centred["noise"] = {**centred["noise"], "edges": ["-3/2", "1/6", "3/2"]}
    level = {**centred["noise"], "weights": ["5", "4"], "denominator": "9"}
    yield {**centred, "noise": level}, centred
    second = {"name": "loss-at-most", "loss": {"name": "l2"}, "bound": "1/2"}
    yield _plain([1, 2, 1], second), _plain([1, 1, 1], second)
    tail = _plain([1, 2, 1], fall)
    tail["noise"] |= {"tail": {"period": 1, "ratio": "1/2"}, "denominator": "6"}
    level = {**tail["noise"], "weights": ["2", "1", "2"], "denominator": "9"}
    yield tail, {**tail, "noise": level}
    one_sided = _plain([0, 2, 1], {"name": "support", "low": "0"})
    one_sided["noise"] |= {"tail": {"period": 1, "ratio": "1/2"}, "denominator": "4"}
    yield one_sided, _set(one_sided, "1", "constraints", 0, "low")
    yield one_sided, _set(one_sided, [{"name": "max-error", "t": "9"}], "constraints")


@needs_coq
def test_every_constraint_on_the_noise() -> None:
    pairs = list(_shapes())
    for good, bad in pairs:
        assert check(parse_any(json.dumps(good))).exit_code == 0, good
        report = check(parse_any(json.dumps(bad)))
        names = {one["name"] for one in bad["constraints"]}
        assert {claim.name for claim in report.claims if claim.slack < 0} <= names
        assert report.exit_code == 1
    verdicts = accepts([file for pair in pairs for file in pair])
    assert verdicts == [True, False] * len(pairs)


#: Questions in whose lower bounds multipliers of constraints count.
PRICED = (
    {"delta": "0.1", "gap": 0.1, "constraints": [Monotone()]},
    {"delta": "0.1", "integer": True, "sensitivity": 3, "constraints": [Monotone()]},
    {"delta": "0.1", "integer": True, "loss": "pinball:0.8", "constraints": [Unbiased()]},
    {
        "delta": "0.1",
        "gap": 0.1,
        "loss": "pinball:0.7",
        "constraints": [Unbiased(), Unimodal("0.1"), LossAtMost("l1", "0.8")],
    },
    {"delta": "0.1", "gap": 0.1, "constraints": [LossAtMost("pinball:0.8", "0.3")]},
)


@needs_coq
def test_multipliers_of_every_constraint() -> None:
    """Proven with them, refused without them and with a wrong sign."""
    good = [_designed(problem) for problem in PRICED]
    bad = []
    for file in good:
        for number, dual in enumerate(file["certificate"]["constraints"]):
            for key, value in dual.items():
                place = ("certificate", "constraints", number, key)
                if key in ("left", "right", "weight") and value != "0":
                    bad.append(_set(file, f"-{value}", *place))
                if value not in ("0", []):
                    bad.append(_set(file, [] if key == "cells" else "0", *place))
    for file in good:
        assert check(parse_any(json.dumps(file))).exit_code == 0
    assert len(bad) > len(good)
    assert accepts(good + bad) == [True] * len(good) + [False] * len(bad)


@needs_coq
def test_coq_does_not_rest_on_our_reader() -> None:
    """What the reader refuses before Coq sees it is refused by the check itself."""
    easy = {**EXAMPLE, "upper": "9", "lower": "0"}
    line = {"name": "piecewise", "points": [["0", "0"], ["1", "1"]], "slopes": ["-1", "1"]}
    odd = {"name": "sum", "terms": [["1", {"name": "l1"}], ["-1/2", {"name": "l1"}]]}
    shift = ("certificate", "shifts", 0)
    assert accepts([easy, {**easy, "loss": line}]) == [True, True]
    refused = [
        _set(_set(easy, "-2", "noise", "weights", 0), "7", "noise", "weights", 1),
        {**easy, "step": "-1/3"},
        {**easy, "grid": 0},
        {**easy, "epsilon": "-1"},
        {**easy, "sensitivity": "0"},
        {**easy, "loss": {"name": "pinball", "tau": "2"}},
        {**easy, "loss": {"name": "huber", "width": "-1"}},
        {**easy, "loss": odd},
        {**easy, "loss": _set(line, ["2", "1"], "points", 0)},
        {**easy, "loss": _set(line, ["1", "-1"], "points", 1)},
        {**easy, "loss": _set(line, ["1", "1"], "slopes")},
        {**easy, "loss": _set(line, [], "points")},
        _set(TAIL, "1", "noise", "tail", "ratio"),
        _set(TAIL, 0, "noise", "tail", "period"),
        # multipliers: above their budget, twice, beyond the reach, of a shift too far, negative
        _set(EXAMPLE, "1/22", *shift, "budget"),
        _set(EXAMPLE, [[0, "1/21"], [0, "1/21"]], *shift, "cells"),
        _set(EXAMPLE, 5, "certificate", "reach"),
        _set(EXAMPLE, 4, *shift, "shift"),
        _set(EXAMPLE, "-1/21", *shift, "cells", 0, 1),
        # privacy that nobody promised
        _set(_set(EXAMPLE, [["0", "0"]], "certificate", "points"), 0, *shift, "point"),
    ]
    assert accepts(refused) == [False] * len(refused)


@needs_coq
def test_unknown_keys() -> None:
    """Accepted as made; refused with any claim a little stronger, any table a little wrong."""
    file = json.loads(partition_selection(epsilon=2, delta="0.05").document.dumps())
    chain = file["chain"]
    top, least, first = int(chain["shown"][-1]), int(chain["beyond"][-1]), int(chain["beyond"][0])
    bad = [
        {**file, "delta": "0.0499"},
        {**file, "epsilon": "1.99"},
        {**file, "excess": "0"},
        {**file, "upper": str(Fraction(file["upper"]) * 999 / 1000), "lower": "0"},
        {**file, "lower": file["upper"], "upper": str(Fraction(file["upper"]) + 1)},
        _set(file, str(int(chain["shown"][1]) * 101 // 100), "chain", "shown", 1),
        _set(file, str(int(chain["shown"][1]) * 99 // 100), "chain", "shown", 1),
        _set(file, str(first + 2**50), "chain", "beyond", 0),
        _set(file, str(first - 2**50), "chain", "beyond", 0),
        _set(file, chain["shown"][::-1], "chain", "shown"),
        _set(file, chain["beyond"][::-1], "chain", "beyond"),
        _set(file, str(top - 1), "chain", "denominator"),
    ]
    assert check(parse_any(json.dumps(file))).exit_code == 0
    for one in bad[:-1]:
        assert check(parse_any(json.dumps(one))).exit_code == 1
    negative = _set(file, [*chain["beyond"], str(-least)], "chain", "beyond")
    odd = {**file, "loss": {"name": "huber", "width": "-1"}}
    wanted = [True] + [False] * (len(bad) + 2)
    assert accepts([file, *bad, negative, odd]) == wanted
