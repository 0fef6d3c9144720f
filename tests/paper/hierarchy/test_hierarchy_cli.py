"""`leastnoise hierarchy`."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from leastnoise.cli.hierarchy import hierarchy

app = typer.Typer()
app.command("hierarchy")(hierarchy)

INSTANCE = ["--epsilon", "1", "--delta", "0.2", "--sensitivity", "1"]
MESH = ["--beta", "1/4", "--cells", "8"]


def run(*more):
    return CliRunner().invoke(app, [*INSTANCE, *MESH, *more])


@pytest.mark.parametrize("algorithm", ["cutting-plane", "direct"])
def test_json_of_both_bounds(algorithm):
    values = {}
    for side in ("upper", "lower"):
        result = run("--bound", side, "--algorithm", algorithm, "--json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.output)
        assert len(found["edges"]) == len(found["weights"][0]) + 1
        assert {"value", "rounds", "constraints", "seconds", "certified"} <= set(found)
        assert found["certified"] is True
        values[side] = found["value"]
    assert values["lower"] < 0.5587 < values["upper"]


def test_a_range_makes_it_data_dependent():
    result = run("--bound", "lower", "--range", "-1", "1", "--json")
    assert json.loads(result.output)["problem"] == "D'(L,beta)"


def test_text_is_one_sentence_and_one_line_of_numbers():
    lines = run("--bound", "upper").output.splitlines()
    assert lines[0].startswith("P(L,beta) = 0.566063 (certified: privacy checked exactly")
    assert "rounds" in lines[1] and "constraints" in lines[1]


def test_refusals_name_the_argument():
    result = run("--bound", "upper", "--beta", "0.3")
    assert "beta must be the sensitivity 1 divided by an integer" in str(result.exception)
    result = run("--bound", "lower", "--range", "0", "2", "--monotone")
    assert "monotone must be off" in str(result.exception)
