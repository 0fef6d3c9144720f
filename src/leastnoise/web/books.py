"""A ledger in plain values."""

from __future__ import annotations

from typing import Any

from ..tables.ledger import Ledger


def balance_of(ledger: Ledger) -> dict[str, Any]:
    """What it allows, what is spent and left, and every charge."""
    return {
        **ledger.balance.to_json(),
        "history": [
            {
                "id": one.id,
                "time": one.time,
                "epsilon": float(one.epsilon),
                "delta": float(one.delta),
                "query": one.query,
                "mechanism": one.mechanism,
            }
            for one in ledger.history()
        ],
    }
