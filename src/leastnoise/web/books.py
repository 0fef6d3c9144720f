"""A ledger in plain values."""

from __future__ import annotations

from typing import Any

from ..ledger import Ledger


def balance_of(ledger: Ledger) -> dict[str, Any]:
    """What it allows, what is spent and left, and every charge."""
    state = ledger.balance
    return {
        "epsilon": float(state.epsilon),
        "delta": float(state.delta),
        "composition": state.composition,
        "spent_epsilon": float(state.spent_epsilon),
        "spent_delta": float(state.spent_delta),
        "left_epsilon": float(state.left_epsilon),
        "left_delta": float(state.left_delta),
        "protects": state.protects,
        "closed": state.closed,
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
