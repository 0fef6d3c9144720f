"""What somebody writes on a mechanism file: kept with it, never believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..certify.about import about_text
from ..certify.base import AnyFile
from ..errors import ArgumentError, Described, FormatError

D = TypeVar("D", bound=AnyFile)


def with_about(document: D, about: Mapping[str, Any] | None) -> D:
    """The document with this written on it; None: as it is."""
    if about is None:
        return document
    try:
        parts: Any = document  # (every kind is a dataclass of its own)
        written: D = replace(parts, about=about_text(about))
        return written
    except FormatError as error:
        words = str(error).removeprefix('"about" must ').removeprefix("be ")
        raise ArgumentError("about", Described(type(about).__name__), words) from None
