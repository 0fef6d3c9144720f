"""The first line of a verification says no more than what is proven."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from leastnoise.certify import check_bytes

GOLDEN = Path(__file__).parents[1] / "golden" / "files"
EXAMPLE = json.loads(
    (Path(__file__).parents[2] / "docs" / "example.json").read_text(encoding="utf-8")
)


def summary(**changes: object) -> str:
    return check_bytes(json.dumps(EXAMPLE | changes).encode())[1].summary


def test_it_says_for_whom_with_which_budget_and_how_close_to_optimal():
    words = summary()
    assert words.startswith("Proven: a release is (0, 0.333333333334)-DP if neighboring datasets")
    assert "at most 1 (the sensitivity)" in words
    gap = Fraction(EXAMPLE["upper"]) / Fraction(EXAMPLE["lower"]) - 1
    stated = words.split("at most ")[-1].split("%")[0]
    assert gap <= Fraction(stated) / 100 <= gap * Fraction(11, 10)


@pytest.mark.parametrize(
    ("name", "value"), [("delta", "0.3"), ("lower", "0.74"), ("upper", "0.74")]
)
def test_a_refuted_file_is_called_refuted_first(name: str, value: str):
    words = summary(**{name: value})
    assert words.startswith("Refuted: ") and "Proven" not in words


def test_rounded_numbers_promise_no_more_than_is_proven():
    tiny = "0." + "0" * 340 + "7"
    assert "(0.1, 7e-341)-DP" in summary(epsilon="0.1", delta=tiny)
    step = "0.9999999999999"
    proof = {"step": step, "reach": 0, "shifts": []}
    long = {"epsilon": "0.1234567890121", "sensitivity": step, "step": step, "lower": "0"}
    words = summary(certificate=proof, **long)
    assert "(0.123456789013, " in words and "at most 0.999999999999 (" in words


def test_no_lower_bound_is_not_called_close():
    words = summary(lower="0")
    assert words.startswith("Proven: ") and "No lower bound is claimed" in words


@pytest.mark.parametrize("kind", ["dependent", "keyed", "integer"])
def test_what_several_releases_are_compared_with_is_said(kind: str):
    lines = (GOLDEN / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    files = [json.loads(line)["file"] for line in lines]
    several = [file for file in files if "releases" in file and file["lower"] != "0"]
    assert several
    for file in several:
        words = check_bytes(json.dumps(file).encode())[1].summary
        compared = " among mechanisms within the file's budgets for one " in words
        assert words.startswith("Proven: ") and compared == (kind != "integer")
