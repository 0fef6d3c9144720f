"""Pickling and copying designs: a pickle holds the mechanism file, and reading it checks it again.

So worker processes can be handed designs, and a pickle with other weights or other bounds in it
gives no design. (Reading a pickle from a stranger runs what it says, as everywhere in Python:
hand over mechanism files instead.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from ..certify.base import AnyFile
from ..errors import CertificateError
from ..losses import Loss


class PickledAsFile:
    """A frozen design: its copies are itself, its pickle is its mechanism file."""

    if TYPE_CHECKING:  # (fields of the design, in its own order)
        document: AnyFile
        loss: Loss | None
        converged: bool
        status: str
        stats: Mapping[str, Any]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        function = self.loss is not None and not self.loss.certified
        return restored, (
            self.document.dumps(),
            self.loss if function else None,
            self.converged,
            self.status,
            dict(self.stats),
        )

    def __setstate__(self, state: Any) -> None:
        raise CertificateError("a design is read from its mechanism file, not from a pickled state")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


def restored(
    text: str, loss: Loss | None, converged: bool, status: str, stats: dict[str, Any]
) -> Any:
    """The design of a mechanism file's text, checked as `load` checks a file.

    The rest is not claimed to be proven; a loss counts only if it is a Python function, which no
    file holds.
    """
    from ..certify import check, parse_any
    from ..design import loaded

    document = parse_any(text)
    design = loaded(document, check(document), "pickled design", status)
    told: dict[str, Any] = {
        "converged": bool(converged),
        "status": str(status),
        "stats": MappingProxyType(dict(stats)),
    }
    if loss is not None:
        if design.loss is not None or loss.certified is not False:
            raise CertificateError("pickled design: the loss is not the one of the mechanism file")
        told["loss"] = loss
    return replace(design, **told)
