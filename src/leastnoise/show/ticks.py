"""Ticks as people write numbers, on logarithmic axes too."""

from __future__ import annotations

from typing import Any

from ..formatting import number


def few_ticks(axis: Any) -> None:
    """A handful of plain numbers: 1, 2, 5 over decades, even steps within one."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    low, high = axis.get_view_interval()
    if low > 0 and high / low > 8 and axis.get_scale() == "log":
        decades = high / low > 1e3
        axis.set_major_locator(LogLocator(subs=(1.0,) if decades else (1.0, 2.0, 5.0), numticks=6))
    else:
        axis.set_major_locator(MaxNLocator(5))
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axis.set_minor_formatter(NullFormatter())


def percent_ticks(axis: Any) -> None:
    """The same for shares, in percent."""
    from matplotlib.ticker import FuncFormatter

    few_ticks(axis)
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{number(100 * value)}%"))
