"""Questions about a table over the wire: planned, paid for, answered, proven, and taken home."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import sqlite3
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from web_server import SECRETS, running
from web_server import table as small_table

from leastnoise.certify import check_file
from leastnoise.tables import PrivacyUnit
from leastnoise.tables.ledger import Ledger
from leastnoise.tables.reports.report import check_report
from leastnoise.web.app import create_app
from leastnoise.web.demo import write_demo
from leastnoise.web.models import AskForm
from leastnoise.web.questions import unit_of
from leastnoise.web.settings import Limits, Settings
from leastnoise.web.tasks.asking import run
from leastnoise.web.uploads import TooLarge, Upload

QUESTIONS = [
    {"kind": "mean", "column": "salary", "low": "120", "high": "190"},
    {"kind": "count", "by": "region", "keys": ["north", "south"]},
    {"kind": "median", "column": "age", "low": "18", "high": "80"},
]
FORM = {
    "queries": QUESTIONS,
    "epsilon": "1",
    "delta": "1e-6",
    "unit": "person_id",
    "max_rows_per_group": 3,
    "max_groups": 2,
    "rows": 3000,
}


def ended(server, started) -> tuple[str, dict, dict]:
    """(how it ended, what it said, its other events by name)."""
    assert started.status_code == 202, started.text
    told = {}
    name, data = "", {}
    for name, data in server.events(started.json()["job"]):
        told.setdefault(name, []).append(data)
    return name, data, told


@pytest.fixture(scope="module")
def asked(server):
    """The demo table, asked three questions under a ledger: (job, answers)."""
    found = server.client.post("/api/tables/demo").json()
    assert found["kind"] == "demo"
    if not found["ledger"]:  # (a browser may have asked here before)
        refused = server.client.post("/api/tables/demo/ask", json=FORM)
        assert refused.status_code == 404  # no ledger, no answer
        made = server.client.post("/api/tables/demo/ledger", json={"epsilon": "3", "delta": "1e-5"})
        assert made.status_code == 201 and made.json()["left_epsilon"] == 3
    before = server.client.get("/api/tables/demo/ledger").json()
    started = server.client.post("/api/tables/demo/ask", json=FORM)
    how, data, _ = ended(server, started)
    assert how == "done", data
    assert data["balance"]["spent_epsilon"] == before["spent_epsilon"] + 1
    assert len(data["balance"]["history"]) == len(before["history"]) + 1
    return started.json()["job"], data


def test_the_plan_reads_no_table_and_knows_what_answers_will_be_like(server, asked):
    started = server.client.post("/api/plan", json=FORM | {"epsilons": ["2"]})
    how, _, told = ended(server, started)
    assert how == "done" and [one["epsilon"] for one in told["plan"]] == [1, 2]
    assert "planning all queries at epsilon 1" in [one["words"] for one in told["step"]]
    now, more = (one["queries"] for one in told["plan"])
    assert all(a["error"] > b["error"] > 0 for a, b in zip(now, more, strict=True))
    mean = asked[1]["answers"][0]["answers"][0]
    # For as many rows as there are, the plan is about the interval that came out.
    assert (mean["high"] - mean["low"]) / 2 == pytest.approx(now[0]["error"], rel=0.5)


def test_the_plan_is_what_is_asked(server, asked):
    """The plan divided the budget itself: 0.07 planned was 0.045 answered, 13 rows were 10."""
    _, _, told = ended(server, server.client.post("/api/plan", json=FORM))
    for plan, answer in zip(told["plan"][0]["queries"], asked[1]["answers"], strict=True):
        assert (plan["query"], plan["noise"]) == (answer["query"], answer["noise"])
        assert plan["epsilon"] == answer["epsilon"]
    # Rows of a group follow from those of the table, or are stated.
    assert [one["rows"] for one in told["plan"][0]["queries"]] == [3000, 1500, 3000]
    _, _, told = ended(server, server.client.post("/api/plan", json=FORM | {"group_rows": 70}))
    assert [one["rows"] for one in told["plan"][0]["queries"]] == [3000, 70, 3000]


def test_margins_that_are_typed_give_the_epsilon(server, tmp_path):
    queries = [one | {"within": t} for one, t in zip(QUESTIONS, ("2", "40", "1500"), strict=True)]
    how, _, told = ended(server, server.client.post("/api/plan", json=FORM | {"queries": queries}))
    (plan,) = told["plan"]
    assert how == "done" and 0 < plan["floor"] < plan["epsilon"]
    for one, margin in zip(plan["queries"], (2, 40, 1500), strict=True):
        assert one["error"] <= margin
    # (With a ledger of its own: what is left of the shared one belongs to other tests.)
    form = AskForm(**FORM | {"queries": queries, "epsilon": str(plan["epsilon"])}).form()
    Ledger.create(tmp_path / "own.db", epsilon=3, delta="1e-5")
    place = {"name": "x", "demo": True, "shown": "x", "lasting": None, "csv": {}}
    place["budget"] = {"epsilon": "3", "delta": "1e-5", "composition": "basic"}
    paths = {"table": str(write_demo(tmp_path / "demo.csv")), "ledger": str(tmp_path / "own.db")}
    data = run({"form": form, **paths, **place}, tmp_path, lambda *_: None)
    assert [a["noise"] for a in data["answers"]] == [one["noise"] for one in plan["queries"]]
    half = FORM | {"queries": [queries[0], *QUESTIONS[1:]]}
    how, data, _ = ended(server, server.client.post("/api/plan", json=half))
    assert how == "failed" and data["field"] == "queries.1.within"


def test_answers_are_charged_and_their_proofs_hold(server, asked, tmp_path):
    job, data = asked
    assert [one["query"] for one in data["answers"]] == [
        "mean(salary)",
        "count() by region",
        "median(age)",
    ]
    assert 140 < data["answers"][0]["answers"][0]["value"] < 170
    assert [group["key"] for group in data["answers"][1]["answers"]] == ["north", "south"]
    state = server.client.get("/api/tables/demo/ledger").json()
    assert state["left_epsilon"] == 3 - state["spent_epsilon"] and state["lasting"] is False
    files = server.client.get(f"/api/jobs/{job}").json()["files"]
    proofs = [name for name in files if name.startswith("proof-")]
    assert proofs and all(name in files for name in data["answers"][0]["mechanisms"])
    for name in proofs:
        (tmp_path / name).write_bytes(server.file(job, name))
        assert check_file(tmp_path / name).proven


def test_the_report_holds_the_answers_and_asks_for_nothing(server, asked):
    job, data = asked
    page = server.file(job, "report.html").decode()
    assert "mean(salary)" in page and "north" in page and "leastnoise verify" in page
    assert f"{data['answers'][1]['answers'][0]['value']:.0f}" in page
    assert not any(word in page for word in ("http:", "https:", ' src="/', "<link", "import("))
    held = json.loads(server.file(job, "report.json"))
    assert all(step.verdict != "refuted" for step in check_report(held))


@pytest.mark.parametrize("name", ["report.json", "report.html"])
def test_the_app_verifies_its_own_reports(server, asked, name):
    content = server.file(asked[0], name)
    how, data, _ = ended(server, server.client.post("/api/verify", content=content))
    assert how == "done" and data["report"] and data["exit_code"] in (0, 3), data
    assert "DP for the privacy unit" in data["summary"] and len(data["claims"]) > 4
    forged = content.replace(b'"title": "Private', b'"title": "Pirate')
    assert forged != content
    how, data, _ = ended(server, server.client.post("/api/verify", content=forged))
    assert how == "done" and data["exit_code"] == 1 and data["summary"].startswith("Refuted")
    how, data, _ = ended(server, server.client.post("/api/verify", content=b"<p>a page</p>"))
    assert data["exit_code"] == 2 and "holds no report" in data["malformed"]


def test_the_script_and_the_notebook_do_the_same(server, asked, tmp_path, monkeypatch):
    job, _ = asked
    monkeypatch.setenv("LEASTNOISE_CACHE", str(server.folder / "cache"))
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(server.file(job, "script.py"), "script.py", "exec"), {"__name__": "__main__"})
    assert "mean(salary)" in out.getvalue() and "north" in out.getvalue()
    book = json.loads(server.file(job, "notebook.ipynb"))
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbformat.validate(nbformat.from_dict(book))
    cells = ["".join(one["source"]) for one in book["cells"] if one["cell_type"] == "code"]
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            exec(compile(cell, "notebook", "exec"), names)
    assert len(names["answers"]) == 3
    # Both have spent from one ledger: it was there already when the notebook came.
    with contextlib.closing(sqlite3.connect(tmp_path / "budget.db")) as held:
        assert held.execute("select count(*) from leastnoise_charges").fetchone() == (2,)


def test_a_budget_that_is_spent_gives_no_more_answers(server, asked):
    before = server.client.get("/api/tables/demo/ledger").json()
    dear = FORM | {"epsilon": "2.5", "queries": [{"kind": "count"}]}
    how, data, _ = ended(server, server.client.post("/api/tables/demo/ask", json=dear))
    assert how == "failed" and "too little budget left" in data["message"]
    assert server.client.get("/api/tables/demo/ledger").json() == before
    again = server.client.post("/api/tables/demo/ledger", json={"epsilon": "100"})
    assert again.status_code == 409  # a budget is set once


def test_the_file_that_was_named_and_only_its_columns(server):
    (one,) = [t for t in server.client.get("/api/tables").json() if t["kind"] == "file"]
    assert one["name"] == "data.csv" and not one["lasting"]
    found = server.client.get("/api/tables/file/columns")
    assert [c["name"] for c in found.json()["columns"]] == ["person_id", "salary", "region"]
    assert not any(secret in found.text for secret in SECRETS)


def test_a_sheet_of_a_workbook_is_asked(server, tmp_path):
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["no", "table"])
    sheet = book.create_sheet("pay of 2024")
    for row in (["Report"], ["region", "pay"], *(["north", k] for k in range(60))):
        sheet.append(row)
    book.save(tmp_path / "b.xlsx")
    one = uploaded(server, "b.xlsx", (tmp_path / "b.xlsx").read_bytes()).json()["id"]
    where = f"/api/tables/{one}/columns"
    found = server.client.get(where).json()
    assert found["sheets"] == ["Sheet", "pay of 2024"]
    assert [column["name"] for column in found["columns"]] == ["no", "table"]
    said = {"sheet": "pay of 2024", "header": 2}
    found = server.client.get(where, params=said).json()
    assert [column["name"] for column in found["columns"]] == ["region", "pay"]
    for wrong, field in (
        ({"sheet": "x"}, "sheet"),
        ({"header": 0}, "header"),
        ({"decimal": ","}, "decimal"),
    ):
        assert server.client.get(where, params=wrong).json()["errors"][0]["field"] == field
    server.client.post(f"/api/tables/{one}/ledger", json={"epsilon": "99", "fresh": True})
    asked = {"queries": [{"kind": "count"}], "epsilon": "9", "csv": said}
    started = server.client.post(f"/api/tables/{one}/ask", json=asked)
    how, data, _ = ended(server, started)
    assert how == "done" and abs(data["answers"][0]["answers"][0]["value"] - 60) < 5
    script = server.file(started.json()["job"], "script.py").decode()
    assert "ExcelFile('b.xlsx', sheet='pay of 2024', header=2)" in script


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"queries": [{"kind": "mean", "column": "salary"}]}, "queries.0.low"),
        ({"queries": [{"kind": "count"}, {"kind": "mean", "low": "0"}]}, "queries.1.column"),
        ({"queries": [{"kind": "proportion", "condition": "salary >"}]}, "queries.0.condition"),
        ({"queries": [{"kind": "count", "where": "1; drop table"}]}, "queries.0.where"),
        ({"queries": [{"kind": "count", "by": "region"}]}, "queries.0.keys"),
        ({"queries": [{"kind": "count", "q": "0.5"}]}, "queries.0.q"),
        ({"epsilon": "99"}, "epsilon"),
        ({"delta": "x"}, "delta"),
        ({"max_rows_per_group": None}, "max_rows_per_group"),
    ],
)
def test_a_question_that_makes_no_sense_names_its_field(server, change, field):
    how, data, _ = ended(server, server.client.post("/api/plan", json=FORM | change))
    assert how == "failed" and data["field"] == field, data


def test_a_bad_column_is_told_without_a_value(server):
    server.client.post("/api/tables/file/ledger", json={"epsilon": "5", "delta": "1e-5"})
    before = server.client.get("/api/tables/file/ledger").json()
    wrong = {"queries": [{"kind": "count", "by": "town", "keys": ["a"]}], "epsilon": "1"}
    how, data, told = ended(server, server.client.post("/api/tables/file/ask", json=wrong))
    assert how == "failed" and data["field"] == "by" and "a column of" in data["message"]
    assert not any(secret in json.dumps(told) for secret in SECRETS)
    assert server.client.get("/api/tables/file/ledger").json() == before


def uploaded(server, name, content):
    return server.client.post("/api/tables/upload", params={"name": name}, content=content)


@pytest.fixture
def server_of_its_own(tmp_path):
    """One whose ledgers nobody else has begun anew."""
    with running(tmp_path, str(small_table(tmp_path / "data.csv"))) as alone:
        yield alone


def test_no_upload_brings_a_fresh_budget(server_of_its_own):
    """Not the same file again, not with one more newline, and not the file of the start."""
    server = server_of_its_own
    lines = "x,y\n" + "".join(f"{k},{k % 3}\n" for k in range(50))
    up = uploaded(server, "mine.csv", lines)
    assert up.status_code == 200 and up.json()["name"] == "mine.csv"
    one = up.json()["id"]
    assert [
        c["name"] for c in server.client.get(f"/api/tables/{one}/columns").json()["columns"]
    ] == ["x", "y"]
    if not up.json()["ledger"]:
        made = server.client.post(f"/api/tables/{one}/ledger", json={"epsilon": "9"})
        assert made.status_code == 201
    count = {"queries": [{"kind": "count"}], "epsilon": "0.5"}
    how, data, _ = ended(server, server.client.post(f"/api/tables/{one}/ask", json=count))
    assert how == "done", data
    spent = server.client.get(f"/api/tables/{one}/ledger").json()["spent_epsilon"]
    assert spent >= 0.5
    own = (server.folder / "data.csv").read_bytes()
    for content in (lines, lines + "\n", lines.encode() + b"\r\n", own, own + b"\n"):
        again = uploaded(server, "b.csv", content)
        assert again.json()["ledger"]
        state = server.client.get(f"/api/tables/{again.json()['id']}/ledger").json()
        assert state["spent_epsilon"] == spent
        more = server.client.post(
            f"/api/tables/{again.json()['id']}/ledger", json={"epsilon": "9", "delta": "0.1"}
        )
        assert more.status_code == 409
    assert server.client.get("/api/tables/file/ledger").json()["spent_epsilon"] == spent


def test_another_ledger_must_be_asked_for_and_leaves_other_tables_theirs(server):
    one, two = (uploaded(server, "a.csv", "x\n1\n").json()["id"] for _ in range(2))
    for table in (one, two):
        server.client.post(f"/api/tables/{table}/ledger", json={"epsilon": "9"})
    before = server.client.get(f"/api/tables/{two}/ledger").json()
    where = f"/api/tables/{one}/ledger"
    wrong = server.client.post(where, json={"epsilon": "x", "fresh": True})
    assert wrong.status_code == 422 and server.client.get(where).json() == before
    assert server.client.post(where, json={"epsilon": "2", "fresh": "because"}).status_code == 422
    made = server.client.post(where, json={"epsilon": "2", "fresh": True})
    assert made.status_code == 201 and made.json()["number"] > before["number"]
    assert server.client.get(f"/api/tables/{two}/ledger").json() == before
    later = uploaded(server, "b.csv", "x\n1\n").json()
    assert server.client.get(f"/api/tables/{later['id']}/ledger").json() == made.json()


def test_a_file_as_its_owner_says_that_it_is_written(server):
    """Semicolons, decimal commas, cp1252: each remedy is named, and the script repeats them."""
    one = uploaded(server, "k.csv", 'Größe;x\n1,5;a\n2,5;b\n2,5;"b\nc"\n'.encode("cp1252")).json()[
        "id"
    ]
    where = f"/api/tables/{one}/columns"
    assert server.client.get(where).json()["errors"][0]["field"] == "delimiter"
    told = server.client.get(where, params={"delimiter": ";"}).json()["errors"][0]
    assert told["field"] == "table" and "cp1252" in told["message"]
    assert server.client.get(where, params={"decimal": "x"}).json()["errors"][0]["field"]
    csv = {"delimiter": ";", "encoding": "cp1252", "decimal": ",", "line_breaks": True}
    found = server.client.get(where, params=csv).json()
    assert [column["name"] for column in found["columns"]] == ["Größe", "x"]
    ledger = {"epsilon": "99", "fresh": True}
    assert server.client.post(f"/api/tables/{one}/ledger", json=ledger).status_code == 201
    mean = {"kind": "mean", "column": "Größe", "low": "0", "high": "4"}
    asked = {"queries": [mean], "epsilon": "15", "neighbors": "replace", "csv": csv}
    started = server.client.post(f"/api/tables/{one}/ask", json=asked)
    how, data, _ = ended(server, started)
    assert how == "done" and 1 < data["answers"][0]["answers"][0]["value"] < 3
    script = server.file(started.json()["job"], "script.py").decode()
    assert (
        "CsvFile('k.csv', delimiter=';', decimal=',', encoding='cp1252', line_breaks=True)"
        in script
    )


def test_a_person_counts_in_one_group_unless_it_is_said(server):
    """Nothing stated was all groups of a person, with much more noise in every one of them."""
    content = "p,g\n" + "".join(f"{i},{g}\n" for i in range(60) for g in "ab")
    one = uploaded(server, "g.csv", content.encode()).json()["id"]
    ledger = {"epsilon": "99", "fresh": True}
    assert server.client.post(f"/api/tables/{one}/ledger", json=ledger).status_code == 201
    asked = {"queries": [{"kind": "count", "by": "g", "keys": ["a", "b"]}], "epsilon": "15"}
    asked |= {"unit": "p", "max_rows_per_group": 1}
    for stated, most, count in (({}, 1, 60), ({"max_groups": 2}, 2, 120)):
        started = server.client.post(f"/api/tables/{one}/ask", json=asked | stated)
        how, data, _ = ended(server, started)
        (answer,) = data["answers"]
        assert how == "done" and abs(sum(g["value"] for g in answer["answers"]) - count) < 12
        notes = " ".join(answer["notes"])
        assert ("in at most one group" in notes) == (most == 1) and "person" in notes
        script = server.file(started.json()["job"], "script.py").decode()
        assert f"max_groups={most}" in script
    index = server.client.get("/").text
    assert 'id="max-groups" value="1"' in index and 'placeholder="all"' not in index


def test_separators_of_thousands_are_stated(server):
    content = 'x,y\n"1,174.5",a\n' + '"2,174.5",b\n' * 40
    one = uploaded(server, "t.csv", content.encode()).json()["id"]
    ledger = {"epsilon": "99", "fresh": True}
    assert server.client.post(f"/api/tables/{one}/ledger", json=ledger).status_code == 201
    mean = {"kind": "mean", "column": "x", "low": "0", "high": "4000"}
    asked = {"queries": [mean], "epsilon": "15", "csv": {"thousands": ","}}
    started = server.client.post(f"/api/tables/{one}/ask", json=asked)
    how, data, _ = ended(server, started)
    assert how == "done" and 2000 < data["answers"][0]["answers"][0]["value"] < 2300
    script = server.file(started.json()["job"], "script.py").decode()
    assert "CsvFile('t.csv', thousands=',')" in script
    where = f"/api/tables/{one}/columns"
    told = server.client.get(where, params={"thousands": "."}).json()["errors"][0]
    assert told["field"] == "thousands"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"queries": [{"kind": "mean", "column": "salry", "low": "0", "high": "1"}]}, "0.column"),
        ({"queries": [{"kind": "count", "by": "x", "keys": ["a"]}]}, "queries.0.by"),
        ({"queries": [{"kind": "count", "where": "age > 3 and not (x = 1)"}]}, "queries.0.where"),
        ({"queries": [{"kind": "proportion", "condition": "x is null"}]}, "queries.0.condition"),
        ({"unit": "x"}, "unit"),
    ],
)
def test_a_plan_is_about_columns_that_the_table_has(server, change, field):
    columns = {"columns": ["person_id", "salary", "age", "region", "year"]}
    how, data, _ = ended(server, server.client.post("/api/plan", json=FORM | columns | change))
    assert how == "failed" and data["field"].endswith(field), data
    assert "a column of the table (person_id, salary" in data["message"]


def test_uploads_that_are_no_tables(server):
    bad = uploaded(server, "mine.exe", b"x")
    assert bad.status_code == 422 and bad.json()["errors"][0]["field"] == "name"
    for content in (b"", b"x", gzip.compress(b"a\n1\n" * 1000)[:-9], gzip.compress(b"a\n") + b"x"):
        assert uploaded(server, "mine.csv.gz", content).status_code == 422
    bad = uploaded(server, "q.parquet", b"x")
    told = server.client.get(f"/api/tables/{bad.json()['id']}/columns")
    assert told.status_code == 422 and "q.parquet" in told.text
    assert str(server.folder) not in told.text and "/tmp" not in told.text


def test_a_packed_upload_is_unpacked_as_it_comes_and_only_so_far(server, tmp_path):
    two = gzip.compress(b"x,y\n1,2\n") + gzip.compress(b"3,4\n")  # a .gz file of two parts
    one = uploaded(server, "mine.csv.gz", two).json()["id"]
    assert [
        c["name"] for c in server.client.get(f"/api/tables/{one}/columns").json()["columns"]
    ] == ["x", "y"]
    refused = limited(tmp_path, "small.csv.gz", gzip.compress(b"a,b\n" * 1000))
    assert refused.status_code == 413
    told = "unpacked larger than 3000 bytes, which is the limit here"
    assert refused.json()["errors"] == [{"field": None, "message": told}]
    assert not list((tmp_path / "tables").iterdir())


def limited(folder, name, content):
    """The answer of a server that keeps at most 3,000 bytes of what came packed."""
    settings = Settings(port=1, folder=folder, limits=Limits(unpacked_bytes=3000))
    asked = {"host": "127.0.0.1:1", "x-leastnoise-key": settings.key}

    async def post():
        sent = httpx.ASGITransport(app=create_app(settings))
        async with httpx.AsyncClient(transport=sent, base_url=settings.place) as client:
            return await client.post(
                "/api/tables/upload", params={"name": name}, content=content, headers=asked
            )

    with ThreadPoolExecutor(1) as thread:  # a browser's driver may have left a loop in this one
        return thread.submit(asyncio.run, post()).result()


def test_what_is_packed_a_thousandfold_takes_little_memory(tmp_path):
    """64 MB in 64 kB, several times over: refused as soon as it is too much."""
    bomb = gzip.compress(bytes(1 << 26), 6) * 3
    assert len(bomb) < 250_000
    tracemalloc.start()
    upload = Upload(tmp_path / "t.csv", True, 100_000_000)
    with pytest.raises(TooLarge):
        upload.write(bomb)
    upload.abandon()
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert (tmp_path / "t.csv").stat().st_size <= 100_000_000


TABLES = [
    {"kind": "marginals", "attributes": ["g", "h"], "keys": [["a", "b"], ["p", "q"]],
     "ways": [0, 1, 2]},
    {"kind": "histogram", "column": "x", "low": "0", "high": "4", "bins": 2, "by": ["g", "h"],
     "keys": [["a", "b"], ["p", "q"]]},
    {"kind": "means", "columns": ["x", "y"], "low": "0", "high": "4, 8"},
    {"kind": "cumulative", "column": "x", "low": "0", "high": "4", "bins": 2},
]  # fmt: skip


@pytest.fixture(scope="module")
def crossed(server):
    """A table by two columns, with a ledger."""
    rows = [f"{i % 4},{i % 8},{'ab'[i % 2]},{'pq'[i // 2 % 2]}\n" for i in range(160)]
    one = uploaded(server, "c.csv", ("x,y,g,h\n" + "".join(rows)).encode()).json()["id"]
    ledger = {"epsilon": "99", "delta": "0.1", "fresh": True}
    assert server.client.post(f"/api/tables/{one}/ledger", json=ledger).status_code == 201
    return one


@pytest.mark.parametrize("question", TABLES, ids=lambda one: one["kind"])
def test_every_query_of_python_is_planned_and_asked(server, crossed, question, tmp_path):
    form = {"queries": [question], "epsilon": "9", "delta": "1e-3", "rests_on": "0.1"}
    _, _, told = ended(server, server.client.post("/api/plan", json=form | {"rows": 160}))
    started = server.client.post(f"/api/tables/{crossed}/ask", json=form)
    how, data, _ = ended(server, started)
    assert how == "done", data
    (answer,) = data["answers"]
    (planned,) = told["plan"][0]["queries"]
    assert [planned[name] for name in ("query", "noise", "epsilon")] == [
        answer[name] for name in ("query", "noise", "epsilon")
    ]
    (coverage,) = answer["rests_on"]
    assert coverage["answers"][0]["key"] == "rows counted"
    assert coverage["answers"][0]["high"] > 0.9
    assert all("/" not in name for name in (*answer["mechanisms"], *coverage["mechanisms"]))
    if question["kind"] in ("marginals", "histogram"):
        table = answer["tables"][0]
        assert len(table["rows"]) >= 2 and all(row["cells"] for row in table["rows"])
    steps = check_report(json.loads(server.file(started.json()["job"], "report.json")))
    assert {step.verdict for step in steps} <= {"proven"}
    compile(server.file(started.json()["job"], "script.py"), "script.py", "exec")


def test_imprecise_numbers_are_marked_where_that_is_asked_for(server, crossed):
    question = {"kind": "count", "by": ["g", "h"], "keys": [["a", "none"], ["p", "q"]]}
    form = {"queries": [question], "epsilon": "2", "imprecise": "0.3"}
    started = server.client.post(f"/api/tables/{crossed}/ask", json=form)
    _, data, _ = ended(server, started)
    (answer,) = data["answers"]
    assert answer["imprecise"] == ["none, p", "none, q"] and "more than 30%" in answer["legend"]
    cells = {row["keys"][0]: row["cells"][0][0] for row in answer["tables"][0]["rows"]}
    assert cells["none"].startswith("(") and not cells["a"].startswith("(")
    job = started.json()["job"]
    assert b"A number in parentheses is imprecise" in server.file(job, "report.html")
    assert b",imprecise" in server.file(job, "answers.csv")
    assert "marked('0.3')" in server.file(job, "script.py").decode()
    started = server.client.post(f"/api/tables/{crossed}/ask", json=form | {"imprecise": "0"})
    how, data, _ = ended(server, started)
    assert how == "failed" and data["field"] == "imprecise"


def test_what_answers_rest_on_is_estimated_for_one_query(server):
    form = FORM | {"rests_on": "0.1"}
    how, data, _ = ended(server, server.client.post("/api/plan", json=form))
    assert how == "failed" and data["field"] == "rests_on"


def test_a_column_called_row_identifies_people():
    form = {"unit": "row", "max_rows_per_group": 2, "max_groups": 1}
    assert unit_of(form) == PrivacyUnit("row", max_rows_per_group=2, max_groups=1)
    assert unit_of(dict.fromkeys(form)) == "row"
