"""Questions about tables: counts, totals, means, variances, quantiles, histograms, shares.

The engine adds up exactly and bounds what each unit can do; the noise is drawn once, centrally.
"""

from .answer import Answer
from .ask import ask
from .base import PRIVATE, Query
from .count import Count
from .csv_file import CsvFile
from .cumulative import Cumulative, Ranges
from .histogram import Histogram
from .marginals import Marginals
from .mean import Mean
from .mean_vector import MeanVector
from .planner import Plan, plan
from .published import PublishedReport, report
from .quantile import Median, Quantile
from .share import Share
from .text import query_of
from .total import Total
from .unit import Person, Row
from .variance import Variance
from .workload import ask_all, plan_all

__all__ = [
    "PRIVATE",
    "Answer",
    "Count",
    "CsvFile",
    "Cumulative",
    "Histogram",
    "Marginals",
    "Mean",
    "MeanVector",
    "Median",
    "Person",
    "Plan",
    "PublishedReport",
    "Quantile",
    "Query",
    "Ranges",
    "Row",
    "Share",
    "Total",
    "Variance",
    "ask",
    "ask_all",
    "plan",
    "plan_all",
    "query_of",
    "report",
]
