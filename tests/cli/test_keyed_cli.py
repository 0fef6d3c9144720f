"""`leastnoise partition-selection`, and a keyed file in the commands that take mechanism files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from leastnoise.cli import app
from leastnoise.errors import ArgumentError, DataError

RUN = CliRunner()
BUDGET = ["--epsilon", "1", "--delta", "1e-5"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keyed") / "keys.json"
    assert RUN.invoke(app, ["partition-selection", *BUDGET, "--out", str(path)]).exit_code == 0
    return path


def test_it_says_what_can_be_shown() -> None:
    done = RUN.invoke(app, ["partition-selection", *BUDGET, "--compare"])
    assert done.exit_code == 0
    assert "always released from" in done.stdout and "23 units" in done.stdout
    assert "truncated Laplace noise" in done.stdout


def test_json_and_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "keys.png"
    words = ["partition-selection", *BUDGET, "--compare", "--plot", str(picture), "--json"]
    done = RUN.invoke(app, words)
    told = json.loads(done.stdout)
    assert (told["reach"], told["always_released_from"], told["half_from"]) == (11, 23, 12)
    assert told["rows"][0]["name"] == "design" and picture.stat().st_size > 1000


def test_curves_of_a_user(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    for words, said in (
        (["--profile", "1:1e-5", "--profile", "0.5:0.001"], "[(1, 1e-5)], loss l1"),
        (["--gdp", "0.5", "--failure", "1e-6"], "mu 0.5, except with probability"),
    ):
        done = RUN.invoke(app, ["partition-selection", *words, "--compare", "--out", str(path)])
        assert done.exit_code == 0 and said in done.stdout
        assert "Gaussian noise" in done.stdout
        assert RUN.invoke(app, ["verify", str(path)]).exit_code == 0


def test_a_table_of_keys_is_released(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "units.csv"
    table.write_text('a,100\nb,0\n"c, d",40\n\nA,60\n', encoding="utf-8")
    made = ["partition-selection", *BUDGET, "--release"]
    for command in (made, ["release", str(file), "--values"]):
        done = RUN.invoke(app, [*command, str(table), "--json"])
        shown = dict(json.loads(done.stdout)["releases"])
        assert list(shown) == ["A", "a", "c, d"] and abs(shown["a"] - 100) <= 11
    done = RUN.invoke(app, ["release", str(file)], input="x,50\n")
    assert done.exit_code == 0 and done.stdout.startswith("x,")


@pytest.mark.parametrize("line", ["secret", "secret,-5", "secret,1.5", "a,5\na,6", "secret,5,6"])
def test_a_line_that_is_none_is_refused_unseen(line: str, file: Path) -> None:
    done = RUN.invoke(app, ["release", str(file)], input=line)
    assert isinstance(done.exception, DataError)
    assert "secret" not in str(done.exception) and "1.5" not in str(done.exception)


def test_refusals(file: Path, tmp_path: Path) -> None:
    for words in (
        ["partition-selection", "--epsilon", "1", "--delta", "0"],
        ["partition-selection", "--gdp", "1"],
        ["partition-selection", "--profile", "1"],
        ["partition-selection"],
        ["partition-selection", *BUDGET, "--out", str(tmp_path / "no" / "keys.json")],
        ["partition-selection", *BUDGET, "--release", str(tmp_path / "none.csv")],
        ["sample", str(file), "--count", "3", "--out", str(tmp_path / "x.csv")],
        ["release", str(file), "5"],
        ["compose", str(file), "--times", "3", "--delta", "1e-5"],
    ):
        done = RUN.invoke(app, words)
        assert isinstance(done.exception, ArgumentError), words


def test_the_file_is_verified(file: Path) -> None:
    done = RUN.invoke(app, ["verify", str(file), "--json"])
    assert done.exit_code == 0
    claims = {claim["name"]: claim["verdict"] for claim in json.loads(done.stdout)["claims"]}
    assert claims["shown"] == claims["privacy"] == "proven"
