"""What a notebook or a prompt shows of each result: short, and honest about what is proven."""

from __future__ import annotations

import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from leastnoise import Custom, budget_grid, compare, compose, design, frontier, sweep, tradeoff
from leastnoise.formatting import number, percent
from leastnoise.learn import DPNaiveBayes
from leastnoise.noise.budget import words_of


class Text(HTMLParser):
    """The words of a page, and whether its tags are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words, self.open, self.pictures = [], [], 0
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.pictures += tag == "img"
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def shown():
    plain = design(sensitivity=1, epsilon=1, delta=1e-6, gap=1e-2)
    whole = design(epsilon=1, delta=0.05, sensitivity=2, integer=True)
    clamped = whole.noise.clamped(0, 10)
    assert clamped.upper
    vector = design(dimension=5, epsilon=1, delta=0.2, sensitivity=1, gap=0.5)
    fitted = DPNaiveBayes(delta=0, bounds=(0, 1), classes=[0, 1]).fit([[0.1], [0.7]], [0, 1])
    return {
        "design": plain,
        "integer design": whole,
        "dependent design": design(sensitivity=1, epsilon=1, delta=0.05, bounds=(0, 2), gap=0.1),
        "vector design": vector,
        "noise": plain.noise,
        "noise of a vector": vector.noise,
        "classifier's privacy": fitted.privacy_,
        "report": plain.verify(),
        "clamped": clamped,
        "composition": compose(plain, 3, delta=1e-5),
        "sweep": sweep(budget_grid([0.5, 1], [0.1], gap=0.1, sensitivity=1)),
        "frontier": frontier(sensitivity=1, epsilon=[1, 2], delta=1e-6, gap=0.05),
        "tradeoff": tradeoff("l1", "l2", sensitivity=1, epsilon=3, delta=0.1, points=2, gap=0.05),
        "comparison": compare(sensitivity=1, epsilon=1, delta=0.2, gap=1e-2),
    }


KINDS = [
    "design",
    "integer design",
    "dependent design",
    "vector design",
    "noise",
    "noise of a vector",
    "classifier's privacy",
    "report",
    "clamped",
    "composition",
    "sweep",
    "comparison",
    "frontier",
    "tradeoff",
]


@pytest.mark.parametrize("kind", KINDS)
def test_short_on_a_page_and_at_a_prompt(shown, kind):
    one = shown[kind]
    page = Text(one._repr_html_())
    words = " ".join(page.words)
    assert 20 < len(words) < 1600
    assert "largest error" in words or kind != "vector design"
    assert page.pictures == (kind.endswith(("design", "frontier", "tradeoff")))
    for text in (words, repr(one)):
        assert "Fraction" not in text and "weights=" not in text
        if kind == "report":
            continue  # the checker's own words have all their digits
        assert not re.search(r"\d{11}", text)  # no number that nobody reads
        assert not re.search(r"\de-0\d", text)  # 1e-6, not 1e-06
    assert max(map(len, repr(one).splitlines())) < 260


def test_a_design_says_what_is_proven(shown):
    words = " ".join(Text(shown["design"]._repr_html_()).words)
    assert "ε = 1, δ = 1e-6, sensitivity 1, loss l1" in words
    assert words.count("proven") == 2 and "not proven" not in words
    guess = design(sensitivity=1, epsilon=1, delta=0.2, gap=1, loss=Custom(abs, convex=True))
    assert " ".join(Text(guess._repr_html_()).words).count("not proven") >= 2


def test_a_report_in_one_line_or_in_a_table(shown):
    report = shown["report"]
    assert repr(report) == f"Report(all {len(report.claims)} claims proven)"
    assert len(repr(report.claims)) < 1000
    guess = design(
        sensitivity=1, epsilon=1, delta=0.2, gap=1, loss=Custom(abs, convex=True)
    ).verify()
    assert "privacy proven" in repr(guess) and "lower not checked" in repr(guess)


def test_a_name_cannot_write_a_page():
    made = design(
        sensitivity=1, epsilon=1, delta=0.2, gap=1, loss=Custom(abs, name="<b>x</b>", convex=True)
    )
    assert "<b>x</b>" not in made._repr_html_()


def test_a_long_sweep_is_cut():
    table = sweep(budget_grid([k / 10 for k in range(1, 31)], [0.3], gap=0.5, sensitivity=1))
    page = table._repr_html_()
    assert "... 6 more ..." in page and page.count("<tr>") == 26


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (4e-12, "below 0.0001%"),
        (0.0, "0%"),
        (0.00094, "0.094%"),
        (0.000941, "0.095%"),
        (1e-3, "0.1%"),
        (0.01, "1%"),
        (0.163, "17%"),
        (2.5, "250%"),
        (float("inf"), "unbounded"),
    ],
)
def test_gaps_as_people_write_them(gap, words):
    assert percent(gap) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1e-6, "1e-6"),
        (0.05, "0.05"),
        (1.0, "1"),
        (123456.0, "123456"),
        (1234567.0, "1234570"),
        (1e12, "1e12"),
        (0.0, "0"),
    ],
)
def test_numbers_as_people_write_them(value, words):
    assert number(value) == words


def test_budgets_as_people_write_them():
    many = tuple((Fraction(k), Fraction(1, 10**k)) for k in range(4))
    assert words_of(many) == "4 budgets from (0, 1) to (3, 0.001)"
    assert words_of(many[1:3]) == "[(1, 0.1), (2, 0.01)]"
