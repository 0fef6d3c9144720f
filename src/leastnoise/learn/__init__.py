"""Private classifiers for scikit-learn (extra `estimators`).

One `fit` is one (epsilon, delta)-private computation; `privacy_` says what was released, with which
noise, and what is taken for granted.
"""

from .logistic import DPLogisticRegression, gradient_sum
from .naive_bayes import DPNaiveBayes
from .privacy import Privacy, StatisticRelease
from .statistics import BayesStatistics, bayes_statistics

__all__ = [
    "BayesStatistics",
    "DPLogisticRegression",
    "DPNaiveBayes",
    "Privacy",
    "StatisticRelease",
    "bayes_statistics",
    "gradient_sum",
]
