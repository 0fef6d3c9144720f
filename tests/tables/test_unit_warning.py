"""A forgotten unit is a warning, which depends on names of columns alone."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

from cli_command import run
from leastnoise import Count, PrivacyUnit, ask, ask_all, plan
from leastnoise.tables.unit import identifier_in


@pytest.mark.parametrize(
    "name",
    [
        *("patient_id", "person_id", "user_id", "customer", "household", "PatientID", "userid"),
        *("Customer No", "clients", "device_id", "student-number", "household_key", "subjectId"),
    ],
)
def test_names_of_units(name):
    assert identifier_in(["x", name]) == name
    frame = pd.DataFrame({"x": [1, 2], name: [1, 1]})
    for asked in (lambda **o: ask(frame, Count(), **o), lambda **o: ask_all(frame, [Count()], **o)):
        with pytest.warns(UserWarning, match="no unit is stated") as caught:
            asked(epsilon=1)
        assert repr(name) in str(caught[0].message) and caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            asked(epsilon=1, unit="row")
            asked(epsilon=1, unit=PrivacyUnit(name, max_rows_per_group=2))


@pytest.mark.parametrize(
    "name",
    ["id", "x", "household_size", "user_agent", "subject", "device", "age", "customers_per_day"],
)
def test_other_names_are_no_units(name):
    assert identifier_in([name]) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ask(pd.DataFrame({name: [1, 2]}), Count(), epsilon=1)


def test_the_warning_does_not_depend_on_the_rows():
    told = set()
    for rows in ([], [1], [1, 1, 1], [1, 2, 3]):
        with pytest.warns(UserWarning) as caught:
            ask(pd.DataFrame({"patient_id": pd.Series(rows, dtype="int64")}), Count(), epsilon=1)
        told.add(str(caught[0].message))
    assert len(told) == 1


def test_a_plan_knows_no_columns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plan("count()", epsilon=1, rows=10).error > 0


def test_the_command_line_notes_it(tmp_path):
    (tmp_path / "d.csv").write_text("patient_id,x\n1,2\n1,3\n")
    words = "ask", "d.csv", "count()", "--epsilon", 1
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0 and "note: no unit is stated" in done.stderr
    assert "--max-rows-per-group N, else --unit row" in done.stderr and "Unit(" not in done.stderr
    assert "patient_id" in done.stderr and "Warning" not in done.stderr
    for unit in (["row"], ["patient_id", "--max-rows-per-group", 2]):
        done = run(*words, "--unit", *unit, cwd=tmp_path)
        assert done.returncode == 0 and not done.stderr
