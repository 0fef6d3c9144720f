"""The examples run as they stand, and the demo leads with an everyday budget."""

from __future__ import annotations

import re

import pytest
from doc_pages import ROOT

from cli_command import run_script

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(path):
    said = run_script(path)
    assert "proven" in said and "one private release" in said and "refuted" not in said


def test_what_a_newcomer_meets_first_is_an_everyday_budget():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    demo = re.search(r"^demo:.*\n\t.*examples/(\S+)$", makefile, re.M)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"design\((.*?)\)", readme)
    for text in ((ROOT / "examples" / demo[1]).read_text(encoding="utf-8"), first[1]):
        assert "1e-6" in text and "sensitivity=" in text
    assert "pip install" in readme
    for page in (readme, (ROOT / "docs/choosing.md").read_text(encoding="utf-8")):
        assert "delta far below 1/n" in page
