"""Files that are false by a hair, and words and exit codes that a script may rely on."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from importlib import import_module

import pytest
from test_formal import MESH, ROOT, TAIL, _gridded, _plain, _set, needs_coq
from test_formal_joint import _cube, _free, _with
from typer.testing import CliRunner

from leastnoise.certify import check, parse_any
from leastnoise.cli import app
from leastnoise.formal import NotCovered, accepts, coq, translated
from leastnoise.formal import __main__ as formally
from leastnoise.formal.coq import CoqError, Proof
from leastnoise.partition_selection import partition_selection

HAIR = Fraction(1, 10**12)
MANY = 10**9


@pytest.fixture(autouse=True)
def kept_theory(monkeypatch):
    """The compiled theory is kept from run to run."""
    monkeypatch.setattr(coq, "cache_folder", lambda part: ROOT / "build" / part)


def _report(file):
    return check(parse_any(json.dumps(file)))


def _least(file, claim, *path):
    """The number at a place at which a claim just holds."""
    holder = file
    for part in path:
        holder = holder[part]
    return Fraction(holder) - next(c.slack for c in _report(file).claims if c.name == claim)


def _hair(file, claim, *path):
    """(a file in which a claim holds by a hair, one in which it fails by a hair)."""
    at = _least(file, claim, *path)
    return _set(file, str(at + HAIR), *path), _set(file, str(at - HAIR), *path)


def _tight():
    """Noise of every form, private and bounded by a hair, or not."""
    free = {"certificate": TAIL["certificate"]}
    whole = _plain([1, 3, 5, 3, 1], first=-2, sensitivity="2", epsilon="1/2", **free)
    real = _gridded(_plain([1, 3, 5, 3, 1], first=-2, **free), atom="1", denominator="14")
    bent = {"name": "piecewise", "points": [["-1", "0"], ["0", "2"], ["1", "1/2"]]}
    terms = [["1/3", {**bent, "slopes": ["-1", "3"]}], ["2", {"name": "pinball", "tau": "0.4"}]]
    mixed = {**real, "loss": {"name": "sum", "terms": terms}}
    for file in (whole, real, mixed, {**MESH, "kind": "additive", "upper": "99"}):
        yield _hair(file, "privacy", "delta")
        yield _hair(file, "upper", "upper")
    yield _hair(TAIL, "upper", "upper")
    for file in (_cube(2, "l1"), _cube(2, "l2"), _cube(2, "largest"), _cube(2, "l1", 2)):
        yield _hair(_free(file), "upper", "upper")


def _bound():
    """Constraints that hold by a hair, or not."""
    for loss in ("l1", "l2"):
        second = {"name": "loss-at-most", "loss": {"name": loss}, "bound": "9"}
        yield _hair(_gridded(_plain([1, 2, 1], second)), "loss-at-most", "constraints", 0, "bound")
    # Cells of real noise reach half a grid step further than the points it is rounded to.
    for ends in ({"low": "-3/2"}, {"high": "3/2"}, {"low": "-3/2", "high": "3/2"}):
        good = _gridded(_plain([1, 2, 1], {"name": "support", **ends}))
        for end, value in ends.items():
            yield good, _set(good, str(Fraction(value) * 8 / 9), "constraints", 0, end)
    point = _gridded(_plain([0, 0, 1, 1], {"name": "support", "low": "1/2"}))
    yield point, _set(point, "1", "constraints", 0, "low")
    largest = _gridded(_plain([1, 2, 1], {"name": "max-error", "t": "5/3"}))
    yield largest, _set(largest, str(Fraction(5, 3) - HAIR), "constraints", 0, "t")


def _shaped():
    """Noise whose shape is not what it is called."""
    fall, mean, even = {"name": "monotone"}, {"name": "unbiased"}, {"name": "symmetric"}
    yield _plain([MANY + 1, MANY, MANY + 1], fall)
    yield _plain([0, MANY, MANY + 1], fall)
    yield _gridded(_plain([2, 1, 2], fall), atom="9", denominator="14")
    yield _gridded(_plain([1, 2, 1], {"name": "unimodal", "at": "2"}))
    yield _plain([MANY, MANY, MANY + 1], mean)
    yield _plain([MANY, MANY, MANY + 1], even)
    yield _plain([1, 1], even, first=0)
    yield _plain([1, 2, 1], {"name": "support", "low": "-1", "high": str(1 - HAIR)})
    # one cell of a tail outside; an end that a tail passes far out; a tail that rises in its period
    end = {"name": "support", "low": "0"}
    tail = {"period": 1, "ratio": "1/2"}
    for weights, first, most in (([1, 2, 1], -1, "6"), ([1, 0, 2, 1], -2, "6")):
        file = _plain(weights, end, first=first)
        yield {**file, "noise": {**file["noise"], "tail": tail, "denominator": most}}
    far = _plain([0, 2, 1], {**end, "high": "60000"})
    yield {**far, "noise": {**far["noise"], "tail": tail, "denominator": "4"}}
    odd = _plain([1, 2, 3, 4, 3, 1, 2], fall, first=-3, sensitivity="2")
    odd["noise"] |= {"tail": {"period": 2, "ratio": "1/2"}, "denominator": "22"}
    yield odd


@needs_coq
def test_what_fails_by_a_hair_is_refused() -> None:
    pairs = [*_tight(), *_bound()]
    shaped = list(_shaped())
    for good, bad in pairs:
        assert _report(good).exit_code == 0, good
        assert _report(bad).exit_code == 1, bad
    for file in shaped:
        names = {one["name"] for one in file["constraints"]}
        assert names & {c.name for c in _report(file).claims if c.verdict == "refuted"}, file
    verdicts = accepts([file for pair in pairs for file in pair] + shaped)
    assert verdicts == [True, False] * len(pairs) + [False] * len(shaped)


def test_a_key_that_is_not_known_is_never_dropped() -> None:
    """At any depth, also of what our reader would refuse."""
    second = {"name": "loss-at-most", "loss": {"name": "l1"}, "bound": "9"}
    file = _plain([1, 2, 1], second, {"name": "support", "low": "-1"})
    cube, keys = (
        _cube(2, "l1"),
        json.loads(partition_selection(epsilon=2, delta="1e-3").document.dumps()),
    )
    total = {**file, "loss": {"name": "sum", "terms": [["1", {"name": "l2"}]]}}
    for base, *path in (
        (file,),
        (file, "noise"),
        (file, "loss"),
        (file, "certificate"),
        (file, "constraints", 0),
        (file, "constraints", 0, "loss"),
        (file, "constraints", 1),
        (TAIL, "noise", "tail"),
        (total, "loss"),
        (total, "loss", "terms", 0, 1),
        (cube,),
        (cube, "noise"),
        (cube, "sensitivity"),
        (cube, "sensitivity", "blocks", 0),
        (keys,),
        (keys, "chain"),
    ):
        translated(base)
        other = copy.deepcopy(base)
        holder = other
        for part in path:
            holder = holder[part]
        holder["twist"] = "2"
        with pytest.raises(NotCovered, match="twist"):
            translated(other)
    for other in (
        _set(MESH, {"period": 1, "ratio": "1/2"}, "noise", "tail"),
        _set(MESH, 3, "noise", "first"),
        _with(cube, "1/2", "grid"),
        {**keys, "sensitivity": "2"},
    ):
        with pytest.raises(NotCovered):
            translated(other)


def test_only_a_whole_proof_ends_with_0(monkeypatch, tmp_path, capsys) -> None:
    """`verify --formal f && publish`, its JSON, and `python -m leastnoise.formal f && publish`."""
    path = tmp_path / "cube.json"
    path.write_text(json.dumps(_cube(2, "l1")), encoding="utf-8")
    monkeypatch.setattr(formally, "missing", lambda: None)
    monkeypatch.setattr(formally, "compiled", lambda: tmp_path)
    monkeypatch.setattr(formally, "assumptions", lambda: coq.AXIOMS)
    for proof, code, word in (
        (Proof(True, "all"), 0, "proven"),
        (Proof(True, "some", whole=False), 3, "partly proven"),
        (Proof(False, "none"), 1, "rejected"),
        (Proof(False, "none", whole=False), 1, "rejected"),
    ):
        for module in (import_module("leastnoise.cli.verify"), formally):
            monkeypatch.setattr(module, "prove", lambda data, proof=proof: proof)
        done = CliRunner().invoke(app, ["verify", "--formal", "--json", str(path)])
        told = json.loads(done.stdout)
        assert (done.exit_code, told["formal"]["verdict"]) == (code, word)
        assert told["ok"] is (code == 0)
        assert formally.main([str(path)]) == (0 if code == 0 else 1)
        assert f"{path}: {word}" in capsys.readouterr().out
    assert formally.main([str(tmp_path / "none.json")]) == 1
    assert "cannot read" in capsys.readouterr().out


def test_a_theorem_that_is_not_there_is_no_assumption(monkeypatch) -> None:
    """Coq prints the first theorems' axioms before it stops at one that it does not find."""
    said = coq.subprocess.CompletedProcess([], 1, f"Axioms:\n{chr(10).join(coq.AXIOMS)}\n", "no")
    monkeypatch.setattr(coq, "run_coq", lambda text, seconds: said)
    with pytest.raises(CoqError, match="no"):
        coq.assumptions()


def test_upper_of_keys_is_not_a_mean_of_those_shown() -> None:
    """Why its words say that a key counts as 0 where it is not shown."""
    document = partition_selection(epsilon=2, delta="1e-3").document
    chain, n = document.noise.chain, document.noise.chain.reach
    lost = sum(chain.mass(k) * k for k in range(1, n + 1))  # below the least value nothing is lost
    assert Fraction(lost, chain.show(n)) > document.upper > Fraction(lost, chain.denominator)
    told = next(c.detail for c in _report(json.loads(document.dumps())).claims if c.name == "upper")
    for words in (told, coq.PROVEN["keyed"]):
        assert "counted as 0 where" in words
