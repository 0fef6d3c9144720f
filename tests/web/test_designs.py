"""A design over the wire: events, files that the checker proves, and recipes that agree."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import subprocess
import sys
import time

import pytest

from leastnoise import load
from leastnoise.certify import check_file, parse_any
from leastnoise.web.models import DesignForm
from leastnoise.web.recipes import command, snippet

PIECEWISE = {"kind": "piecewise", "points": [["0", "0"], ["2", "1"]], "slopes": ["-1", "3"]}


def test_a_design_is_told_and_its_file_is_proven(server, tmp_path):
    started, told = server.designed(delta="1e-6", gap=None)
    found = told["design"]
    assert found["certified"] and found["gap"] <= 1e-3 and found["kind"] == "additive"
    # What is shown is a bound, too: rounded outwards.
    assert (
        float(found["lower_text"]) <= found["lower"] < found["upper"] <= float(found["upper_text"])
    )
    path = tmp_path / "m.json"
    path.write_bytes(server.file(started["job"]["job"], "mechanism.json"))
    assert check_file(path).proven
    best = load(path)
    assert (best.lower, best.upper) == (found["lower"], found["upper"])
    rows = {row["name"]: row for row in told["table"]["rows"]}
    assert rows["design"]["loss"] == found["upper"]
    assert rows["laplace"]["excess"] == pytest.approx(1 / found["lower"] - 1, rel=1e-6)
    assert min(row["excess"] for row in rows.values()) >= 0
    series = {one["name"]: one for one in told["density"]["series"]}
    assert len(series["design"]["y"]) == len(told["density"]["x"]) == len(series["laplace"]["y"])
    # The colours of every other picture.
    from leastnoise.show.palette import look_of

    assert series["laplace"]["colour"] == look_of("laplace").colour
    at = dict(zip(told["profile"]["x"], told["profile"]["series"][0]["y"], strict=True))
    assert at[1.0] <= 1e-6 < at[0.5]


def test_many_releases_of_a_design(server):
    started, _ = server.designed(delta="1e-6", gap=None)
    answer = server.client.post(f"/api/jobs/{started['job']['job']}/composition")
    assert answer.status_code == 202
    points = []
    for name, data in server.events(answer.json()["job"]):
        points += [data] if name == "composition" else []
        if len(points) == 3:
            server.client.delete(f"/api/jobs/{answer.json()['job']}")
    assert [one["times"] for one in points[:3]] == [1, 2, 3]
    assert all(one["low"] <= one["high"] <= one["times"] for one in points)


def test_whole_numbers_a_range_and_a_vector(server):
    _, told = server.designed(integer=True, delta="0.01")
    assert told["design"]["kind"] == "integer" and told["density"]["whole"]
    assert sum(told["density"]["series"][0]["y"]) == pytest.approx(1, abs=0.01)
    _, told = server.designed(bounds=["0", "4"], sensitivity="2")
    assert told["design"]["kind"] == "dependent"
    family = told["family"]
    assert len(family["masses"]) == len(family["values"]) and family["values"][-1] == 4
    assert all(sum(m or 0 for m in row) == pytest.approx(1, abs=1e-4) for row in family["masses"])
    _, told = server.designed(dimension=2, gap="0.2")
    assert told["design"]["kind"] == "vector" and told["radial"]["series"][0]["beyond"][0] > 0.9


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"epsilon": "20"}, "epsilon"),
        ({"epsilon": "-1"}, "epsilon"),
        ({"epsilon": "nan"}, "epsilon"),
        ({"epsilon": "1e999999999"}, "epsilon"),
        ({"delta": "1"}, "delta"),
        ({"delta": "ten"}, "delta"),
        ({"sensitivity": "0"}, "sensitivity"),
        ({"sensitivity": "0.5", "integer": True}, "sensitivity"),
        ({"loss": {"kind": "pinball", "parameter": "2"}}, "loss.parameter"),
        ({"loss": {"kind": "huber", "parameter": "0"}}, "loss.parameter"),
        ({"loss": {"kind": "power"}}, "loss.parameter"),
        ({"loss": PIECEWISE | {"slopes": ["1", "1"]}}, "loss.slopes"),
        ({"loss": PIECEWISE | {"points": [["1", "0"], ["0", "0"]]}}, "loss.points"),
        ({"loss": PIECEWISE | {"slopes": []}}, "loss.points"),
        ({"bounds": ["4", "0"]}, "bounds"),
        ({"dimension": 0}, "dimension"),
        ({"dimension": 3, "integer": True}, "integer"),
        ({"releases": 0}, "releases"),
        ({"support": ["1", "0"]}, "support.high"),
        ({"max_error": "0"}, "max_error"),
        ({"unimodal": "x"}, "unimodal"),
        ({"distinguishing": "2"}, "distinguishing"),
        ({"distinguishing": "0.1", "releases": 2}, "constraints"),
        ({"second_loss": "l2"}, "second_bound"),
        ({"second_loss": "l9", "second_bound": "1"}, "second_loss"),
        ({"second_loss": "pinball:2", "second_bound": "1"}, "second_loss"),
        ({"gap": "2"}, "gap"),
        ({"time_limit": 100000}, "time_limit"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_what_makes_no_sense_is_refused_beside_its_field(server, changes, field):
    answer = server.design(**changes)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == field and error["message"]


FORMS = [
    {"delta": "0.1", "gap": "0.05", "loss": PIECEWISE},
    {"delta": "0.01", "integer": True, "loss": {"kind": "pinball", "parameter": "0.8"}},
    {"delta": "0.2", "gap": "0.1", "sensitivity": "2", "bounds": ["0", "4"], "monotone": True},
    {
        "delta": "0.2",
        "gap": "0.1",
        "support": ["-3", "3"],
        "max_error": "2.9",
        "monotone": True,
        "symmetric": True,
        "unbiased": True,
        "second_loss": "l2",
        "second_bound": "9",
    },
]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(FORMS[0], id="drawn"),
        pytest.param(FORMS[1], id="whole"),
        pytest.param(FORMS[2], id="range", marks=pytest.mark.slow),
        pytest.param(FORMS[3], id="constraints"),
    ],
)
def test_the_snippet_makes_the_same_file(server, changes, tmp_path, monkeypatch):
    started, _ = server.designed(**{"gap": None} | changes)
    told = server.file(started["job"]["job"], "mechanism.json")
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(started["python"], "snippet", "exec"), {})
    assert parse_any((tmp_path / "mechanism.json").read_text()) == parse_any(told.decode())


def test_the_command_makes_the_same_file(server, tmp_path):
    started, _ = server.designed(loss=PIECEWISE, delta="0.1", max_error="3")
    told = server.file(started["job"]["job"], "mechanism.json")
    for line in started["command"].splitlines():
        name = f"{shlex.quote(sys.executable)} -m leastnoise"
        done = subprocess.run(
            ["bash", "-c", line.replace("leastnoise", name, 1)],
            cwd=tmp_path,
            env=os.environ,
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
    assert parse_any((tmp_path / "mechanism.json").read_text()) == parse_any(told.decode())


def test_recipes_say_everything_that_was_asked():
    form = DesignForm.model_validate(
        {
            "epsilon": "1",
            "delta": "0.1",
            "sensitivity": "1",
            "releases": 3,
            "unimodal": "0",
            "support": [None, "4"],
            "distinguishing": "0.1",
            "time_limit": 7,
        }
    ).form()
    for words in (snippet(form), command(form)):
        assert all(part in words for part in ("releases", "nimodal", "istinguishing", "7", "3"))
    assert "--support none 4" in command(form) and "Support(None, '4')" in snippet(form)


def test_pictures_of_the_design_with_its_baselines(server):
    started, _ = server.designed()
    job = started["job"]["job"]
    picture = server.client.get(
        f"/api/jobs/{job}/picture/svg", params={"baselines": "tulap,laplace"}
    )
    assert picture.headers["content-type"].startswith("image/svg")
    assert "Tulap noise" in picture.text and "Gaussian" not in picture.text
    picture = server.client.get(f"/api/jobs/{job}/picture/png")
    assert picture.content.startswith(b"\x89PNG")
    answer = server.client.get(f"/api/jobs/{job}/picture/png", params={"baselines": "nobody"})
    assert answer.status_code == 422 and answer.json()["errors"][0]["field"] == "baselines"


def verified(server, body: bytes) -> dict:
    job = server.client.post("/api/verify", content=body).json()["job"]
    *_, (name, data) = server.events(job)
    assert name == "done"
    return data


def test_a_file_is_verified_and_a_forged_one_is_not(server):
    started, told = server.designed()
    good = server.file(started["job"]["job"], "mechanism.json")
    report = verified(server, good)
    assert report["exit_code"] == 0 and report["design"]["upper"] == told["design"]["upper"]
    assert {c["verdict"] for c in report["claims"]} == {"proven"}
    raw = json.loads(good)
    raw["upper"] = raw["lower"]
    report = verified(server, json.dumps(raw).encode())
    verdicts = {c["name"]: c["verdict"] for c in report["claims"]}
    assert report["exit_code"] == 1 and verdicts["upper"] == "refuted" and report["design"] is None
    report = verified(server, b"\x00 not a file")
    assert report["exit_code"] == 2 and "page" not in report["malformed"]  # no path of this machine


def test_a_slow_design_leaves_the_page_usable_and_can_be_stopped(server):
    slow = server.design(delta="0.1", gap="1e-9", time_limit=200).json()["job"]["job"]
    # Another design, and a check, while it runs.
    began = time.monotonic()
    _, told = server.designed()
    assert told["design"]["certified"]
    assert server.client.get(f"/api/jobs/{slow}").json()["state"] == "running"
    assert server.client.get("/").elapsed.total_seconds() < 5
    assert time.monotonic() - began < 60
    assert server.client.delete(f"/api/jobs/{slow}").status_code == 200
    *_, (name, _) = server.events(slow)
    assert name in ("stopped", "done")  # "done": it told the best that it had
    assert server.client.get(f"/api/jobs/{slow}").json()["state"] == name
