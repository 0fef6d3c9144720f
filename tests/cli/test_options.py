"""The command asks what `design` can be asked: every argument has its option, and no more."""

import json
from dataclasses import fields

import pytest
from typer.testing import CliRunner

from leastnoise.ask.arguments import Arguments
from leastnoise.cli import app
from leastnoise.cli.options import OPTIONS, arguments_of
from leastnoise.errors import ArgumentError

#: Arguments that only Python can give, and options that become one argument, `constraints`.
PYTHON_ONLY = {"progress", "constraints", "outputs", "crossing", "exact_answers"}
CONSTRAINTS = {"support", "symmetric", "unimodal", "unbiased", "distinguishing", "loss_at_most"}


def test_every_argument_has_its_option():
    arguments = {one.name: one.default for one in fields(Arguments)}
    assert set(OPTIONS) - CONSTRAINTS == set(arguments) - PYTHON_ONLY
    for name in set(OPTIONS) - CONSTRAINTS:
        assert OPTIONS[name][1] in (arguments[name], None), name


def test_options_become_arguments():
    found = arguments_of(
        {"epsilon": "1", "delta": None, "max_error": "2", "monotone": True, "releases": "3"}
    )
    assert found.pop("constraints")[0].name == "max-error"
    assert found == {"epsilon": "1", "releases": 3}
    ranged = arguments_of({"bounds": ("0", "4"), "max_error": "2", "regions": "1,2"})
    assert ranged == {"bounds": ("0", "4"), "max_error": "2", "regions": ["1", "2"]}
    with pytest.raises(ArgumentError, match="EPS:DELTA"):
        arguments_of({"profile": ["1"]})


def test_required_options_are_missed_by_name():
    done = CliRunner().invoke(app, ["compare", "--delta", "0.1", "--sensitivity", "1"])
    assert done.exit_code == 2 and "--epsilon" in done.output


def test_an_option_of_a_range_needs_one():
    words = ["design", "--epsilon", "1", "--delta", "0.2", "--sensitivity", "1", "--prior", "x"]
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, ArgumentError)


def test_json_of_every_kind():
    words = ["design", "--epsilon", "1", "--delta", "0.2", "--sensitivity", "1", "--json"]
    kinds = []
    for more in ([], ["--integer"], ["--bounds", "0", "1"]):
        done = CliRunner().invoke(app, [*words, "--gap", "0.2", *more])
        kinds.append(json.loads(done.stdout)["kind"])
    assert kinds == ["additive", "integer", "dependent"]
