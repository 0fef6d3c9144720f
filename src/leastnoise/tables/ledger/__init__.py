"""The budget of a table, kept where a crash cannot lose it and two processes cannot share it.

A charge is durable before any noise is drawn; a budget that is spent refuses. See `Ledger`.
"""

from pathlib import Path

from .filters import COMPOSITIONS
from .ledger import Balance, Charge, History, Ledger

__all__ = ["COMPOSITIONS", "Balance", "Charge", "History", "Ledger", "as_ledger"]


def as_ledger(ledger: Ledger | str | Path | None) -> Ledger | None:
    """A ledger, or the one of a path."""
    return Ledger(ledger) if isinstance(ledger, (str, Path)) else ledger
