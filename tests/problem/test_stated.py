"""What nobody but the user can know must be stated, and a slip is answered with what was meant."""

from __future__ import annotations

import pytest

from cli_command import run
from leastnoise import (
    ArgumentError,
    budget_grid,
    compare,
    design,
    design_dependent,
    design_for_error,
    frontier,
    sweep,
    tradeoff,
)

BUDGET = {"epsilon": 1, "delta": "0.2"}


@pytest.mark.parametrize(
    "ask",
    [
        lambda: design(**BUDGET),
        lambda: design(**BUDGET, bounds=(0, 4)),
        lambda: design(**BUDGET, releases=10),
        lambda: design(gdp=1),
        lambda: design(**BUDGET, sensitivity=None),
        lambda: design_dependent(**BUDGET, bounds=(0, 4)),
        lambda: compare(**BUDGET),
        lambda: design_for_error(2, delta="0.2"),
        lambda: tradeoff("l1", "l2", **BUDGET),
        lambda: frontier(epsilon=[1, 2], delta="0.2"),
        lambda: sweep(budget_grid([1], ["0.2"])),
    ],
    ids=range(11),
)
def test_a_missing_sensitivity_is_refused_with_what_it_is(ask):
    with pytest.raises(ArgumentError, match="sensitivity must be given") as error:
        ask()
    for word in ("between neighboring tables", "1 for a count", "(high - low) / n", "not private"):
        assert word in str(error.value)


@pytest.mark.parametrize(
    "words",
    [
        ["design"],
        ["compare"],
        ["sweep", "--out", "folder"],
        ["hierarchy", "--beta", "1/4", "--cells", "8", "--bound", "upper"],
    ],
)
def test_the_command_line_has_no_default_either(words, tmp_path):
    done = run(*words, "--epsilon", 1, "--delta", 0.2, cwd=tmp_path)
    assert done.returncode == 2 and not done.stdout and not list(tmp_path.iterdir())
    assert "sensitivity must be given" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("eps", "epsilon"),
        ("epsilom", "epsilon"),
        ("sens", "sensitivity"),
        ("Delta", "delta"),
        ("range", "bounds"),
        ("mu", "gdp"),
        ("constraint", "constraints"),
        ("maxerror", "max_error"),
    ],
)
@pytest.mark.parametrize("more", [{}, {"bounds": (0, 4)}])
def test_a_slip_in_a_name_is_answered_with_the_name(typed, meant, more):
    words = rf"design\(\) has no argument '{typed}'. Did you mean '{meant}'\?"
    with pytest.raises(ArgumentError, match=words):
        design(**{typed: 1}, **more)


def test_a_name_like_no_other_lists_them_all():
    with pytest.raises(ArgumentError, match="Its arguments are epsilon, delta, sensitivity"):
        design(zzz=1)


def test_a_cell_of_a_sweep_is_as_helpful():
    with pytest.raises(ArgumentError, match="Did you mean 'epsilon'"):
        sweep([{"eps": 1, "delta": "0.2", "sensitivity": 1}])
