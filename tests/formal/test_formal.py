"""Coq proves what our checker proves: the theorem, what it rests on, small files, refusals."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from leastnoise.cli import app
from leastnoise.formal import NotCovered, assumptions, coq, missing, prove, translated
from leastnoise.formal.coq import AXIOMS, THEORY

ROOT = Path(__file__).parents[2]
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
    "upper": "2",
    "lower": "0",
    "certificate": {"step": "1", "reach": 0, "shifts": []},
}


@pytest.fixture(autouse=True)
def kept_theory(monkeypatch):
    """The compiled theory is kept from run to run: it takes 20 CPU seconds."""
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
        ("constraints", []),
        ("releases", {}),
        ("kind", "vector"),
        ("loss", {"name": "power", "p": "3"}),
    ):
        with pytest.raises(NotCovered, match="not covered"):
            translated({**EXAMPLE, key: value})
    pointed = copy.deepcopy(EXAMPLE)
    pointed["certificate"]["points"] = [["1", "0"]]
    with pytest.raises(NotCovered, match="points"):
        translated(pointed)


def test_no_text_of_a_file_becomes_coq() -> None:
    """The reader refuses such files; the translator would not copy them either."""
    code = "1) 0 [])]. Axiom x : False. Definition y := [(true, Entry (1"
    for path in (("certificate", "shifts", 0, "shift"), ("noise", "first"), ("upper",)):
        file = copy.deepcopy(EXAMPLE)
        holder = file
        for part in path[:-1]:
            holder = holder[part]
        holder[path[-1]] = code
        with pytest.raises(ValueError, match="nvalid literal"):
            translated(file)


def test_without_coq_it_says_how_to_get_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(coq.shutil, "which", lambda name: None)
    done = CliRunner().invoke(
        app, ["verify", "--formal", "--json", str(ROOT / "docs" / "example.json")]
    )
    told = json.loads(done.stdout)
    assert done.exit_code == told["exit_code"] == 2
    assert told["ok"] and told["formal"]["verdict"] == "not run"
    assert "apt-get install coq" in told["formal"]["detail"]


@needs_coq
def test_the_theorem_rests_on_the_three_axioms_of_the_reals() -> None:
    assert assumptions() == AXIOMS


@needs_coq
def test_files_are_proven_and_altered_ones_refused(tmp_path) -> None:
    path = tmp_path / "example.json"
    path.write_text(json.dumps(EXAMPLE), encoding="utf-8")
    done = CliRunner().invoke(app, ["verify", "--formal", str(path)])
    assert done.exit_code == 0, done.output
    assert "Coq: proven" in done.output
    assert prove(TAIL).proven
    assert prove(MESH).proven
    assert not prove({**EXAMPLE, "upper": "281/379"}).proven


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize("file", [EXAMPLE, TAIL, MESH])
def test_every_claim_is_looked_at(file) -> None:
    """Each of these breaks one claim by a little."""
    noise = copy.deepcopy(file["noise"])
    noise["weights"][0] = str(int(noise["weights"][0]) + 1)
    for change in (
        {"noise": noise},
        {"delta": "-0.0001"} if file is TAIL else {"delta": "0.3"},
        {"upper": "0.7"},
        {"lower": "0.74"},
    ):
        assert not prove({**file, **change}).proven, change
