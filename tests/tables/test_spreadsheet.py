"""Answers as CSV and Excel files, and the texts that a spreadsheet program would run."""

from __future__ import annotations

import csv

import pytest

from cli_command import run
from leastnoise.errors import ArgumentError
from leastnoise.tables import Count, ExcelFile, Marginals, Mean, Median, ask, report
from leastnoise.tables.queries.digits import rounded

pd = pytest.importorskip("pandas")
pytest.importorskip("duckdb")

TABLE = pd.DataFrame({"state": ["a", "b"] * 100, "answer": [1, 2] * 100})


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_row_holds_the_keys_and_the_digits_of_a_number(tmp_path):
    answers = [
        ask(TABLE, Count(by="state", keys=["a", "b"]), epsilon=5),
        ask(TABLE, Mean("answer", low=0, high=3), epsilon=5),
        ask(TABLE, Count(by="answer", keys=[1, 2]), epsilon=5),
        ask(TABLE, Median("answer", low=0, high=3), epsilon=5),
    ]
    held = report(answers)
    assert held.save(tmp_path / "a.csv") == (tmp_path / "a.csv",)
    found = rows(tmp_path / "a.csv")
    numbers = ["answer", "low", "high", "unbiased", "rows", "rows left out"]
    assert found[0] == ["query", "state", "answer (key)", *numbers]
    mean = dict(zip(found[0], found[3], strict=True))
    assert abs(int(mean["rows"]) - 200) < 20 and mean["rows left out"] != ""
    assert [row[:3] for row in found[1:]] == [
        ["count() by state", "a", ""],
        ["count() by state", "b", ""],
        ["mean(answer)", "", ""],
        ["count() by answer", "", "1"],
        ["count() by answer", "", "2"],
        ["median(answer)", "", ""],
    ]
    numbers = [list(rounded(one)) for answer in answers for one in answer.groups.values()]
    assert [row[3:6] for row in found[1:]] == numbers and numbers[-1][1:] == ["", ""]
    unbiased = [one.unbiased for answer in answers for one in answer.groups.values()]
    assert [row[6] for row in found[1:]] == ["" if x is None else f"{x:.0f}" for x in unbiased]
    frame = pd.read_csv(tmp_path / "a.csv")
    assert frame["answer"].tolist() == [float(value) for value, _, _ in numbers]


def test_a_workbook_holds_the_same_and_what_was_spent(tmp_path):
    tables = Marginals(["state"], [0, 1], keys=[["a", "b"]])
    TABLE.to_csv(tmp_path / "pay.csv", index=False)
    report(ask(tmp_path / "pay.csv", tables, epsilon=5), tmp_path / "a.xlsx")
    report(ask(tmp_path / "pay.csv", tables, epsilon=5), tmp_path / "a.csv")
    sheet = ExcelFile(tmp_path / "a.xlsx", sheet="Answers")
    assert sheet.names() == rows(tmp_path / "a.csv")[0]
    (batch,) = sheet.batches()
    assert [row["state"] for row in batch.to_pylist()] == [None, "a", "b"]
    assert all(float(row["low"]) <= float(row["answer"]) for row in batch.to_pylist())
    (about, _) = next(ExcelFile(tmp_path / "a.xlsx", sheet="About").batches()).to_pylist()
    assert (about["table"], about["epsilon"], about["privacy unit"]) == ("pay.csv", "5", "row")


def test_imprecise_numbers_have_a_column_of_their_own(tmp_path):
    query = Count(by="imprecise", keys=["a", "none"])
    answer = ask(TABLE.rename(columns={"state": "imprecise"}), query, epsilon=1, unit="row")
    for name in ("a.csv", "a.xlsx"):
        report([answer], tmp_path / name, imprecise=0.2)
    head, *found = rows(tmp_path / "a.csv")
    assert head == ["query", "imprecise (key)", "answer", "low", "high", "unbiased", "imprecise"]
    assert [row[-1] for row in found] == ["false", "true"] and answer.imprecise(0.2) == ["none"]
    (batch,) = ExcelFile(tmp_path / "a.xlsx", sheet="Answers").batches()
    assert [row["imprecise"] for row in batch.to_pylist()] == ["false", "true"]
    (batch,) = ExcelFile(tmp_path / "a.xlsx", sheet="About").batches()
    assert batch.to_pylist()[-1]["query"].startswith(
        "imprecise: the 95% margin of error is more than 20% of the number"
    )
    report([answer], tmp_path / "plain.csv")
    assert rows(tmp_path / "plain.csv")[0][1] == "imprecise"


def test_openpyxl_reads_numbers_as_numbers_and_keys_as_texts(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    odd = ["=1+1", "007", "-5", "@x", "a\x00b", "<&>"]
    frame = pd.DataFrame({"key": odd * 9})
    report(ask(frame, Count(by="key", keys=odd), epsilon=9), tmp_path / "a.xlsx")
    found = list(openpyxl.load_workbook(tmp_path / "a.xlsx")["Answers"].values)
    assert [row[1] for row in found[1:]] == [*odd[:4], "a\\x00b", "<&>"]
    assert all(isinstance(row[2], (int, float)) for row in found[1:])


def test_no_key_is_a_formula_in_a_csv_file(tmp_path):
    odd = ["=1+1", "-5", "+x", "@x", "a"]
    frame = pd.DataFrame({"key": odd * 9})
    report(ask(frame, Count(by="key", keys=odd), epsilon=9), tmp_path / "a.csv")
    assert [row[1] for row in rows(tmp_path / "a.csv")[1:]] == ["'=1+1", "-5", "'+x", "'@x", "a"]


def test_the_command_line_writes_both(tmp_path):
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    asked = ("ask", tmp_path / "t.csv", "count()", "--epsilon", 1)
    files = ("--csv", tmp_path / "a.csv", "--excel", tmp_path / "a.xlsx")
    found = run(*asked, *files, "--imprecise", 0.3)
    assert found.returncode == 0 and len(rows(tmp_path / "a.csv")) == 2
    assert [row[-1] for row in rows(tmp_path / "a.csv")] == ["imprecise", "false"]
    found = run(*asked, *files, "--imprecise", 0)
    assert found.returncode == 2 and "--imprecise must be a number above 0" in found.stderr
    assert ExcelFile(tmp_path / "a.xlsx", sheet="Answers").names()[0] == "query"
    for option, path in (("--csv", "a.txt"), ("--excel", "a.csv"), ("--csv", "no/a.csv")):
        found = run(*asked, option, tmp_path / path)
        assert found.returncode == 2 and f"{option} must be FILE" in found.stderr
    with pytest.raises(ArgumentError, match=r"^report must be FILE\.html or"):
        report(ask(TABLE, Count(), epsilon=1), tmp_path / "a.pdf")
