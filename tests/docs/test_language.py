"""The pages use the words of the field, in short sentences.

The counts below are what stands on the pages today. They may only fall: a change that raises one
has to be written differently.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doc_pages import ROOT

import leastnoise

#: Words for which the field has another one (distribution, integer, baseline, timestamp, fixed,
#: distinguished, K-norm noise, asymmetric, the web app, people, hockey-stick divergence, rejected).
WORDS = re.compile(
    r"\b(law|laws|whole numbers?|whole noise|rivals?|truths|moments|mended|told apart|so many|"
    r"noise by levels|leans|the page|persons|hockey stick(?!-)|(?<!\.)refuse[ds]?|refusals?)\b"
)
CODE = re.compile(r"`[^`\n]*`")  # (keys of files are a contract)
SPACED_PERCENT = re.compile(r"\d %")
#: Part of the documentation to the words that a sentence may have.
LONGEST_SENTENCE = {"user": 30, "research": 35}
RESEARCH = re.compile(
    r"(.*-details|architecture|benchmarks|certificate.*|engine-methods|formal|hierarchy|paper-map|"
    r"proofs|reproduction)\.md"
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: Part of the documentation: words of our own, "95 %" for "95%", longer sentences.
MOST = {"user": (0, 0, 0), "research": (0, 0, 0)}


def sentences(text: str) -> list[str]:
    """The sentences of a page, without its code blocks and tables; a paragraph ends one, too."""
    prose = re.sub(r"```.*?```|\|.*?\n", " ", text, flags=re.S)
    return re.split(r"(?<=[.!?])\s+|\n\s*\n|\n(?=- )", prose)


def counts(text: str, part: str) -> tuple[int, int, int]:
    """Words of our own, spaced percent signs and long sentences of a page."""
    long = sum(len(sentence.split()) > LONGEST_SENTENCE[part] for sentence in sentences(text))
    words = WORDS.findall(CODE.sub(" ", text))
    return len(words), len(SPACED_PERCENT.findall(text)), long


def long_around_blocks(text: str) -> int:
    """Sentences above 35 words where neither a block, a table nor a heading ends a sentence."""
    prose = re.sub(r"```.*?```|\|.*?\n", " ", text, flags=re.S)
    return sum(len(sentence.split()) > 35 for sentence in re.split(r"(?<=[.!?])\s+", prose))


def test_docstrings_of_public_names_use_the_words_of_the_field():
    texts = {name: CODE.sub(" ", getattr(leastnoise, name).__doc__) for name in leastnoise.__all__}
    assert {name: WORDS.findall(text) for name, text in texts.items() if WORDS.search(text)} == {}
    for name in ("design", "ask", "ask_all", "plan", "plan_all", "load", "report", "PrivacyUnit"):
        assert "\n    Guarantee: " in getattr(leastnoise, name).__doc__, name


def part_of(page: Path) -> str:
    return "research" if RESEARCH.fullmatch(page.name) else "user"


@pytest.mark.parametrize("part", MOST)
def test_the_language_of_the_pages_gets_no_worse(part):
    chosen = [page for page in PAGES if part_of(page) == part]
    pages = {page.name: counts(page.read_text("utf-8"), part) for page in chosen}
    totals = tuple(sum(column) for column in zip(*pages.values(), strict=True))
    assert all(count <= most for count, most in zip(totals, MOST[part], strict=True)), pages


def test_sentences_around_blocks_get_no_longer():
    pages = {page.name: long_around_blocks(page.read_text("utf-8")) for page in PAGES}
    assert sum(pages.values()) == 0, {name: long for name, long in pages.items() if long}


def test_the_counts_see_what_they_count():
    assert counts("A law of whole numbers: 95 %.", "user") == (2, 1, 0)
    assert counts("A `law` is refused.", "user") == (1, 0, 0)
    assert counts("The hockey-stick divergence of a distribution: 95%.", "user") == (0, 0, 0)
    assert counts("word " * 36 + "end.\n```\nlaw 3\n```\n", "research") == (1, 0, 1)
    around = "word " * 18 + "\n\n```math\nx\n```\n\n" + "word " * 18 + "end."
    assert long_around_blocks(around) == 1 and counts(around, "research")[2] == 0
    assert [counts("word " * 31, part)[2] for part in ("user", "research")] == [1, 0]
    assert counts("Short. " * 40 + "| law " * 40 + "|\n", "user")[2] == 0
