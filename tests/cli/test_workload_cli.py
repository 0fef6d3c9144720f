"""`leastnoise design --workload`, its files in the other commands, and ledgers of mu and rho."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from leastnoise.cli import app
from leastnoise.errors import ArgumentError, DataError

RUN = CliRunner()


def test_design_verify_and_release(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    design = ["design", "--workload", "prefix:5", "--gdp", "1", "--out", str(file)]
    done = RUN.invoke(app, design)
    assert done.exit_code == 0 and "total squared error at most" in done.stdout
    assert RUN.invoke(app, ["verify", str(file)]).exit_code == 0
    told = json.loads(
        RUN.invoke(app, ["release", str(file), "1", "2", "3", "4", "5", "--json"]).stdout
    )
    assert len(told["releases"]) == 5
    for bad in (["1", "2"], ["1", "2", "3", "4", "x"], ["1", "2", "3", "4", "5.5"]):
        refused = RUN.invoke(app, ["release", str(file), *bad])
        assert isinstance(refused.exception, DataError) and "5.5" not in str(refused.exception)
    drawn = tmp_path / "e.csv"
    assert (
        RUN.invoke(app, ["sample", str(file), "--count", "3", "--out", str(drawn)]).exit_code == 0
    )
    assert len(drawn.read_text().splitlines()) == 4
    refused = RUN.invoke(app, ["compose", str(file)])
    assert (
        isinstance(refused.exception, ArgumentError)
        and "private answers" in refused.exception.allowed
    )


def test_workloads_by_name_and_from_files(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("1,0,0\n1,1,0\n1,1,1\n")
    budget = ["--zcdp", "0.5", "--gap", "0.05", "--json"]
    for words, total in ((str(rows), 4.7), ("prefix:3", 4.7), ("marginals:2,3", 6.0)):
        told = json.loads(RUN.invoke(app, ["design", "--workload", words, *budget]).stdout)
        assert abs(told["upper"] - total) < 0.1 and told["certified"] and told["converged"]
    for words in ("prefix:x", "marginals:2,a", str(tmp_path / "none.csv")):
        refused = RUN.invoke(app, ["design", "--workload", words, "--gdp", "1"])
        assert isinstance(refused.exception, ArgumentError) and "workload" in str(refused.exception)


def test_a_ledger_of_mu(tmp_path: Path) -> None:
    where = str(tmp_path / "b.db")
    done = RUN.invoke(app, ["ledger", "create", where, "--gdp", "1"])
    assert done.exit_code == 0 and "gdp=1" in done.stdout
    shown = RUN.invoke(app, ["ledger", "show", where])
    assert "mu" in shown.stdout and "gaussian composition" in shown.stdout


def test_compare_with_what_one_would_do_without(tmp_path: Path) -> None:
    asked = ["compare", "--workload", "prefix:100", "--gdp", "1"]
    done = RUN.invoke(app, asked)
    assert done.exit_code == 0 and "less than 499.744" in done.stdout
    told = json.loads(RUN.invoke(app, [*asked, "--json"]).stdout)
    rows = {row["name"]: row["loss"] for row in told["rows"]}
    assert abs(rows["counts"] - 5050) < 1e-3 and abs(rows["answers"] - 10000) < 1e-3
    assert abs(rows["design"] - 499.7443) < 1e-3 and told["command"] == "compare"
    wrong = ["compare", "--epsilon", "1", "--delta", "0", "--sensitivity", "1", "--gdp", "1"]
    assert str(RUN.invoke(app, wrong).exception).startswith("gdp")
    picture = tmp_path / "bars.png"
    assert RUN.invoke(app, [*asked, "--plot", str(picture)]).exit_code == 0
    assert picture.stat().st_size > 1000
