"""Pickling and copying designs: a pickle holds the mechanism file, and reading it checks it again.

So worker processes can be handed designs, and a pickle with other weights or other bounds in it
gives no design. (Reading a pickle from a stranger runs what it says, as everywhere in Python:
hand over mechanism files instead.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self

from ..errors import CertificateError


class PickledAsFile:
    """A frozen design: its copies are itself, its pickle is its mechanism file."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        design: Any = self
        own = getattr(design.document, "loss", None) is None
        loss = getattr(design, "loss", None) if own else None
        return restored, (
            design.document.dumps(),
            None if loss is None or loss.certified else loss,
            design.converged,
            design.status,
            dict(design.stats),
        )

    def __setstate__(self, state: Any) -> None:
        raise CertificateError("a design is read from its mechanism file, not from a state")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


def restored(text: str, loss: Any, converged: bool, status: str, stats: dict[str, Any]) -> Any:
    """The design of a mechanism file's text, checked as `load` checks a file.

    The rest is not claimed to be proven; a loss counts only if it is a Python function, which no
    file holds.
    """
    from ..certify import check_any, parse_any
    from ..design import loaded

    document = parse_any(text)
    found = loaded(document, check_any(document), "pickled design", status)
    kept: dict[str, Any] = {
        "converged": bool(converged),
        "status": str(status),
        "stats": MappingProxyType(dict(stats)),
    }
    if loss is not None:
        if getattr(found, "loss", None) is not None or loss.certified is not False:
            raise CertificateError("pickled design: the loss is not the one of the mechanism file")
        kept["loss"] = loss
    return replace(found, **kept)
