"""diffprivlib's own tests of its classifiers, run on ours: docs/classifier-diffprivlib.md.

Its wheel brings the tests; `adapter.py` puts our classes where they look for theirs. Skipped where
diffprivlib is not installed; run by its own make target.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SUITES = {"GaussianNB": "DPNaiveBayes", "LogisticRegression": "DPLogisticRegression"}
#: Their tests that ours do not pass, and why that stays so.
REASONS = {
    ("test_no_bounds", "test_no_params"): "diffprivlib warns where bounds are missing and reads "
    "them from the data; ours raises, or reads them if a flag whose name says so is set",
    ("test_sample_weight_warning",): "diffprivlib accepts weights and ignores them with a warning; "
    "ours has no such argument",
    ("test_solver_warning", "test_multi_class_warning"): "diffprivlib accepts these arguments and "
    "ignores them with a warning; ours has none",
    (
        "test_warm_start",
    ): "a second fit spends the budget again, and a warm start saves little of it",
    ("test_noisy_count", "test_update_mean_variance"): "functions inside their class",
    ("test_with_iris",): "with diffprivlib, noisy class counts add up to the number of rows; with "
    "ours, that number is private for these neighbors",
}
#: Passes or not by chance.
BY_CHANCE = {
    "test_same_results": "it wants the same predictions without noise as scikit-learn's solver; "
    "ours makes 1,000 passes of a descent, which can miss a point at the border"
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, dict[str, bool]]:
    """Which of their tests pass, by suite."""
    spec = find_spec("diffprivlib")
    if spec is None or spec.origin is None:  # (the folder of these tests has that name, too)
        pytest.skip("diffprivlib is not installed here")
    folder = tmp_path_factory.mktemp("theirs")
    theirs = Path(spec.origin).parent.parent / "tests" / "models"
    found = {}
    for suite in SUITES:
        report = folder / f"{suite}.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "adapter", f"--rootdir={folder}"]
        command += [f"--junitxml={report}", str(theirs / f"test_{suite}.py")]
        paths = os.pathsep.join([str(HERE), str(ROOT / "src")])
        environment = {**os.environ, "PYTHONPATH": paths}
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        cases = ElementTree.parse(report).iter("testcase")
        found[suite] = {
            case.get("name"): case.find("failure") is None and case.find("error") is None
            for case in cases
        }
    return found


def table(outcomes: dict[str, dict[str, bool]]) -> list[str]:
    """What docs/classifier-diffprivlib.md says of them."""
    lines = ["| diffprivlib's tests of | on | pass |", "|---|---|---|"]
    for suite, ours in SUITES.items():
        own = outcomes[suite]
        always = sum(good for name, good in own.items() if name not in BY_CHANCE)
        chance = " and 1 by chance" if set(own) & set(BY_CHANCE) else ""
        lines.append(f"| `{suite}` | `{ours}` | {always}{chance} of {len(own)} |")
    lines += ["", "| not passed | why |", "|---|---|"]
    reasons = {**REASONS, **{(name,): why for name, why in BY_CHANCE.items()}}
    for names, why in reasons.items():
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {why} |")
    return lines


def test_what_fails_is_what_is_listed(outcomes):
    failed = {name for own in outcomes.values() for name, good in own.items() if not good}
    assert failed - set(BY_CHANCE) == {name for names in REASONS for name in names}


def test_the_page_has_the_table(outcomes):
    lines = table(outcomes)
    print("\n".join(lines))
    page = (ROOT / "docs" / "classifier-diffprivlib.md").read_text(encoding="utf-8")
    assert "\n".join(lines) in page
