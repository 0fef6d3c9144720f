"""A report of answers, checked with the standard library alone: hash, files and budgets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leastnoise import Count, Mean, Median, ask_all, report
from leastnoise.certify.__main__ import main
from leastnoise.certify.published import check_published, hash_of, hash_of_text, report_in
from leastnoise.errors import FormatError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a report with a joint draw and a median; its JSON is beside it."""
    folder = tmp_path_factory.mktemp("report")
    table = folder / "table.csv"
    table.write_text("age,g\n" + "".join(f"{20 + k % 60},{'ab'[k % 2]}\n" for k in range(200)))
    queries = [Count(by="g", keys=["a", "b"]), Mean("age", low=0, high=100)]
    answers = ask_all(table, [*queries, Median("age", low=0, high=100)], epsilon=1)
    report(answers, folder / "report.html")
    return folder / "report.html"


def verdicts(raw: dict[str, Any], *, sealed: bool = True) -> dict[str, str]:
    if sealed:
        raw["sha256"] = hash_of(raw)
    checked = check_published(json.dumps(raw).encode())
    return {claim.name.partition(" ")[0]: claim.verdict for claim in checked.claims}


@pytest.fixture
def raw(page: Path) -> dict[str, Any]:
    return dict(json.loads(page.with_suffix(".json").read_text()))


def test_page_and_json_are_checked_in_part(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for file in (page, page.with_suffix(".json")):
        assert main([str(file)]) == 3
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0].startswith("Checked in part: the report has its hash")
    assert "(1, 0)-DP for the privacy unit row and add-remove neighbors" in printed[0]


def test_what_is_checked_in_part_is_not_called_private(page: Path) -> None:
    data = report_in(page.read_bytes())
    assert data is not None
    said = check_published(data).to_json()
    assert (said["ok"], said["private"], said["exit_code"]) == (False, False, 3)


def test_verdicts_of_a_sound_report(raw: dict[str, Any]) -> None:
    assert verdicts(raw) == {
        "hash": "proven",
        "mechanism": "proven",
        "budget": "proven",
        "quantiles": "by theorem",
        "queries": "not checked",
    }


def test_a_changed_number_breaks_the_hash(raw: dict[str, Any]) -> None:
    raw["batches"][0]["answers"][0]["answers"][0]["value"] = "7"
    assert verdicts(raw, sealed=False)["hash"] == "refuted"


def test_budgets_that_do_not_add_up(raw: dict[str, Any]) -> None:
    assert verdicts(raw | {"epsilon": "1/2"})["budget"] == "refuted"


def test_a_file_under_the_name_of_another(raw: dict[str, Any]) -> None:
    (name, text), *rest = raw["mechanisms"].items()
    wider = json.loads(text)
    raw["mechanisms"] = {name: json.dumps(wider | {"about": {"note": "x"}}), **dict(rest)}
    assert verdicts(raw)["mechanism"] == "refuted"


def test_a_file_that_is_not_there(raw: dict[str, Any]) -> None:
    assert verdicts(raw | {"mechanisms": {}})["files"] == "refuted"


def test_a_budget_that_another_one_takes_back(raw: dict[str, Any]) -> None:
    below = {"epsilon": "-1", "delta": "0", "answers": []}
    with pytest.raises(FormatError, match="non-negative"):
        verdicts(raw | {"epsilon": "0", "batches": [*raw["batches"], below]})


def test_an_answer_without_a_mechanism(raw: dict[str, Any]) -> None:
    raw["batches"][0]["answers"][0]["basis"]["files"] = []
    assert verdicts(raw)["answers"] == "refuted"


def test_a_file_that_claims_too_small_an_error(raw: dict[str, Any]) -> None:
    for name, text in list(raw["mechanisms"].items()):
        data = json.loads(text) | {"upper": "1/1000", "lower": "0"}
        raw["mechanisms"] = {hash_of_text(json.dumps(data)): json.dumps(data)}
        renamed = json.dumps(raw["batches"]).replace(name, next(iter(raw["mechanisms"])))
        raw["batches"] = json.loads(renamed)
        break
    assert verdicts(raw)["mechanism"] == "refuted"


def test_words_of_a_report_cannot_move_the_cursor(raw: dict[str, Any]) -> None:
    raw["headings"][0]["words"] = "row\x1b[2J\nhash proven"
    raw["mechanisms"]["\x1b[2J\nall"] = ""
    printed = str(check_published(json.dumps(raw).encode()))
    assert "\x1b" not in printed and "\nhash proven" not in printed and "\nall" not in printed


@pytest.mark.parametrize("number", ["1e999", "9" * 5000], ids=["infinite", "long"])
def test_a_number_without_a_hash_is_malformed(raw: dict[str, Any], number: str) -> None:
    text = json.dumps(raw)[:-1] + f', "more": {number}}}'
    with pytest.raises(FormatError):
        check_published(text.encode())


def test_half_of_a_letter_in_a_mechanism_file_is_malformed(raw: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match="surrogate"):
        verdicts(raw | {"mechanisms": {"a": "\ud800"}})


@pytest.mark.parametrize(
    "change",
    [{"mechanisms": []}, {"mechanisms": {"a": 1}}, {"batches": {}}, {"headings": 1},
     {"format": "leastnoise-report/2"}, {"epsilon": 1}, {"batches": [{"epsilon": "1"}]}],
    ids=str,
)  # fmt: skip
def test_what_is_no_report_is_malformed(raw: dict[str, Any], change: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        verdicts(raw | change)


def test_more_mechanism_files_than_a_report_can_hold_are_malformed(raw: dict[str, Any]) -> None:
    names = {str(k): "" for k in range(100_001)}
    with pytest.raises(FormatError, match="100000 files"):
        verdicts(raw | {"mechanisms": names}, sealed=False)


def test_the_program_in_one_file_reads_reports(page: Path, tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "release"))
    try:
        from verifier import write_verifier
    finally:
        sys.path.pop(0)
    program = tmp_path / "verify.pyz"
    write_verifier(ROOT / "src", program, (2026, 1, 1, 0, 0, 0))
    done = subprocess.run(
        [sys.executable, "-I", "-S", program, page], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "every mechanism file is proven private" in done.stdout
    said = subprocess.run(
        [sys.executable, "-I", "-S", program, "--help"], capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("usage: python verify.pyz FILE [--json]")
    older = "import runpy, sys; sys.version_info = (3, 10, 0); runpy.run_path(sys.argv[1])"
    old = subprocess.run(
        [sys.executable, "-c", older, program], capture_output=True, text=True, check=False
    )
    assert (old.returncode, old.stderr) == (
        2,
        "error: Python 3.11 or newer is needed, this is 3.10\n",
    )
    assert program.stat().st_size < 400_000
