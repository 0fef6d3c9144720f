"""Who keeps the books: a ledger, or an accountant as diffprivlib has it.

The budget of a fit is charged after everything that can be refused has been checked and before the
first noise is drawn, so a crash can waste budget and cannot leak it.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, BudgetError, Described
from ..tables.ledger import Ledger, as_ledger
from ..tables.queries.base import Setting
from ..tables.unit import Row

_ALLOWED = (
    "None, a Ledger, the path of a ledger, or an object with spend(epsilon, delta) such as "
    "diffprivlib's BudgetAccountant"
)


def check_accountant(accountant: Any) -> None:
    """`ArgumentError` if nothing can be charged to it."""
    known = accountant is None or isinstance(accountant, (Ledger, str, Path))
    if not known and not callable(getattr(accountant, "spend", None)):
        raise ArgumentError("accountant", Described(type(accountant).__name__), _ALLOWED)


def charge(
    accountant: Any, budget: tuple[Fraction, Fraction] | None, what: str, neighbors: str
) -> None:
    """Spend the budget of one fit; None is a fit without noise, which no ledger allows.

    Without an accountant it goes to diffprivlib's default one, where that library is in use: a
    `with BudgetAccountant(...)` counts our models as it counts its own.
    """
    if accountant is None:
        theirs = sys.modules.get("diffprivlib.accountant")
        accountant = theirs.BudgetAccountant.load_default(None) if theirs is not None else None
    accountant = as_ledger(accountant)
    if isinstance(accountant, Ledger):
        if budget is None:
            raise BudgetError("no budget allows a fit without noise; nothing was computed")
        accountant.charge(*budget, query=what, protects=Setting(Row(), neighbors).protects)
    elif accountant is not None:
        epsilon, delta = (math.inf, Fraction(0)) if budget is None else budget
        accountant.spend(float(epsilon), float(delta))
