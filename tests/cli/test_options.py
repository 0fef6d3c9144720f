"""The command asks what `design` can be asked: every argument has its option, and no more."""

import json
from dataclasses import fields

import pytest
from typer.testing import CliRunner

from leastnoise import Cube, Sparse
from leastnoise.cli import app
from leastnoise.cli.options import OPTIONS, arguments_of
from leastnoise.errors import ArgumentError
from leastnoise.problem.arguments import Arguments

#: Arguments that only Python can give, and options that become one argument, `constraints`.
PYTHON_ONLY = {"progress", "constraints", "outputs", "crossing", "exact_answers"}
CONSTRAINTS = {"support", "symmetric", "unimodal", "unbiased", "distinguishing", "loss_at_most"}


#: Options that become the sensitivity, and what only shapes have in Python.
SHAPES, OF_SHAPES = {"shape", "one_sided"}, {"weights"}


def test_every_argument_has_its_option():
    arguments = {one.name: one.default for one in fields(Arguments)}
    own = set(OPTIONS) - CONSTRAINTS - SHAPES
    assert own == set(arguments) - PYTHON_ONLY - OF_SHAPES
    for name in own:
        assert OPTIONS[name][1] in (arguments[name], None), name


def test_shapes_become_sensitivities():
    found = arguments_of({"epsilon": "1", "shape": "cube:10", "one_sided": True})
    assert found == {"epsilon": "1", "sensitivity": Cube(10, one_sided=True)}
    assert arguments_of({"shape": "sparse:20:5:2"})["sensitivity"] == Sparse(20, 5, width=2)
    for words in ("cube", "cube:x", "ball:3", "sparse:3", "cube:2:1:1"):
        with pytest.raises(ArgumentError, match="shape"):
            arguments_of({"shape": words})
    with pytest.raises(ArgumentError, match="sensitivity"):
        arguments_of({"shape": "cube:2", "sensitivity": "1"})
    with pytest.raises(ArgumentError, match="one_sided"):
        arguments_of({"one_sided": True})


def test_a_shape_from_the_command_line(tmp_path):
    words = ["--epsilon", "1", "--delta", "0", "--shape", "cube:2", "--integer"]
    out = tmp_path / "joint.json"
    done = CliRunner().invoke(app, ["design", *words, "--out", str(out)])
    assert done.exit_code == 0 and "1.4289" in done.output
    done = CliRunner().invoke(app, ["release", str(out), "5", "7"])
    assert done.exit_code == 0 and len(done.output.strip().split(",")) == 2
    done = CliRunner().invoke(app, ["compare", *words])
    assert done.exit_code == 0 and "geometric" in done.output


def test_options_become_arguments():
    found = arguments_of(
        {"epsilon": "1", "delta": None, "max_error": "2", "monotone": True, "releases": "3"}
    )
    assert found.pop("constraints")[0].name == "max-error"
    assert found == {"epsilon": "1", "releases": 3}
    ranged = arguments_of({"bounds": ("0", "4"), "max_error": "2"})
    assert ranged == {"bounds": ("0", "4"), "max_error": "2"}
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
