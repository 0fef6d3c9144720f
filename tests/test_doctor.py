"""`leastnoise doctor`: what is installed, what is missing, and what does not work."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from leastnoise.cli import app
from leastnoise.errors import MissingExtraError
from leastnoise.tables.ledger import Ledger

doctor = importlib.import_module("leastnoise.cli.doctor")
run = CliRunner().invoke


@pytest.fixture(autouse=True)
def declared(monkeypatch):
    """The metadata of this very pyproject.toml, whenever the package was installed."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    lines = [
        f"{one} and extra == '{name}'" if ";" in one else f"{one}; extra == '{name}'"
        for name, needs in extras.items()
        for one in needs
    ]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: ["numpy>=1.26", *lines])


def test_all_is_well_here():
    done = run(app, ["doctor", "--json"])
    told = json.loads(done.stdout)
    assert done.exit_code == told["exit_code"] == 0 and told["ok"]
    parts = ["design", "verify", "release", "ledger", "table"]
    assert [check["name"] for check in told["checks"]] == parts
    assert all(check["ok"] for check in told["checks"])
    page = (Path(__file__).parents[1] / "docs/command-line.md").read_text(encoding="utf-8")
    for key in {*told} - {"command", "exit_code"}:
        assert f"`{key}`" in page.partition("| `doctor` | `version`")[2]
    ready = {extra["name"]: extra["ready"] for extra in told["extras"]}
    assert ready["plot"] and ready["tables"] and "dev" not in ready
    # An extra that names another one needs what that one needs.
    web = next(extra for extra in told["extras"] if extra["name"] == "web")
    assert {"matplotlib", "fastapi", "duckdb"} <= {one["name"] for one in web["packages"]}


def test_a_missing_extra_is_named_with_the_remedy(monkeypatch):
    there = importlib.metadata.version

    def version(name):
        if name == "matplotlib":
            raise importlib.metadata.PackageNotFoundError(name)
        return there(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(doctor, "self_test", lambda: iter(()))
    done = run(app, ["doctor"])
    assert done.exit_code == 0
    assert "plot: needs matplotlib: pip install '.[plot]'" in done.stdout


def test_what_does_not_work_is_said_and_is_exit_code_1(monkeypatch):
    def broken(folder):
        raise OSError("no space left on device")

    monkeypatch.setattr(doctor, "_design", broken)
    monkeypatch.setattr(doctor, "extras", list)
    done = run(app, ["doctor"])
    assert done.exit_code == 1
    assert "FAILED    design: OSError: no space left on device" in done.stdout
    assert "verify" not in done.stdout  # nothing to verify
    assert "Something does not work" in done.stdout


def test_a_ledger_without_its_extra_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    monkeypatch.delitem(sys.modules, "leastnoise.tables.ledger.store", raising=False)
    with pytest.raises(ImportError, match=r"\.\[tables\]"):
        Ledger.create(tmp_path / "ledger.db", epsilon=1)
    left_out = next(check for check in doctor.self_test() if check.name == "ledger")
    assert left_out.ok is None and "tables" in left_out.detail


def test_an_installed_package_speaks_of_no_folder(monkeypatch, tmp_path):
    from leastnoise import errors

    assert "in the folder of leastnoise's repository" in str(MissingExtraError("pyarrow", "tables"))
    monkeypatch.setattr(errors, "__file__", str(tmp_path / "site-packages/leastnoise/errors.py"))
    assert str(MissingExtraError("pyarrow", "tables")).endswith("pip install 'leastnoise[tables]'")
