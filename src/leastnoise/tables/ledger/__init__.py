"""The budget of a table, kept where a crash cannot lose it and two processes cannot share it.

A charge is durable before any noise is drawn; a budget that is spent refuses. See `Ledger`.
"""

from .filters import COMPOSITIONS
from .ledger import Balance, Charge, History, Ledger

__all__ = ["COMPOSITIONS", "Balance", "Charge", "History", "Ledger"]
