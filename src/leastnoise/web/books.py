"""A ledger in plain values."""

from __future__ import annotations

from typing import Any

from ..tables.ledger import Ledger


def balance_of(ledger: Ledger) -> dict[str, Any]:
    """What it allows, what is spent and left, and every charge."""
    return {
        **ledger.balance.to_json(),
        "history": [charge.to_json() for charge in ledger.history()],
    }
