"""Every query, once: its text, its arguments in files, and its web form follow from its class.

To add a query, write its file (`base.py` says what a query states) and add its line here;
CONTRIBUTING says where else it is named.
"""

from __future__ import annotations

from .base import Query
from .count import Count
from .coverage import Coverage
from .cumulative import Cumulative, RangeCounts
from .histogram import Histogram
from .marginals import Marginals
from .mean import Mean
from .mean_vector import MeanVector
from .proportion import Proportion
from .quantile import Median, Quantile
from .quantiles import Bounds, Quantiles
from .sum import Sum
from .summary import Summary
from .variance import Variance

#: In the order in which they are listed.
QUERIES: tuple[type[Query], ...] = (
    Count,
    Sum,
    Mean,
    Summary,
    MeanVector,
    Variance,
    Median,
    Quantile,
    Quantiles,
    Bounds,
    Histogram,
    Cumulative,
    RangeCounts,
    Marginals,
    Proportion,
    Coverage,
)


def words() -> tuple[str, ...]:
    """Their words in a text; a word can be that of several classes."""
    return tuple(dict.fromkeys(kind.word for kind in QUERIES))


def kinds_of(word: str) -> tuple[type[Query], ...]:
    """The classes with this word; none if it is no query's."""
    return tuple(kind for kind in QUERIES if kind.word == word)


def classes() -> dict[str, type[Query]]:
    """The classes by name, as files know them."""
    return {kind.__name__: kind for kind in QUERIES}


def offered() -> dict[str, type[Query]]:
    """Those that the web app offers, by word; a second class with a word has it in the plural."""
    titled = [kind for kind in QUERIES if kind.title]
    return {
        kind.word if kind is kinds_of(kind.word)[0] else f"{kind.word}s": kind for kind in titled
    }
