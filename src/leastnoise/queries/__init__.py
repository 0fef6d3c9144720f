"""Questions about tables: counts, totals, means, variances, quantiles, histograms, shares.

The engine adds up exactly and bounds what each unit can do; the noise is drawn once, centrally.
"""

from .answer import Answer
from .ask import ask
from .base import PRIVATE, Query
from .count import Count
from .csv_file import CsvFile
from .cumulative import Cumulative, RangeCounts
from .histogram import Histogram
from .marginals import Marginals
from .mean import Mean
from .mean_vector import MeanVector
from .planner import Plan, plan
from .proportion import Proportion
from .published import PublishedReport, report
from .quantile import Median, Quantile
from .sum import Sum
from .text import query_of
from .unit import PrivacyUnit, Row
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
    "Plan",
    "PrivacyUnit",
    "Proportion",
    "PublishedReport",
    "Quantile",
    "Query",
    "RangeCounts",
    "Row",
    "Sum",
    "Variance",
    "ask",
    "ask_all",
    "plan",
    "plan_all",
    "query_of",
    "report",
]
