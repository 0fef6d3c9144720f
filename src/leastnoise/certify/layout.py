"""How mechanism files of each kind are read and written: the keys of each part, in their order.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .base import FORMAT, MechanismFile, head_of, reading
from .codec import ABOUT, FILE, Codec, Record
from .fields import check_bracket, check_keys

if TYPE_CHECKING:
    from .certificates.base import Certificate

T = TypeVar("T")


class Cases(Generic[T]):
    """One of several dataclasses, told apart by the keys of the whole file.

    which: the record for a file's JSON object.
    """

    def __init__(self, which: Callable[[dict[str, Any]], Record[Any]], *cases: Record[Any]) -> None:
        self.which, self.records = which, cases
        self._written = {case.cls: case for case in cases}

    def of(self, value: T) -> Record[Any]:
        """The record of a value."""
        return self._written[type(value)]


def by_key(part: str, otherwise: Record[Any], **cases: Record[Any]) -> Cases[Any]:
    """One of several dataclasses, told apart by the first of these keys that an object has.

    part: the key of that object in the file.
    """

    def which(data: dict[str, Any]) -> Record[Any]:
        inside = data.get(part)
        inside = inside if isinstance(inside, dict) else {}
        return next((case for key, case in cases.items() if key in inside), otherwise)

    return Cases(which, otherwise, *cases.values())


@dataclass(frozen=True)
class Layout:
    """How files of some kinds are read and written: the keys of each part, and their order.

    problem: keys that state the problem; "kind" may be among them.
    noise: those of the noise; "noise" itself and what stands beside it.
    certificate: how it is read; a record has keys of the file, "certificate" among them. None
        where files have no such key.
    """

    kinds: tuple[str, ...]
    problem: Record[Any]
    noise: Cases[Any]
    certificate: Codec[Any] | None
    order: tuple[str, ...]
    upper: Codec[Fraction] = field(kw_only=True)
    lower: Codec[Fraction] = field(kw_only=True)
    missing: Certificate[Any] | None = None  # what a file without "certificate" has

    def read(self, raw: object) -> MechanismFile[Any, Any, Any]:
        """The file in a JSON object; `FormatError` if it is not one."""
        with reading():
            data = head_of(raw, self.kinds)
            noise = self.noise.which(data)
            required = self.problem.required | noise.required | {"format", "kind", "upper", "lower"}
            optional = self.problem.optional | noise.optional | {"about"}
            if isinstance(self.certificate, Record):
                required |= self.certificate.required
                optional |= self.certificate.optional
            elif self.certificate is not None:
                (required if self.missing is None else optional).add("certificate")
            check_keys(data, FILE, required, optional)
            file = MechanismFile(
                data["kind"],
                self.problem.made(data, FILE),
                noise.made(data, FILE),
                self.upper.read(data["upper"], "upper"),
                self.lower.read(data["lower"], "lower"),
                self._certificate(data),
                ABOUT.read(data["about"], "about") if "about" in data else "",
            )
            check_bracket(file.lower, file.upper)
            file.noise.check_problem(file.problem)
            file.certificate.check_problem(file.problem)
            file.certificate.check_noise(file.problem, file.noise)
            return file

    def _certificate(self, data: dict[str, Any]) -> Any:
        if isinstance(self.certificate, Record):
            return self.certificate.made(data, FILE)
        if self.certificate is None or "certificate" not in data:
            return self.missing
        return self.certificate.read(data["certificate"], "certificate")

    def write(self, file: MechanismFile[Any, Any, Any]) -> dict[str, Any]:
        """The JSON object of a file."""
        data: dict[str, Any] = {"format": FORMAT, "kind": file.kind}
        data |= self.problem.write(file.problem) | self.noise.of(file.noise).write(file.noise)
        data |= {"upper": self.upper.write(file.upper), "lower": self.lower.write(file.lower)}
        if isinstance(self.certificate, Record):
            data |= self.certificate.write(file.certificate)
        elif self.certificate is not None and file.certificate != self.missing:
            data["certificate"] = self.certificate.write(file.certificate)
        if file.about:
            data["about"] = ABOUT.write(file.about)
        first = ("format", "kind", *self.order)
        rest = [key for key in data if key not in first]
        return {key: data[key] for key in (*first, *rest) if key in data}
