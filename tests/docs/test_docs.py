"""Every block of code on a page runs, and prints what the page says."""

from __future__ import annotations

import doctest
import re

import pytest
from doc_pages import (
    ROOT,
    RUNNABLE,
    blocks,
    contains,
    one_command,
    run_page,
    run_python,
    run_session,
    same,
    same_output,
    shell,
)

import leastnoise

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_CODE = [page for page in PAGES if any(block.language in RUNNABLE for block in blocks(page))]
#: How a block shows the output of the block above it: as it is, up to a part, or at random.
OUTPUT = re.compile(r"|random|numbers within \d+%")
#: Pages whose blocks without a language are drawings.
DRAWINGS = {"architecture.md"}
WITH_SLOW = [page for page in WITH_CODE if any(block.mark == "slow" for block in blocks(page))]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.name)
def test_the_blocks_of_a_page_do_what_it_says(page, tmp_path):
    run_page(page, tmp_path, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SLOW, ids=lambda page: page.name)
def test_the_slow_blocks_too(page, tmp_path):
    assert run_page(page, tmp_path, slow=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_block_that_does_not_run_says_why(page):
    for block in blocks(page):
        fine = block.language in RUNNABLE | {"text", "json", "math"} or page.name in DRAWINGS
        assert fine or block.mark == "not run", (
            f"{page.name}, line {block.line}: a block without a language that can be run"
        )
        assert block.mark in ("", "output") or len(block.reason) > 10
        assert block.mark != "output" or OUTPUT.fullmatch(block.reason)


def test_the_runner_sees_what_does_not_hold():
    run_python("x = 2\nx + 1  # 3\n[\n    x, 5.004]  # 2 and 5.00", {})
    for code in ("1 + 1  # 3", "print('in [0.5, 0.6]')  # [0.5, 0.62]", "undefined"):
        with pytest.raises((AssertionError, NameError)):
            run_python(code, {})
    same("│ a │ 0.5000 │", "a 0.50003")
    for shown, printed in (("a 0.5", "b 0.5"), ("a 0.5", "a 0.6"), ("a 0.5", "a 0.5 0.5")):
        with pytest.raises(AssertionError):
            same(shown, printed)
    contains("at most 0.56, gap 1 %", "0.5589 gap 1.0 %", "")
    same("a: 6.4 [6.1, 6.7]", "a: 6.9 [6.6, 7.2]", tolerance=0.1)
    for printed in ("a: 6.9 [6.6, 7.5]", "b: 6.4 [6.1, 6.7]", "a: 6.4 [6.1]"):
        with pytest.raises(AssertionError):
            same("a: 6.4 [6.1, 6.7]", printed, tolerance=0.1)


def test_output_that_a_page_shows_is_compared(tmp_path):
    page = tmp_path / "page.md"
    block = "```python\nprint(20)\n```\n\n{mark}\n```text\n21\n```\n"
    page.write_text(block.format(mark="<!-- output: numbers within 10% -->"))
    assert run_page(page, tmp_path, slow=False) == 1
    for mark in ("<!-- output -->", "<!-- output: numbers within 1% -->"):
        page.write_text(block.format(mark=mark))
        with pytest.raises(AssertionError, match="21"):
            run_page(page, tmp_path, slow=False)


def test_output_on_a_page_is_compared():
    printed = "count: 41 [38, 44]\nspent epsilon=1\n\nproof 0123456789ab\n"
    same_output("count: 41  [38, 44]\n...\nproof 1111111111111\n", printed, random=False)
    same_output("count: 45 [42, 48]\nspent epsilon=1\n...\n", printed, random=True)
    for shown, random in (
        ("count: 45 [42, 48]\n...\n", False),
        ("count: 41 [38, 44]\n", False),
        ("sum: 41 [38, 44]\n...\n", True),
        ("...\ncount: 41 [38, 44]\n", True),
        ("spent epsilon=1\n...\n", True),
    ):
        with pytest.raises(AssertionError):
            same_output(shown, printed, random)


def test_commands_of_ours_run_here_and_others_in_a_shell(tmp_path):
    words = ["leastnoise", "design", "--loss", "pinball:0.8"]
    assert one_command("leastnoise design --loss 'pinball:0.8' > design.txt") == (
        words,
        {">": "design.txt"},
    )
    assert one_command('leastnoise columns x --delimiter ";"')[0][-1] == ";"
    for line in ("echo 1 > x", "leastnoise -h | head", "leastnoise -h && ls", "leastnoise $HOME"):
        assert one_command(line) is None
    assert shell("echo 3.5 > secret.txt; cat secret.txt", tmp_path).strip() == "3.5"
    asked = "leastnoise plan 'count()' --epsilon 1 --rows 10 --where 'x > 3' > plan.txt"
    assert shell(asked, tmp_path) == "" and "count" in (tmp_path / "plan.txt").read_text()
    with pytest.raises(AssertionError, match="epsilon"):
        shell("leastnoise design --epsilon -1 --delta 0 --sensitivity 1", tmp_path)


@pytest.mark.parametrize("name", leastnoise.__all__)
def test_every_public_name_has_an_example_that_does_what_it_says(name, tmp_path, monkeypatch):
    """A line whose output is random says `+SKIP`; every example has others, which run."""
    text = getattr(leastnoise, name).__doc__
    examples = doctest.DocTestParser().get_examples(text)
    assert any(not example.options.get(doctest.SKIP) for example in examples)
    monkeypatch.chdir(tmp_path)
    run_session(text, {each: getattr(leastnoise, each) for each in leastnoise.__all__})
