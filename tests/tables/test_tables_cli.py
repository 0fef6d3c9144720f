"""The commands as a user meets them: the salary example from a CSV file in one line."""

from __future__ import annotations

import json
import random

import pytest

from cli_command import run, run_alone


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    random.seed(7)
    path = tmp_path_factory.mktemp("cli")
    lines = ["person_id,salary,region,year"]
    for _ in range(3000):
        region = random.choice(["north", "south", "[red]west"])
        lines.append(
            f"{random.randint(1, 900)},{random.gauss(160, 12):.2f},{region},"
            f"{random.choice([2023, 2024])}"
        )
    (path / "data.csv").write_text("\n".join(lines) + "\n")
    assert (
        run("ledger", "create", "budget.db", "--epsilon", 3, "--delta", "1e-5", cwd=path).returncode
        == 0
    )
    return path


def test_the_salary_example_and_the_budget_behind_it(folder):
    words = [
        "ask",
        "data.csv",
        "mean(salary)",
        "--low",
        120,
        "--high",
        190,
        "--epsilon",
        1,
        "--delta",
        "1e-6",
        "--unit",
        "person_id",
        "--max-rows-per-group",
        3,
        "--by",
        "region",
        "--keys",
        "north,south",
        "--where",
        "year = 2024",
        "--ledger",
        "budget.db",
    ]
    done = run_alone(*words, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert [one["key"] for one in data["answers"]] == ["north", "south"]
    assert all(
        150 < one["value"] < 170 and one["low"] < one["value"] < one["high"]
        for one in data["answers"]
    )
    assert data["charge"] == 1 and data["epsilon"] == 1
    assert run("verify", data["mechanisms"][0], cwd=folder).returncode == 0
    histogram = run(
        "ask",
        "data.csv",
        "histogram(salary, 7)",
        "--low",
        120,
        "--high",
        190,
        "--epsilon",
        1,
        "--unit",
        "person_id",
        "--max-rows-per-group",
        1,
        "--max-groups",
        1,
        "--ledger",
        "budget.db",
        "--plot",
        "h.png",
        cwd=folder,
    )
    assert histogram.returncode == 0, histogram.stderr
    assert "[150, 160)" in histogram.stdout and "█" in histogram.stdout
    assert (folder / "h.png").read_bytes().startswith(b"\x89PNG")
    state = json.loads(run("ledger", "show", "budget.db", "--json", cwd=folder).stdout)
    assert state["charges"] == 2 and state["left_epsilon"] == 1
    assert state["protects"] == "privacy unit person_id, add-remove"
    refused = run(
        "ask",
        "data.csv",
        "count()",
        "--epsilon",
        2,
        "--unit",
        "person_id",
        "--max-rows-per-group",
        1,
        "--ledger",
        "budget.db",
        cwd=folder,
    )
    assert refused.returncode == 5 and not refused.stdout
    assert "epsilon=1, delta=0.00001 is left" in refused.stderr
    told = json.loads(run("ledger", "history", "budget.db", "--json", cwd=folder).stdout)
    assert told["command"] == "ledger history" and told["exit_code"] == 0
    assert told["charges"][0]["query"] == "mean(salary) where year = 2024 by region"
    assert run("ledger", "close", "budget.db", cwd=folder).returncode == 0
    assert "closed" in run(*words, cwd=folder).stderr


def test_plan_reads_nothing(folder):
    done = run(
        "plan",
        "mean(salary)",
        "--low",
        120,
        "--high",
        190,
        "--epsilon",
        1,
        "--delta",
        "0.2",
        "--rows",
        194,
        "--neighbors",
        "replace",
        "--nulls",
        "middle",
        "--loss",
        "l2",
        "--json",
        cwd=folder,
    )
    data = json.loads(done.stdout)
    assert done.returncode == 0 and data["error_95"] < 1 and "35/97" in data["why"]


def test_a_part_for_what_an_answer_rests_on_is_planned_and_asked(folder):
    words = ["mean(salary)", "--low", 120, "--high", 190, "--epsilon", 1, "--rests-on", "0.1"]
    done = run("plan", *words, "--rows", 3000, "--json", cwd=folder)
    asked = run("ask", "data.csv", *words, "--json", cwd=folder)
    plan, answer = json.loads(done.stdout), json.loads(asked.stdout)
    assert [plan[name] for name in ("noise", "notes", "epsilon")] == [
        answer[name] for name in ("noise", "notes", "epsilon")
    ]
    refused = run("plan", "count()", *words, "--rows", 9, cwd=folder)
    assert refused.returncode == 2 and "rests-on" in refused.stderr


def test_several_questions_are_planned_as_they_are_asked(folder):
    words = ["count()", "mean(salary, low=120, high=190)", "--rows", 3000]
    done = run("plan", *words, "--epsilon", 1, "--json", cwd=folder)
    plans = json.loads(done.stdout)["queries"]
    asked = run("ask", "data.csv", *words, "--epsilon", 1, "--json", cwd=folder)
    for plan, answer in zip(plans, json.loads(asked.stdout)["queries"], strict=True):
        assert (plan["query"], plan["epsilon"]) == (answer["query"], answer["epsilon"])
        assert plan["noise"] == answer["noise"]
    assert "count()" in run("plan", *words, "--epsilon", 1, cwd=folder).stdout
    for more, words_of_error in ((["--within", 5], "one for each query"), ([], "for each query")):
        refused = run("plan", *words, *more, cwd=folder)
        assert refused.returncode == 2 and words_of_error in refused.stderr


def test_what_several_queries_have_in_common_is_said_once(folder):
    words = ["ask", "data.csv", "count()", "mean(salary, low=120, high=190)", "--epsilon", 1]
    done = run(*words, "--unit", "person_id", "--max-rows-per-group", 3, cwd=folder)
    assert done.returncode == 0
    own, _, common = done.stdout.partition("all queries:")
    assert "count():" in own and "values are clamped" in own and "values are clamped" not in common
    assert "a person counts with at most 3 rows" in " ".join(common.split())
    assert done.stdout.count("proof: leastnoise verify") == 1 and "proof" in common


def test_margins_of_several_queries_give_epsilon_and_divide_it(folder):
    words = ["count()", "mean(salary, low=120, high=190)"]
    done = run("plan", *words, "--rows", "3000,3000", "--within", "20,0.4", "--json", cwd=folder)
    plans = json.loads(done.stdout)["queries"]
    assert plans[0]["error_95"] <= 20 and plans[1]["error_95"] <= 0.4
    epsilon = plans[0]["epsilon"]
    assert 0 < max(plan["floor"] for plan in plans) < epsilon
    more = ["--epsilon", epsilon, "--within", "20,0.4", "--rows", 3000, "--json"]
    asked = json.loads(run("ask", "data.csv", *words, *more, cwd=folder).stdout)["queries"]
    assert [one["noise"] for one in asked] == [one["noise"] for one in plans]
    for wrong in (["--rows", "x"], ["--rows", "1,2,3", "--epsilon", 1]):
        assert run("plan", *words, *wrong, cwd=folder).returncode == 2
    refused = run("ask", "data.csv", "count()", "--epsilon", 1, "--within", 5, cwd=folder)
    assert refused.returncode == 2 and "left out with one query" in refused.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["nothere.csv", "count()"], "There is no file"),
        (["data.csv", "count"], "written with brackets"),
        (["data.csv", "mean(salary)"], "mean(salary) needs --low and --high: "),
        (["data.csv", "steal(salary)"], "There is no query steal()."),
        (["data.csv", "count()", "--unit", "person_id"], "--max-rows-per-group must be"),
        (["data.csv", "count()", "--by", "region"], "--keys must be"),
        (["data.csv", "count()", "--where", "1=1; drop table x"], "--where must be"),
        (["data.csv", "count()", "--ledger", "none.db"], "no ledger there"),
        (["data.csv", "count()", "--low", "3"], "--low must be left out"),
    ],
)
def test_bad_input_is_exit_code_2_and_a_sentence(folder, words, text):
    done = run("ask", *words, "--epsilon", 1, cwd=folder)
    assert done.returncode == 2 and not done.stdout
    assert text in " ".join(done.stderr.split()) and "Traceback" not in done.stderr


def test_a_file_of_an_office_with_commas_for_decimals(tmp_path):
    """Semicolons, decimal commas and cp1252: told by the owner, never guessed from rows."""
    rows = ["Nord;51473,44", "S\xfcd;1.000,5", "Nord;99.5", "Nord; +1e3 ", "S\xfcd;,5"]
    (tmp_path / "u.csv").write_bytes("\n".join(["Gr\xf6\xdfe;Geld", *rows, ""]).encode("cp1252"))
    written = ["--delimiter", ";", "--decimal", ",", "--encoding", "cp1252"]
    seen = run("columns", "u.csv", *written, "--json", cwd=tmp_path)
    told = json.loads(seen.stdout)["columns"]
    assert [one["name"] for one in told] == ["Gr\xf6\xdfe", "Geld"] and told[1]["number"]
    seen = run("columns", "u.csv", *written, cwd=tmp_path).stdout
    assert "strings like 1234,5" in seen and "not valid cp1252 counts as missing" in seen
    asked = ["--where", "Geld in (51473.44, 1000, 0.5)", "--epsilon", 15, "--json"]
    found = run("ask", "u.csv", "count()", *written, *asked, cwd=tmp_path)
    (one,) = json.loads(found.stdout)["answers"]
    assert one["value"] == 3  # (noise is 0 but for one time in a million)
    asked[1] = "Geld > 0"
    found = run("ask", "u.csv", "count()", *written, *asked, cwd=tmp_path)
    assert json.loads(found.stdout)["answers"][0]["value"] == 3
    refused = run("columns", "u.csv", *written[2:], cwd=tmp_path)
    assert refused.returncode == 2 and "--delimiter must be" in refused.stderr
    refused = run("columns", "u.csv", *written[:4], cwd=tmp_path)
    assert refused.returncode == 2 and "cp1252" in refused.stderr and "Gr" not in refused.stderr
    assert run("columns", "x.parquet", *written, cwd=tmp_path).returncode == 2


def test_line_breaks_in_fields_are_stated_by_the_owner(tmp_path):
    (tmp_path / "n.csv").write_text('note,x\n"one\ntwo",1\nthree,2\n')
    asked = ["ask", "n.csv", "count()", "--epsilon", 15, "--json"]
    counts = [
        json.loads(run(*asked, *more, cwd=tmp_path).stdout)["answers"][0]["value"]
        for more in ([], ["--line-breaks"])
    ]
    assert counts == [3, 2]  # (noise is 0 but for one time in a million)
    rejected = run("columns", "x.parquet", "--line-breaks", cwd=tmp_path)
    assert rejected.returncode == 2 and "--line-breaks" in rejected.stderr


def test_a_table_on_standard_input_and_a_picture_that_cannot_be(tmp_path):
    table = "x\n" + "1\n" * 50
    found = run("ask", "-", "count()", "--epsilon", 15, "--json", cwd=tmp_path, input=table)
    assert abs(json.loads(found.stdout)["answers"][0]["value"] - 50) <= 3
    (tmp_path / "t.csv").write_text(table)
    asked = ["--epsilon", 1, "--plot", "p.tiff", "--ledger", "b.db"]
    run("ledger", "create", "b.db", "--epsilon", 1, cwd=tmp_path)
    refused = run("ask", "t.csv", "count()", *asked, cwd=tmp_path)
    assert refused.returncode == 2 and "--plot must be" in refused.stderr
    shown = run("ledger", "show", "b.db", "--json", cwd=tmp_path)
    assert json.loads(shown.stdout)["spent_epsilon"] == 0
    bad = ["--epsilon", 1, "--delta", "0.1", "--sensitivity", 1, "--out", "m.json"]
    assert run("design", *bad, "--plot", "p.tiff", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    ("table", "words"),
    [("hive", "folders of partitions"), ("hive/*/*.parquet", "Patterns are not read"),
     ("s3://bucket/a.parquet", "addresses are not read")],
)  # fmt: skip
def test_folders_of_partitions_patterns_and_addresses_say_why(tmp_path, table, words):
    (tmp_path / "hive" / "day=1").mkdir(parents=True)
    refused = run("columns", table, cwd=tmp_path)
    assert refused.returncode == 2 and words in refused.stderr


def test_a_report_that_cannot_be_written_loses_no_answer(tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n")
    (tmp_path / "r.json").mkdir()  # where the report's JSON would lie
    asked = ["--epsilon", 1, "--report", "r.html", "--json"]
    found = run("ask", "t.csv", "count()", *asked, cwd=tmp_path)
    assert found.returncode != 0 and '"answers"' in found.stdout


def test_a_report_in_one_line_is_a_report(tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n")
    run("ask", "t.csv", "count()", "--epsilon", 1, "--report", "r.json", cwd=tmp_path)
    raw = json.loads((tmp_path / "r.json").read_text())
    (tmp_path / "r.json").write_text(json.dumps(raw, separators=(",", ":")))
    found = run("verify", "r.json", "--json", cwd=tmp_path)
    assert found.returncode == 0 and json.loads(found.stdout)["ok"]


def test_tables_by_attributes_in_one_line(folder):
    words = ["marginals(region, year, ways=1;2)", "--keys", "north,south;2023,2024"]
    found = run("ask", "data.csv", *words, "--epsilon", 1, "--json", cwd=folder)
    answers = {one["key"]: one["value"] for one in json.loads(found.stdout)["answers"]}
    assert list(answers)[:3] == ["north, *", "south, *", "*, 2023"] and len(answers) == 8
    assert abs(answers["north, 2023"] - 500) < 120
    planned = run("plan", *words, "--epsilon", 1, "--rows", 500, cwd=folder)
    assert "95% of answers within" in planned.stdout


def test_an_answer_that_is_paid_for_is_printed_in_any_encoding(tmp_path):
    """Files on Windows are cp1252, say: the bars, or a key of the data, ended the program."""
    (tmp_path / "towns.csv").write_text("town\n" + "Łódź\nb\n" * 60, encoding="utf-8")
    words = ["ask", "towns.csv", "count()", "--by", "town", "--keys", "private"]
    budget = ["--unit", "row", "--epsilon", "7", "--delta", "0.01"]
    done = run(*words, *budget, cwd=tmp_path, encoding="cp1252")
    assert done.returncode == 0, done.stderr
    assert "\\u0141ód\\u017a" in done.stdout and "#####" in done.stdout
