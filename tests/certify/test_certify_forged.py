"""Files forged by hand that once passed for proven, or ended in a traceback."""

from __future__ import annotations

import contextlib
import copy
import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from certify_hostile import HOSTILE
from typer.testing import CliRunner

import leastnoise
from leastnoise import work
from leastnoise.certify import check, check_any, check_file, parse, read_any
from leastnoise.certify.__main__ import main
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.certify.limits import MAX_BYTES
from leastnoise.cli import app
from leastnoise.errors import FormatError, LimitError
from leastnoise.work import BUDGET, counted

Data = dict[str, Any]

# The mode 2 lies beyond the edge 1: cell 0 is compared with cell 1, the edge itself. The loss
# falls from 4 at the edge to 1 beyond it; its minorant there is 4 - 3/2.
BEYOND_THE_EDGE: Data = {
    "format": "leastnoise/1",
    "kind": "additive",
    "epsilon": "0",
    "delta": "0.99",
    "sensitivity": "1",
    "step": "1",
    "grid": 1,
    "loss": {
        "name": "piecewise",
        "points": [["-1", "2"], ["0", "0"], ["1", "4"], ["1.5", "1"], ["3", "1"]],
        "slopes": ["-2", "1"],
    },
    "constraints": [{"name": "unimodal", "at": "2"}],
    "noise": {"denominator": "2", "first": 2, "weights": ["1", "1"], "atom": "0"},
    "upper": "10",
    "lower": "1",
    "certificate": {"step": "1", "reach": 0, "shifts": [], "constraints": [{"cells": [[0, "1"]]}]},
}


def least_lagrangian(data: Data) -> Fraction:
    """The least of c + u (hat_0 - hat_1) over many places: what the multipliers do prove."""
    loss = parse(json.dumps(data)).loss
    assert loss is not None
    u = Fraction(data["certificate"]["constraints"][0]["cells"][0][1])

    def at(x: Fraction) -> Fraction:
        hats = [max(Fraction(0), 1 - abs(x - i)) for i in (0, 1)]
        return loss.lower(x) + u * (hats[0] - hats[1])

    return min(at(Fraction(k, 100)) for k in range(-400, 800))


def test_a_comparison_with_the_edge_counts_against_the_loss_beyond_it() -> None:
    report = check(parse(json.dumps(BEYOND_THE_EDGE)))
    assert report.verdict("unimodal") == "proven"
    assert least_lagrangian(BEYOND_THE_EDGE) == Fraction(1, 2)
    assert report.verdict("lower") == "refuted"
    slack = next(c.slack for c in report.claims if c.name == "lower")
    assert slack is not None and slack + 1 <= least_lagrangian(BEYOND_THE_EDGE)


# Every row answers 1, at most 1 away; nodes beyond the range answer themselves. At x = 2 + t the
# release costs (1-t) (1+t) + t (1-t) = (1-t) (1+2t), 9/8 at t = 1/4.
BESIDE: Data = {
    "format": "leastnoise/1",
    "kind": "dependent",
    "epsilon": "0",
    "delta": "0.999999999",
    "sensitivity": "1",
    "loss": {"name": "l1"},
    "bounds": ["0", "2"],
    "beyond": ["-10", "11"],
    "prior": "uniform",
    "step": "1",
    "channel": {
        "denominator": "2",
        "first": 1,
        "rows": [["2"], ["2"], ["2"]],
        "noise": {"first": 0, "weights": ["2"]},
    },
    "upper": "100",
    "lower": "0",
    "instance_bound": "1",
    "certificate": {"step": "1", "first": 0, "pairs": []},
}


@pytest.mark.parametrize(
    ("beyond", "bound", "verdict"),
    [
        (["-10", "11"], "1", "refuted"),
        (["-10", "11"], "1.1249", "refuted"),
        (["-10", "11"], "1.125", "proven"),
        (["0", "11"], "1.1249", "refuted"),
        (["-10", "2"], "1.1249", "refuted"),
        (["0", "2"], "1", "proven"),  # nothing beyond the bounds is released
    ],
)
def test_values_between_a_row_and_the_noise_count_for_the_instance_bound(
    beyond: list[str], bound: str, verdict: str
) -> None:
    data = copy.deepcopy(BESIDE) | {"beyond": beyond, "instance_bound": bound}
    assert check(DEPENDENT.read(data)).verdict("instance") == verdict


@pytest.mark.parametrize("beyond", [["-10", "21/2"], ["-1/2", "11"]])
def test_a_range_of_whole_numbers_ends_at_whole_numbers(beyond: list[str]) -> None:
    """(A value beyond the end was moved to 21/2, which is none, and raised an error.)"""
    data = copy.deepcopy(BESIDE) | {"integer": True, "delta": "0.9", "instance_bound": "9"}
    assert DEPENDENT.read(data).integer
    with pytest.raises(FormatError, match="integers"):
        DEPENDENT.read(data | {"beyond": beyond})


# |x - 10| for x > 0: answers 10 too high cost nothing, unless they are moved into the range [0, 1].
FALLING: Data = {
    "format": "leastnoise/1",
    "kind": "dependent",
    "epsilon": "0",
    "delta": "0.99",
    "sensitivity": "1",
    "bounds": ["0", "1"],
    "prior": "uniform",
    "step": "1",
    "loss": {"name": "piecewise", "points": [["10", "0"]], "slopes": ["-1", "1"]},
    "additive": {
        "step": "1",
        "grid": 1,
        "noise": {"denominator": "1", "first": 9, "weights": ["1"], "atom": "0"},
    },
    "channel": {"denominator": "1", "first": 0, "rows": []},
    "upper": "3",
    "lower": "0",
    "instance_bound": "3",
    "certificate": {"step": "1", "first": 0, "pairs": []},
}


def test_moved_answers_of_a_loss_that_falls_are_not_called_proven() -> None:
    report = check(DEPENDENT.read(FALLING))
    for name in ("upper", "instance", "lower"):
        assert report.verdict(name) == "not checked"
    assert report.exit_code in (1, 3) and not report.proven


def test_a_loss_that_falls_nowhere_is_still_proven_for_moved_answers() -> None:
    data = copy.deepcopy(FALLING) | {"loss": {"name": "l1"}, "upper": "12", "instance_bound": "12"}
    report = check(DEPENDENT.read(data))
    assert report.verdict("upper") == report.verdict("instance") == "proven"


# -- tracebacks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "supports",
    [
        [{"low": "0.2", "high": "0.8"}],
        [{"low": "5", "high": "6"}, {"low": "0", "high": "1"}],
        [{"low": "0.2"}, {"high": "0.8"}],
    ],
)
def test_a_support_without_a_lattice_point(supports: list[Data], tmp_path: Path) -> None:
    data: Data = {
        "format": "leastnoise/1",
        "kind": "integer",
        "epsilon": "0",
        "delta": "0.5",
        "sensitivity": "1",
        "step": "1",
        "loss": {"name": "l1"},
        "constraints": [{"name": "support"} | one for one in supports],
        "noise": {"denominator": "2", "first": 0, "weights": ["1", "1"]},
        "upper": "1",
        "lower": "0",
        "certificate": {"step": "1", "reach": 0, "shifts": [], "constraints": [{}] * len(supports)},
    }
    with pytest.raises(FormatError, match="support"):
        check(parse(json.dumps(data)))
    path = tmp_path / "file.json"
    path.write_text(json.dumps(data))
    assert main([str(path)]) == 2


@pytest.mark.parametrize("support", [{"low": "30"}, {"high": "-30"}, {"low": "30", "high": "40"}])
def test_a_support_beyond_the_edge(support: Data) -> None:
    data: Data = copy.deepcopy(BEYOND_THE_EDGE) | {
        "constraints": [{"name": "support"} | support],
        "loss": {"name": "l1"},
        "upper": "100",
        "lower": "0",
    }
    data["certificate"]["constraints"] = [{}]
    data["noise"]["first"] = 35 if "low" in support else -35
    report = check(parse(json.dumps(data)))
    assert report.verdict("support") == "proven"
    assert report.verdict("lower") == "proven"


def test_a_row_of_zeros_with_a_largest_error() -> None:
    data = copy.deepcopy(BESIDE)
    del data["beyond"]
    data |= {"max_error": "5"}
    data["channel"] = {"denominator": "2", "first": 0, "rows": [["0", "0"], ["1", "1"], ["1", "1"]]}
    report = check(DEPENDENT.read(data))
    assert report.verdict("distribution") == "refuted" and report.exit_code == 1


def test_an_upper_bound_of_390_digits(tmp_path: Path) -> None:
    data = json.loads((Path(__file__).parents[2] / "docs" / "example.json").read_text())
    data["upper"] = "9" * 390
    path = tmp_path / "huge.json"
    path.write_text(json.dumps(data))
    assert check_file(path).proven and main([str(path)]) == 0
    result = CliRunner().invoke(app, ["verify", str(path)])
    assert result.exit_code == 0
    design = leastnoise.load(path)
    assert design.upper == float("inf") and design.gap == float("inf")
    assert repr(design)


# -- work ---------------------------------------------------------------------------------------


#: Files whose check comes to its end; all others end where the budget does.
ENDING = {
    "crossing",
    "multipliers of pairs",
    "long multipliers of pairs",
    "empty pairs",
    "curve",
    "curve for a certificate",
    "releases",
    "demands of releases",
    "comparisons",
    "comparisons with long denominators",
    "long step",
    "free edges",
}


@pytest.mark.parametrize("part", [12, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_file_takes_long(
    name: str, part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count of the work keeps up with the clock, and ends what takes too much.

    With a twelfth of the budget in a twelfth of the time, for files with a twelfth of the numbers.
    """
    monkeypatch.setattr(work, "BUDGET", BUDGET // part)
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(HOSTILE[name](part)))
    assert path.stat().st_size <= MAX_BYTES
    start = time.process_time()
    if name in ENDING:
        with contextlib.suppress(FormatError):  # (a common denominator that is too long)
            assert check_file(path).exit_code in (0, 1, 3)
    else:
        with pytest.raises(LimitError):
            check_file(path)
    assert time.process_time() - start < 5 / part


def test_reading_and_checking_share_one_budget(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(BESIDE))
    with counted() as work:
        document = read_any(path)
        read = work.spent
        check_any(document)
        assert work.spent > read > 0
    with pytest.raises(LimitError), counted(BUDGET - read):
        check_any(read_any(path))
    assert main([str(path)]) == 1  # another check has a budget of its own


def test_a_file_that_takes_too_much_work_is_never_ok(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(HOSTILE["long noise beyond"](1)))
    assert main([str(path), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["ok"] is False
