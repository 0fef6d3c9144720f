"""One registry of queries: texts, arguments in files, the command line and the web app follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import leastnoise.tables
from leastnoise.cli.tables import _QUERIES as HELP
from leastnoise.tables import query_of
from leastnoise.tables.queries.arguments import arguments_of, query_from
from leastnoise.tables.queries.registry import QUERIES, words
from leastnoise.web.questions import offers

SCRIPT = Path(leastnoise.__file__).parent / "web" / "static" / "questions.js"
#: A text for each class, as short as it can be.
TEXTS = {
    "Count": "count()",
    "Sum": "sum(x, low=0, high=1)",
    "Mean": "mean(x, low=0, high=1)",
    "Summary": "summary(x, low=0, high=1)",
    "MeanVector": "mean(x, y, low=0, high=1)",
    "Variance": "variance(x, low=0, high=1)",
    "Median": "median(x, low=0, high=1)",
    "Quantile": "quantile(x, 0.9, low=0, high=1)",
    "Quantiles": "quantiles(x, 0.1, 0.9, low=0, high=1)",
    "Bounds": "bounds(x)",
    "Histogram": "histogram(x, 3, low=0, high=1)",
    "Cumulative": "cumulative(x, 3, low=0, high=1)",
    "RangeCounts": "range_counts(x, 3, low=0, high=1)",
    "Marginals": "marginals(a, b, ways=1)",
    "Proportion": "proportion(x > 1)",
    "Coverage": "coverage(mean(x, low=0, high=1))",
}


@pytest.mark.parametrize("kind", QUERIES, ids=lambda kind: kind.__name__)
def test_a_query_can_be_written_as_text_and_as_arguments(kind):
    keys = {"keys": [["u"], ["v"]]} if kind.__name__ == "Marginals" else {}
    query = query_of(TEXTS[kind.__name__], **keys)
    assert type(query) is kind
    assert arguments_of(query_from(arguments_of(query))) == arguments_of(query)
    assert getattr(leastnoise, kind.__name__) is kind


def test_the_help_of_the_command_line_names_the_queries():
    named = set(re.findall(r"(\w+)\(", HELP))
    assert named <= set(words()) and set(words()) - named <= {"sum", "variance", "coverage"}


def test_the_web_app_offers_what_the_registry_says():
    every = {one.kind: one for one in offers()}
    assert {kind for kind in QUERIES if not kind.title} == {leastnoise.Coverage}  # (rests_on=)
    assert set(every) == {"means", *(kind.word for kind in QUERIES if kind.title)}
    assert every["mean"].fields == ["column", "low", "high"] and not every["mean"].optional
    assert every["count"].optional == ["column"] and every["bounds"].optional == ["levels"]
    assert every["histogram"].optional == ["bins"]
    labels = re.search(r"const LABELS = \{(.*?)\};", SCRIPT.read_text(), re.DOTALL).group(1)
    for one in every.values():
        asked = {*one.fields, *re.findall(r"\{(\w+)\}", one.phrase)}
        assert asked <= {*re.findall(r"(\w+):", labels)}


def test_every_query_says_what_its_answers_are_called():
    for kind in QUERIES:
        assert kind.phrase and set(re.findall(r"\{(\w+)\}", kind.phrase)) <= {*kind.arguments()}
