"""The command line as a user meets it: output, exit codes, nothing else on standard output."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cli_command import run, run_alone


@pytest.fixture(scope="module")
def mechanism(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "m.json"
    done = run("design", "--epsilon", 1, "--delta", 0.2, "--sensitivity", 1, "--out", path)
    assert done.returncode == 0, done.stderr
    assert "no additive noise has less than" in done.stdout
    return path


def test_version_and_help():
    assert run_alone("--version").stdout.startswith("leastnoise ")
    assert "design" in run("--help").stdout


def test_json_is_one_object_and_nothing_else():
    done = run_alone("design", "--epsilon", 1, "--delta", 0.2, "--sensitivity", 1, "--json")
    data = json.loads(done.stdout)
    assert done.returncode == 0
    assert {
        "lower",
        "upper",
        "gap",
        "seconds",
        "rounds",
        "resolution",
        "converged",
        "status",
    } <= set(data)
    assert data["converged"] and data["lower"] <= 0.55875 and data["upper"] >= 0.55873


def test_stopping_early_is_exit_code_1():
    done = run(
        "design",
        "--epsilon",
        1,
        "--delta",
        0.2,
        "--sensitivity",
        1,
        "--gap",
        "1e-8",
        "--time-limit",
        0.2,
        "--json",
    )
    assert done.returncode == 1 and not json.loads(done.stdout)["converged"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--epsilon", "-1", "--delta", "0.2"], "epsilon must be from 0 to 15"),
        (["--epsilon", "1", "--delta", "2"], "delta must be"),
        (["--epsilon", "1", "--delta", "0.1", "--loss", "l7"], "loss must be"),
        (["--epsilon", "1", "--delta", "0.1", "--loss", "piecewise:none.json"], "none.json"),
        (["--epsilon", "1", "--delta", "0.1", "--resolution", "2.5"], "resolution must be"),
        (["--epsilon", "1", "--delta", "0.1", "--out", "no/such/folder/m.json"], "out must be"),
        (["--epsilon", "1"], "delta"),
    ],
)
def test_bad_input_is_exit_code_2(words, text):
    done = run("design", "--sensitivity", 1, *words)
    assert done.returncode == 2
    assert text in done.stderr and not done.stdout and "Traceback" not in done.stderr


def test_piecewise_loss_from_a_file(tmp_path):
    spec = {"name": "piecewise", "points": [["0", "0"]], "slopes": ["-1", "2"]}
    (tmp_path / "loss.json").write_text(json.dumps(spec))
    done = run(
        "design",
        "--epsilon",
        1,
        "--delta",
        0.2,
        "--sensitivity",
        1,
        "--gap",
        0.05,
        "--loss",
        f"piecewise:{tmp_path / 'loss.json'}",
        "--json",
    )
    assert done.returncode == 0 and json.loads(done.stdout)["upper"] > 0.5


def test_verify(mechanism, tmp_path):
    done = run("verify", mechanism)
    assert done.returncode == 0 and done.stdout.count("proven") == 4
    assert json.loads(run("verify", mechanism, "--json").stdout)["ok"] is True
    data = json.loads(mechanism.read_text())
    data["lower"] = data["upper"]
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(data))
    done = run("verify", bad)
    assert done.returncode == 1 and "refuted" in done.stdout
    bad.write_text("{")
    assert run("verify", bad).returncode == 2
    assert run("verify", tmp_path / "none.json").returncode == 2


def test_release(mechanism, tmp_path):
    done = run("release", mechanism, "-3.2", "5", "1e3", "7/3")
    values = [float(line) for line in done.stdout.split()]
    assert done.returncode == 0 and len(values) == 4
    assert abs(values[0] + 3.2) < 4 and abs(values[2] - 1000) < 4
    assert "/" in run("release", mechanism, "0.5", "--exact").stdout
    bad = run("release", mechanism, "nan")
    assert bad.returncode == 2 and "value must be" in bad.stderr
    assert run("release", tmp_path / "none.json", "1").returncode == 2


def test_sample(mechanism, tmp_path):
    for name in ("x.npy", "x.csv"):
        done = run("sample", mechanism, "--count", 5000, "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
    x = np.load(tmp_path / "x.npy")
    y = np.loadtxt(tmp_path / "x.csv", skiprows=1)
    assert x.shape == y.shape == (5000,) and 0.4 < np.abs(x).mean() < 0.7
    assert run("sample", mechanism, "--count", 5, "--out", tmp_path / "x.txt").returncode == 2
    assert run("sample", mechanism, "--count", 0, "--out", tmp_path / "x.npy").returncode == 2


def test_noise_that_depends_on_the_value(tmp_path):
    path = tmp_path / "d.json"
    words = ["design", "--epsilon", 1, "--delta", 0.2, "--sensitivity", 2, "--bounds", 0, 4]
    done = run(*words, "--gap", 0.1, "--json", "--out", path)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["lower"] <= 0.65027 and data["upper"] >= 0.64660  # a prototype's bracket
    assert run("verify", path).returncode == 0
    answers = [float(x) for x in run("release", path, "0", "1.5", "4").stdout.split()]
    assert len(answers) == 3 and all(0 <= x <= 4 for x in answers)
    outside = run("release", path, "1", "4.5", "-1e999")
    assert outside.returncode == 0 and all(0 <= float(x) <= 4 for x in outside.stdout.split())
    for word in ("31415926x", "nan", "31415926/0"):
        refused = run("release", path, "1", word)
        assert refused.returncode == 2 and "value must be" in refused.stderr
        assert not refused.stdout and "31415926" not in refused.stderr
    assert run("sample", path, "--count", 3, "--out", tmp_path / "x.npy").returncode == 2


def test_plot(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    done = run(
        "design",
        "--epsilon",
        1,
        "--delta",
        0.2,
        "--sensitivity",
        1,
        "--gap",
        0.1,
        "--plot",
        tmp_path / "d.png",
    )
    assert done.returncode == 0 and (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")
