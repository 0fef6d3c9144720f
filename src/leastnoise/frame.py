"""Rows of results as a pandas data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import MissingExtraError


def data_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """A pandas.DataFrame of these rows, with these columns even if there is no row."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("pandas", "tables") from None
    return pandas.DataFrame(list(rows), columns=list(columns))
