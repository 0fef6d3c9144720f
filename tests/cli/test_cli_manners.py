"""What a person at a terminal, or a script, may expect of every command alike."""

from __future__ import annotations

import json
import re
import sys
from fractions import Fraction

import duckdb
import pytest
from typer.testing import CliRunner

from cli_command import run, run_alone
from leastnoise import Ledger, cli
from leastnoise.cli import _with_options, app
from leastnoise.errors import ArgumentError
from leastnoise.tables.queries.text import query_of

BUDGET = ["--epsilon", "1", "--delta", "0.1", "--sensitivity", "1"]
QUICK = [*BUDGET, "--gap", "0.3"]
COMMANDS = [
    "design",
    "verify",
    "release",
    "sample",
    "compare",
    "compose",
    "sweep",
    "hierarchy",
    "reproduce",
    "ask",
    "plan",
    "ledger create",
    "ledger show",
    "ledger history",
    "ledger close",
]


def invoke(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("manners") / "m.json"
    assert invoke("design", *BUDGET, "--out", path).exit_code == 0
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_json(command):
    shown = invoke(*command.split(), "-h")
    assert shown.exit_code == 0 and "Example" in shown.output
    assert f"leastnoise {command}" in shown.output.split("Example")[1]
    assert "--json" in shown.output
    assert invoke(*command.split(), "--help").output == shown.output
    # Values have names, such as FILE or N, and no types of Python; arguments have no braces.
    usage, _, rest = shown.output.partition("\n\n")
    assert "{" not in usage and not re.search(r"(<|list\[)(str|int|float|path)\b", rest)


def test_the_list_of_commands_is_whole_and_completion_can_be_installed():
    everything = invoke("-h").output
    assert "--install-completion" in everything
    listed = everything.partition("Tables:")[2]
    commands = [line for line in listed.splitlines() if line.startswith("  ")]
    assert len(commands) == 18 and all(line.endswith(".") for line in commands)
    headings = [line for line in listed.splitlines() if line.endswith(":")]
    assert headings == ["Noise:", "Mechanism files:", "Research:", "Installation:"]
    assert "..." not in listed  # no line is cut off


def test_every_object_names_its_command_and_its_exit_code(file, tmp_path):
    values = tmp_path / "values.txt"
    values.write_text("1, 2\n3")
    rows = tmp_path / "rows.csv"
    rows.write_text("age\n30\n40\n")
    asked = {
        "design": [*QUICK],
        "verify": [file],
        "release": [file, "--values", values],
        "sample": [file, "--count", 3, "--out", tmp_path / "x.npy"],
        "compare": [*QUICK],
        "compose": [file, "--times", "1,2"],
        "sweep": [*QUICK, "--out", tmp_path / "s"],
        "hierarchy": [
            "--epsilon",
            1,
            "--delta",
            "0.2",
            "--sensitivity",
            1,
            "--beta",
            "1/4",
            "--cells",
            8,
            "--bound",
            "upper",
        ],
        "reproduce": ["example1", "--quick", "--out", tmp_path / "r"],
        "ask": [rows, "count()", "--epsilon", 1],
        "plan": ["count()", "--rows", 100, "--epsilon", 1],
        "ledger create": [tmp_path / "b.db", "--epsilon", 1],
        "ledger show": [tmp_path / "b.db"],
        "ledger history": [tmp_path / "b.db"],
        "ledger close": [tmp_path / "b.db"],
    }
    assert list(asked) == COMMANDS
    for command, words in asked.items():
        done = invoke(*command.split(), *words, "--json")
        told = json.loads(done.stdout)
        assert told["command"] == command and told["exit_code"] == done.exit_code == 0, command


def test_a_refusal_is_json_too():
    done = run("design", "--epsilon", "-1", "--delta", "0.1", "--sensitivity", 1, "--json")
    told = json.loads(done.stdout)
    assert done.returncode == told["exit_code"] == 2 and "epsilon must be" in told["error"]
    assert "epsilon must be" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["design", "--nope"], "No such option"),
        (["ledger", "show"], "Missing argument"),
        (["ask", "x.csv", "count()", "--eps", "1"], "--eps (Possible options: --epsilon)"),
        (["ask", "x.csv", "count()", "--max-contributions", "1"], "--max-rows-per-group)"),
        (["plan", "count()", "--epsilon", "1"], "'--rows'. A public guess at the number of rows"),
    ],
)
def test_words_the_command_line_does_not_know_are_json_too(words, told):
    done = run(*words, "--json")
    object_ = json.loads(done.stdout)
    assert done.returncode == object_["exit_code"] == 2 and told in object_["error"]
    assert object_["command"] == " ".join(words if words[0] == "ledger" else words[:1])
    assert told in done.stderr and "Usage" in done.stderr


def test_a_fault_of_ours_is_no_answer(monkeypatch, capsys):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "app", broken)
    monkeypatch.setattr(sys, "argv", ["leastnoise", "design", "--json"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    shown = capsys.readouterr()
    assert stop.value.code == json.loads(shown.out)["exit_code"] == 70
    assert "Traceback" in shown.err


def test_what_was_charged_and_not_answered_is_exit_code_4(tmp_path, monkeypatch, capsys):
    """So that a job knows whether a retry costs again; a refusal before the charge is 2."""
    table, budget = tmp_path / "t.parquet", tmp_path / "b.db"
    duckdb.sql(f"COPY (SELECT i * 1.5 AS x FROM range(50000) t(i)) TO '{table}'")
    whole = table.read_bytes()
    table.write_bytes(whole[:100] + bytes(len(whole) - 2100) + whole[-2000:])
    ledger = Ledger.create(budget, epsilon=1)
    told = {}
    for column in ("x", "y"):
        words = ["ask", str(table), f"mean({column}, low=0, high=9)", "--epsilon", "0.4", "--json"]
        monkeypatch.setattr(sys, "argv", ["leastnoise", *words, "--ledger", str(budget)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        told[column] = stop.value.code
        assert json.loads(capsys.readouterr().out)["exit_code"] == stop.value.code
    assert told == {"x": 4, "y": 2} and len(ledger.history()) == 1


def test_a_bound_that_is_not_certified_is_exit_code_1():
    words = ["--epsilon", 1, "--delta", "0.01", "--sensitivity", 1, "--beta", "1/64"]
    words += ["--cells", 400, "--bound", "upper", "--time-limit", "0.1", "--json"]
    done = invoke("hierarchy", *words)
    told = json.loads(done.stdout)
    assert done.exit_code == told["exit_code"] == 1 and not told["certified"]


def test_a_note_goes_into_the_file_and_is_shown_unchecked(tmp_path):
    path = tmp_path / "m.json"
    notes = ["--about", "query=mean salary", "--about", "author=A\x1b[31mnn"]
    assert invoke("design", *QUICK, "--out", path, *notes).exit_code == 0
    assert json.loads(path.read_text())["about"]["query"] == "mean salary"
    shown = invoke("verify", path)
    assert (
        shown.exit_code == 0
        and "Note in the file (not checked): query: mean salary" in shown.output
    )
    assert "\x1b[31m" not in shown.output
    told = json.loads(invoke("verify", path, "--json").stdout)
    assert told["about"]["query"] == "mean salary" and told["exit_code"] == 0
    for words in (notes, ["--out", path, "--about", "query"], ["--out", path, *notes, *notes]):
        refused = invoke("design", *QUICK, *words)
        assert refused.exit_code != 0 and "about must be" in str(refused.exception)


def test_vectors_are_lines_of_numbers(tmp_path):
    path = tmp_path / "v.json"
    words = ["design", *BUDGET, "--delta", 0, "--dimension", 2, "--out", path, "--json"]
    told = json.loads(invoke(*words).stdout)
    assert told["kind"] == "vector" and told["dimension"] == 2
    shown = invoke("release", path, 1, 2, 3, 4)
    assert [len(line.split(",")) for line in shown.stdout.splitlines()] == [2, 2]
    exact = json.loads(invoke("release", path, 1, 2, "--exact", "--json").stdout)["releases"]
    assert len(exact) == 1 and all(isinstance(Fraction(word), Fraction) for word in exact[0])


@pytest.mark.parametrize("how", ["stdin", "dash", "file", "lines"])
def test_values_come_from_standard_input_or_a_file(how, file, tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text("100\n200, 300\n")
    words = {"stdin": [], "dash": ["--values", "-"], "file": ["--values", path], "lines": []}[how]
    given = {} if how == "file" else {"input": path.read_text()}
    done = (run_alone if how == "stdin" else run)("release", file, *words, **given)
    answers = [float(line) for line in done.stdout.split()]
    assert done.returncode == 0 and len(answers) == 3
    assert all(abs(a - v) < 20 for a, v in zip(answers, (100, 200, 300), strict=True))


def test_values_that_are_missing_twice_given_or_no_numbers(file, tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text("31415926x")
    for words, given, told in (
        ([], "", "at least one number"),
        (["1", "--values", path], "", "left out"),
        (["--values", path], "", "value must be"),
        (["--values", tmp_path / "none"], "", "readable"),
    ):
        done = run("release", file, *words, input=given)
        assert done.returncode == 2 and told in done.stderr and not done.stdout
        assert "31415926" not in done.stderr


def test_noise_for_a_range_has_the_table_and_its_file(tmp_path):
    path = tmp_path / "d.json"
    words = ["design", *BUDGET, "--bounds", 0, 4, "--gap", 0.2]
    shown = invoke(*words, "--out", path)
    assert shown.exit_code == 0 and "┌" in shown.output
    assert "Written to" in shown.output and "95% of errors within" in shown.output
    told = json.loads(invoke(*words, "--json").stdout)
    assert told["kind"] == "dependent" and 0 < told["error_95"] <= 4
    assert told["resolution"] is not None


@pytest.mark.parametrize(
    "words", [["--gdp", "1"], ["--epsilon", "1", "--delta", "0.2", "--releases", "2", "--integer"]]
)
def test_exit_codes_are_alike(words):
    for gap, limit, code in (("0.02", 0.1, 1), ("0.9", 30, 0)):
        done = invoke(
            "design", *words, "--sensitivity", 1, "--gap", gap, "--time-limit", limit, "--json"
        )
        told = json.loads(done.stdout)
        assert done.exit_code == told["exit_code"] == (0 if told["converged"] else 1)
        if words[0] == "--epsilon":
            assert done.exit_code == code


def test_no_releases_are_refused():
    done = run("design", *BUDGET, "--releases", 0)
    assert done.returncode == 2 and "releases must be" in done.stderr


@pytest.mark.parametrize(
    "more", [[], ["--gap", "1e-5", "--time-limit", "0.1"], ["--delta", "0", "--integer"]]
)
def test_the_resolution_is_that_of_the_sentence(more):
    told = json.loads(invoke("design", *BUDGET, *more, "--json").stdout)
    if told["resolution"] is None:
        assert "rounds" not in told["status"] and "(noise: " in told["status"]
    else:
        assert f"at resolution {told['resolution']}" in told["status"]


def test_comparisons_for_a_range_and_for_many_releases():
    told = json.loads(invoke("compare", *BUDGET, "--bounds", 0, 4, "--gap", 0.1, "--json").stdout)
    rows = {row["name"]: row for row in told["rows"]}
    assert told["bounds"] == [0, 4] and rows["design"]["loss"] < rows["additive"]["loss"]
    assert all(row["loss"] >= told["lower"] for row in told["rows"])
    counts = json.loads(
        invoke("compare", *BUDGET, "--bounds", 0, 9, "--integer", "--gap", 0.1, "--json").stdout
    )
    assert all(row["loss"] >= counts["lower"] * (1 - 1e-9) for row in counts["rows"])
    many = json.loads(
        invoke(
            "compare",
            "--epsilon",
            1,
            "--delta",
            "0.01",
            "--sensitivity",
            1,
            "--releases",
            5,
            "--gap",
            0.5,
            "--json",
        ).stdout
    )
    rows = {row["name"]: row for row in many["rows"]}
    assert many["releases"] == 5 and rows["laplace"]["loss"] == pytest.approx(5)
    assert rows["analytic-gaussian"]["note"] == "composed exactly"
    assert rows["design"]["loss"] < rows["analytic-gaussian"]["loss"] < rows["laplace"]["loss"]


def test_an_empty_budget_has_its_own_exit_code(tmp_path):
    rows, ledger = tmp_path / "rows.csv", tmp_path / "b.db"
    rows.write_text("age\n30\n40\n")
    assert invoke("ledger", "create", ledger, "--epsilon", 1).exit_code == 0
    words = ["ask", rows, "count()", "--epsilon", "0.75", "--ledger", ledger, "--json"]
    assert run(*words).returncode == 0
    done = run(*words)
    told = json.loads(done.stdout)
    assert (
        done.returncode == told["exit_code"] == 5
        and "epsilon=0.25, delta=0 is left" in told["error"]
    )
    assert Ledger(ledger).balance.charges == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["design", *BUDGET, "--max-error", "-1"], "error: --max-error must be positive, got -1\n"),
        (["design", *BUDGET[:4]], "error: --sensitivity must be given: "),
        (["design", *BUDGET, "--time-limit", "soon"], "error: --time-limit must be "),
        (["ask", "-", "mean(age)", "--epsilon", "1"], "mean(age) needs --low and --high"),
        (["compare", *BUDGET, "--gdp", "1"], "error: --gdp must be left out without --workload\n"),
    ],
)
def test_errors_name_the_options(words, told):
    done = run(*words, input="age\n30\n")
    assert done.returncode == 2 and told in done.stderr


def test_a_missing_file_is_not_malformed(tmp_path):
    done = run("verify", tmp_path / "missing.json")
    assert done.returncode == 2 and done.stderr.startswith("error: cannot read ")


def test_a_long_help_lists_its_options_below_headings():
    listed = invoke("design", "-h").output
    headings = [line for line in listed.splitlines() if line.endswith(":") and line[0] != " "]
    shared = ["Privacy:", "Query:", "Constraints on the noise:", "Search:"]
    assert headings == [*shared, "Files to write:", "Options:"]
    assert "Privacy:" not in invoke("compose", "-h").output


def test_arguments_in_the_brackets_of_a_query_stay_as_they_are():
    options = {"low": "--low", "high": "--high"}
    words = "query must be as in mean(x, low=0, high=9), or state low=0 after it"
    assert _with_options(words, options) == words.replace("state low=0", "state --low 0")
    with pytest.raises(ArgumentError, match=r"like mean\(x, low=0, high=100\)"):
        query_of("mean(x, 0, 100)")


def test_what_people_type_first(tmp_path):
    table = tmp_path / "school.csv"
    table.write_text("mark,class\n1,7a\n2,7b\n")
    asked = [table, "count()", "--epsilon", "1", "--by", "class"]
    done = invoke("ask", *asked, "--keys", "7a, 7b", "--json")
    assert [row["key"] for row in json.loads(done.stdout)["answers"]] == ["7a", "7b"]
    done = invoke("ask", *asked, "--keys", "7a,7b,7a")
    assert str(done.exception) == "keys must be different values, got '7a' twice"
    page = tmp_path / "report.html"
    page.write_text("<!doctype html>")
    done = invoke("verify", page)
    assert done.exit_code == 2 and "holds no report" in done.output
