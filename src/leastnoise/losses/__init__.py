"""The losses c(x): what an error x = output - true value costs.

`base` says what every loss promises; `piecewise`, `power`, `huber`, `sum` and `custom` hold one
kind each; `names` reads them. Standard library only: the checker rests on this package.
"""

from .base import Loss, Polynomial
from .custom import Custom, UnstatedLoss
from .huber import Huber
from .names import MAX_POINTS, MAX_TERMS, NAMED, PIECEWISE_FILE, TYPED, as_loss, loss_from_spec
from .piecewise import L1, Piecewise, Pinball
from .power import L2, Power
from .weighted_sum import WeightedSum

__all__ = [
    "L1",
    "L2",
    "MAX_POINTS",
    "MAX_TERMS",
    "NAMED",
    "PIECEWISE_FILE",
    "TYPED",
    "Custom",
    "Huber",
    "Loss",
    "Piecewise",
    "Pinball",
    "Polynomial",
    "Power",
    "UnstatedLoss",
    "WeightedSum",
    "as_loss",
    "loss_from_spec",
]
