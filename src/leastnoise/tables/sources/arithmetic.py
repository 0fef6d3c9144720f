"""Sums and quotients of integers that an engine computes exactly. Proof: `bounding.proof.md`."""

from __future__ import annotations

from typing import Any


def sum_of(value: str) -> str:
    """The sum as a 64-bit number, whatever wider type the engine adds up in."""
    return f"CAST(SUM({value}) AS BIGINT)"


def double_of(engine: Any) -> str:
    """The name of its type of doubles."""
    return str(engine.double)


def quotient(engine: Any, total: str, count: str) -> str:
    """floor(total / count) for integers >= 0: what is divided is a multiple of count."""
    multiple = f"CAST({total} - {total} % {count} AS {engine.double})"
    exact = f"{multiple} / CAST({count} AS {engine.double}) + {engine.real(0.5)}"
    return f"CAST(FLOOR({exact}) AS BIGINT)"


def spread_rows(engine: Any, most: int) -> str:
    """Of n rows in the order of their cells, how many of R evenly spread ones are in a cell.

    t of them are in cells up to this one, c in it: round(t R/n) - round((t - c) R/n).
    """
    count = f"GREATEST(n, {engine.whole(1)})"
    upto, before = (
        quotient(engine, f"({rows} * {engine.whole(2 * most)} + {count})", f"({count} * 2)")
        for rows in ("t", "(t - c)")
    )
    return f"{upto} - {before}"
