"""Queries about tables: private answers, the budget that they spend, and reports of them.

The engine adds up exactly and bounds what each unit can do; the noise is drawn once, centrally.
"""

from .answer import Answer
from .ask import ask
from .contributions import compare_units
from .planning.planner import Plan, plan
from .queries.base import PRIVATE, Query
from .queries.count import Count
from .queries.coverage import Coverage
from .queries.cumulative import Cumulative, RangeCounts
from .queries.histogram import Histogram
from .queries.marginals import Marginals
from .queries.mean import Mean
from .queries.mean_vector import MeanVector
from .queries.proportion import Proportion
from .queries.quantile import Median, Quantile
from .queries.quantiles import Bounds, Quantiles
from .queries.sum import Sum
from .queries.summary import Summary
from .queries.text import query_of
from .queries.variance import Variance
from .reports.report import PublishedReport, report
from .sources.csv_file import CsvFile
from .sources.excel_file import ExcelFile
from .unit import PrivacyUnit, Row
from .workload import ask_all, plan_all

__all__ = [
    "PRIVATE",
    "Answer",
    "Bounds",
    "Count",
    "Coverage",
    "CsvFile",
    "Cumulative",
    "ExcelFile",
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
    "Quantiles",
    "Query",
    "RangeCounts",
    "Row",
    "Sum",
    "Summary",
    "Variance",
    "ask",
    "ask_all",
    "compare_units",
    "plan",
    "plan_all",
    "query_of",
    "report",
]
