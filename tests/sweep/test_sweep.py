"""Sweeps: what is kept, what is repeated, and that it does not matter where the cells run."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from leastnoise import MaxError, Monotone, design
from leastnoise.errors import ArgumentError, CertificateError, MissingExtraError
from leastnoise.losses import Custom
from leastnoise.sweep import budget_grid, sweep
from leastnoise.sweep.run import _Cell, _refusal

GRID = budget_grid(["0.5", "1"], ["0.1", "0.2"], ["l1", "l2"], gap=2e-2, sensitivity=1)


def mechanisms(folder: Path) -> dict[str, bytes]:
    """The mechanism files; seconds and statuses are of the run, not of the result."""
    files = folder.glob("*.json")
    return {f.name: f.read_bytes() for f in files if not f.name.endswith(".stats.json")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The same grid in one process."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, sweep(GRID, cache=folder)


def test_rows_come_in_the_order_of_the_grid_and_hold_certified_brackets(whole):
    _, table = whole
    assert [(r.loss, r.epsilon, r.delta) for r in table] == [
        (c["loss"], float(c["epsilon"]), float(c["delta"])) for c in GRID
    ]
    for row in table:
        assert row.converged
        assert row.lower <= row.upper
        found = row.design()
        assert found.verify().proven
        assert (found.lower, found.upper) == (row.lower, row.upper)
    assert table.at(epsilon="1", delta="0.2", loss="l2").loss == "l2"
    assert "8 cells, 0 short" in repr(table)


def test_a_second_sweep_designs_nothing(whole):
    folder, table = whole
    before = {f: f.stat().st_mtime_ns for f in folder.iterdir()}
    again = sweep(GRID, cache=folder)
    assert all(row.cached for row in again)
    assert [r.upper for r in again] == [r.upper for r in table]
    assert [r.seconds for r in again] == pytest.approx([r.seconds for r in table], abs=1e-5)
    assert {f: f.stat().st_mtime_ns for f in folder.iterdir()} == before


def test_csv_reads_back_as_the_same_numbers(whole, tmp_path):
    _, table = whole
    text = table.to_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == text
    header, *lines = text.splitlines()
    names = header.split(",")
    for row, line in zip(table, lines, strict=True):
        cells = dict(zip(names, line.split(","), strict=True))
        assert float(cells["lower"]) == row.lower
        assert float(cells["upper"]) == row.upper


def test_cells_that_say_the_same_are_designed_once():
    seen = []
    grid = [{"epsilon": 1, "delta": d, "sensitivity": 1, "gap": 0.05} for d in (0.2, "0.2", "1/5")]
    table = sweep(grid, progress=lambda done, total, row: seen.append((done, total)))
    assert seen == [(1, 1)]
    assert len(table) == 3
    assert table[0].path is None
    with pytest.raises(ArgumentError, match="cache must be a folder"):
        table[0].design()


def test_the_key_depends_on_everything_that_is_asked(tmp_path):
    base = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 0.05}
    others = [
        {"sensitivity": 2},
        {"gap": 0.06},
        {"resolution": 7},
        {"integer": True},
        {"loss": "l2"},
    ]
    sweep([base, *({**base, **other} for other in others)], cache=tmp_path)
    assert len(mechanisms(tmp_path)) == 1 + len(others)


@pytest.mark.parametrize("damage", ["cut", "swap", "lie"])
def test_a_damaged_file_is_not_believed(damage, tmp_path):
    cells = budget_grid(["1"], ["0.1", "0.2"], gap=0.05, sensitivity=1)
    first, second = sweep(cells, cache=tmp_path)
    good = first.path.read_bytes()
    if damage == "cut":
        first.path.write_bytes(good[: len(good) // 2])
    elif damage == "swap":  # a proven file, but of another budget
        first.path.write_bytes(second.path.read_bytes())
    else:
        data = json.loads(good)
        key = next(k for k in ("lower", "claims", "bracket") if k in data)
        if key == "lower":
            data["lower"] = data["upper"]
        else:
            data[key]["lower"] = data[key]["upper"]
        first.path.write_text(json.dumps(data))
    with pytest.warns(UserWarning, match="designed again"):
        again = sweep(cells, cache=tmp_path)
    assert [row.cached for row in again] == [False, True]
    assert first.path.read_bytes() == good


def test_a_row_gives_no_mechanism_that_its_file_became_later(tmp_path):
    cells = budget_grid(["1", "5"], ["0.1"], gap=0.05, sensitivity=1)
    first, second = sweep(cells, cache=tmp_path)
    assert first.design().document.epsilon == 1
    first.path.write_bytes(second.path.read_bytes())  # private, at five times the epsilon
    with pytest.raises(CertificateError, match="not the mechanism of this row"):
        first.design()
    design(epsilon=1, delta="0.1", sensitivity=1, bounds=(0, 2), gap=0.2).save(first.path)
    with pytest.raises(CertificateError, match="not the mechanism of this row"):
        first.design()


def test_a_file_that_takes_long_to_check_is_designed_again(tmp_path):
    (cell,) = budget_grid(["1"], ["0.1"], gap=0.05, sensitivity=1)
    (row,) = sweep([cell], cache=tmp_path)
    good = row.path.read_bytes()
    data = json.loads(good)
    data["noise"]["first"], data["noise"]["weights"] = -30_000, ["1", "2"] * 30_000
    data["noise"]["denominator"], data["step"], data["grid"] = "90000", "1/300", 1
    data["noise"].pop("edges", None)
    row.path.write_text(json.dumps(data))
    with pytest.warns(UserWarning, match="more work"):
        (again,) = sweep([cell], cache=tmp_path)
    assert not again.cached and row.path.read_bytes() == good


@pytest.mark.parametrize(
    "other",
    [
        {"constraints": [Monotone()]},
        {"constraints": [MaxError(3)]},
        {"profile": [("0.5", "0.3")]},
        {"releases": 2},
        {"integer": True},
        {"loss": "l2"},
        {"sensitivity": 2},
        {"gdp": 1, "epsilon": None, "delta": None},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_file_that_answers_more_or_less_than_was_asked_is_not_believed(other, tmp_path):
    """A proven file of another question, put where this cell's file belongs."""
    asked = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 0.05}
    found = design(**{**asked, **other})
    document = found.document
    if document.gdp is not None or document.releases is not None:
        # As close to the question as a file can come: the same budget stands in it.
        document = document.with_problem(epsilon=Fraction(1), delta=Fraction("0.2"))
    cell = _Cell.of(asked)
    assert _refusal(cell, document.dumps()) == "it is for another design problem"
    (row,) = sweep([asked], cache=tmp_path)
    row.path.write_text(document.dumps())
    with pytest.warns(UserWarning, match="it is for another design problem; designed again"):
        (again,) = sweep([asked], cache=tmp_path)
    assert not again.cached and (again.lower, again.upper) == (row.lower, row.upper)


def test_a_cell_the_engine_refuses_does_not_stop_the_others(tmp_path):
    grid = [
        {"epsilon": 0, "delta": "1e-9", "sensitivity": 1},
        {"epsilon": 1, "delta": 0.2, "sensitivity": 1, "gap": 0.05},
    ]
    table = sweep(grid, cache=tmp_path)
    assert table[0].failed
    assert "must be" in table[0].status
    assert math.isnan(table[0].upper)
    assert not table[0].converged
    assert table[1].converged
    assert len(mechanisms(tmp_path)) == 1


@pytest.mark.parametrize(
    ("grid", "options", "words"),
    [
        ([], {}, "grid must be"),
        ({"epsilon": 1, "sensitivity": 1}, {}, "grid must be"),
        ([{"epsilon": 1, "sensitivity": 1}], {}, "each give delta"),
        (
            [{"epsilon": 1, "delta": 0.1, "sensitivity": 1, "sigma": 1}],
            {},
            "has no argument 'sigma'",
        ),
        ([{"epsilon": -1, "delta": 0.1, "sensitivity": 1}], {}, "epsilon must be"),
        ([{"epsilon": 1, "delta": 0.1, "sensitivity": 1, "gap": 2}], {}, "gap must be"),
        ([{"epsilon": 1, "delta": 0.1, "sensitivity": 1, "integer": 1}], {}, "integer must be"),
        (GRID, {"n_jobs": 0}, "n_jobs must be"),
        (GRID, {"cache": __file__}, "cache must be"),
        (GRID, {"scheduler": 3}, "scheduler must be"),
    ],
)
def test_bad_input_is_refused_before_any_work(grid, options, words):
    if "scheduler" in options:
        pytest.importorskip("distributed", reason="the extra `dask` is not installed")
        pytest.importorskip("joblib", reason="the extra `sweep` is not installed")
    with pytest.raises(ArgumentError, match=words):
        sweep(grid, **options)


def test_a_python_function_cannot_be_kept_on_disk(tmp_path):
    grid = [
        {"epsilon": 1, "delta": 0.2, "sensitivity": 1, "loss": Custom(abs, convex=True), "gap": 0.1}
    ]
    with pytest.raises(ArgumentError, match="a loss with a name"):
        sweep(grid, cache=tmp_path)


def test_a_named_function_is_kept_on_disk_and_told_from_others(tmp_path):
    def cell(function, name="mine"):
        loss = Custom(function, convex=True, name=name)
        return [{"epsilon": 1, "delta": 0.2, "sensitivity": 1, "loss": loss, "gap": 0.1}]

    first = sweep(cell(abs), cache=tmp_path)[0]
    assert not first.cached and first.loss == "mine"
    again = sweep(cell(lambda x: max(x, -x)), cache=tmp_path)[0]
    assert again.cached and (again.lower, again.upper) == (first.lower, first.upper)
    assert not sweep(cell(abs, "other"), cache=tmp_path)[0].cached
    # Another function under the same name is another question.
    twice = sweep(cell(lambda x: 2 * abs(x)), cache=tmp_path)[0]
    assert not twice.cached and twice.upper > 1.5 * first.upper
    # A file of another loss in its place is not believed, nor one that is not private.
    text = first.path.read_text()
    first.path.write_text(
        sweep([{"epsilon": 1, "delta": 0.2, "sensitivity": 1, "gap": 0.1}], cache=tmp_path)[
            0
        ].path.read_text()
    )
    with pytest.warns(UserWarning, match="another design problem"):
        assert not sweep(cell(abs), cache=tmp_path)[0].cached
    spoiled = json.loads(text)
    spoiled["noise"]["denominator"] = str(2 * int(spoiled["noise"]["denominator"]))
    first.path.write_text(json.dumps(spoiled))
    with pytest.warns(UserWarning, match="does not prove"):
        assert not sweep(cell(abs), cache=tmp_path)[0].cached


def test_missing_extras_are_named(monkeypatch):
    for package, extra, options in (
        ("joblib", "sweep", {"n_jobs": 2}),
        ("distributed", "dask", {"scheduler": "tcp://x:1"}),
    ):
        if package == "distributed" and importlib.util.find_spec("joblib") is None:
            continue
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            with pytest.raises(MissingExtraError, match=rf"{package}.*\.\[{extra}\]"):
                sweep(GRID, **options)


KILLED = """
import json, sys
from leastnoise.sweep import sweep
sweep(json.loads(sys.argv[3]), cache=sys.argv[1], n_jobs=int(sys.argv[2]),
      progress=lambda done, total, row: print(done, row.cached, flush=True))
"""


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_kill_9_loses_no_finished_cell_and_repeats_none(jobs, whole, tmp_path):
    if jobs > 1:
        pytest.importorskip("joblib", reason="the extra `sweep` is not installed")
    folder = tmp_path / "cache"
    command = [sys.executable, "-c", KILLED, str(folder), str(jobs), json.dumps(GRID)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        for _ in range(3):
            assert process.stdout.readline()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=30)
    kept = {f: (f.stat().st_mtime_ns, f.read_bytes()) for f in folder.glob("*.json")}
    finished = len(mechanisms(folder))
    assert 3 <= finished < len(GRID)
    rest = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    words = [line.split()[1] for line in rest.stdout.splitlines()]
    assert words.count("True") == finished
    assert words.count("False") == len(GRID) - finished
    for file, (stamp, content) in kept.items():
        if not file.name.endswith(".stats.json"):
            assert (file.stat().st_mtime_ns, file.read_bytes()) == (stamp, content)
    assert mechanisms(folder) == mechanisms(whole[0])


def test_two_processes_write_the_same_files(whole, tmp_path, monkeypatch):
    """And run nothing that lies in the working folder."""
    pytest.importorskip("joblib", reason="the extra `sweep` is not installed")
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(max_workers=2).shutdown(wait=True)  # new processes, started there
    for name in ("numpy", "joblib"):
        code = f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(3)\n"
        (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    table = sweep(GRID, cache=tmp_path / "cache", n_jobs=2)
    assert not (tmp_path / "ran").exists() and "PYTHONSAFEPATH" not in os.environ
    assert [r.upper for r in table] == [r.upper for r in whole[1]]
    assert mechanisms(tmp_path / "cache") == mechanisms(whole[0])


def test_a_dask_cluster_of_two_workers_writes_the_same_files(whole, tmp_path):
    pytest.importorskip("joblib", reason="the extra `sweep` is not installed")
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        table = sweep(GRID, cache=tmp_path, scheduler=cluster.scheduler_address)
    assert [r.upper for r in table] == [r.upper for r in whole[1]]
    assert mechanisms(tmp_path) == mechanisms(whole[0])


def test_the_command_writes_a_table_and_says_what_it_read_back(tmp_path):
    from leastnoise.cli.sweep import sweep as command

    app = typer.Typer()
    app.command()(command)
    options = [
        "--epsilon",
        "1",
        "--delta",
        "0.1,0.2",
        "--sensitivity",
        "1",
        "--gap",
        "0.05",
        "--out",
        str(tmp_path),
    ]
    first = CliRunner().invoke(app, options)
    assert first.exit_code == 0, first.output
    assert "2 cells, 0 short" in first.output
    start = time.monotonic()
    second = CliRunner().invoke(app, options)
    assert second.output.count("read back") == 2
    assert time.monotonic() - start < 30
    assert (tmp_path / "table.csv").read_text().startswith("epsilon,delta,")
    bad = CliRunner().invoke(app, ["--epsilon", "1,", "--delta", "1", "--out", str(tmp_path)])
    assert isinstance(bad.exception, ArgumentError)


def test_a_cell_has_a_limit_of_its_own_unless_told_otherwise(monkeypatch):
    from leastnoise.design import answer
    from leastnoise.sweep import run as module

    seen = []
    monkeypatch.setattr(module, "answer", lambda asked: seen.append(asked) or answer(asked))
    for more, limit in (({}, 300.0), ({"time_limit": 7}, 7.0), ({"time_limit": None}, None)):
        sweep([{"epsilon": 1, "delta": 0.2, "sensitivity": 1, "gap": 0.5, **more}])
        assert seen[-1].time_limit == limit
