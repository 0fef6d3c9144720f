"""A shelf of mechanism files: a certified bracket at once for any budget near those on it.

Noise that is private at a smaller budget is private at a larger one, and multipliers prove a bound
at any budget; so the files of a folder (of a sweep, or of `Shelf.design`) bracket every budget
between them. Nothing on the shelf is believed: what a file claims only says which to open first,
and what is returned has passed the exact check at the budget that was asked for. Why scaled and
moved files prove what they do: `shelf.proof.md`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, Unpack, cast

from .certify import AdditiveFile, ShiftCertificate, ShiftMultipliers, check, parse
from .certify.fields import read_number, read_positive
from .certify.json_file import load_json, read_bytes
from .design import Design
from .designs.finished import designed, finished
from .engine.bounds import Lower, Upper, certified, joined, noise_file, proven
from .engine.methods import plan_of
from .engine.search import Search
from .errors import ArgumentError, LeastnoiseError
from .formatting import gap_words
from .losses import Loss
from .noise import AdditiveNoise
from .problem import Problem
from .problem.arguments import Arguments, DesignRequest, PlainArguments, asked
from .work import counted

#: How many files are opened for a bound, the most promising first.
_OPENED = 4
#: The power of the sensitivity that a loss grows by; others are not scaled.
_POWERS = {"l1": 1, "pinball": 1, "l2": 2}

T = TypeVar("T", Lower, Upper)


@dataclass(frozen=True)
class _Label:
    """What a file says about itself: where to look, not what to believe."""

    path: Path
    integer: bool
    loss: str
    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    lower: Fraction
    upper: Fraction


class Shelf:
    """The mechanism files of a folder, for additive noise at one budget.

    `known` returns a proven bracket at once, or None; `design` refines it and keeps the result.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise ArgumentError("folder", str(folder), "a folder with mechanism files")
        paths = sorted(self.folder.glob("*.json"))
        self._labels = [label for path in paths if (label := _label(path)) is not None]

    def __len__(self) -> int:
        return len(self._labels)

    def known(self, **given: Unpack[PlainArguments]) -> Design[AdditiveNoise] | None:
        """A design whose bracket comes from the shelf alone; None if no file serves the budget.

        Guarantee: as that of every design, checked exactly at this budget. How wide the bracket
        is depends on how near the files are.
        """
        wanted = _asked(given)
        problem = wanted.problem
        lower, upper = self._bounds(problem)
        if upper is None or lower is None:
            return None
        document = joined(lower, upper, exact=True)
        status = f"from a shelf of {len(self)} files; {gap_words(document, True)}"
        return designed(document, problem.loss, wanted.gap, status)

    def design(self, **given: Unpack[PlainArguments]) -> Design[AdditiveNoise]:
        """`leastnoise.design`, which begins with what the shelf knows; the result joins it."""
        wanted = _asked(given)
        search = Search(plan_of(wanted), wanted.gap, wanted.time_limit)
        search.bracket.offer(*self._bounds(wanted.problem), "shelf")
        design = finished(wanted, search)
        self._keep(design)
        return design

    def _keep(self, design: Design[AdditiveNoise]) -> None:
        noise = design.document
        numbers = [float(x) for x in (noise.epsilon, noise.delta, noise.sensitivity)]
        kind = "integer" if noise.integer else "real"
        name = "-".join([kind, str(design.loss), *(f"{x:.12g}" for x in numbers)])
        safe = "".join(c if c.isalnum() or c in "-.+" else "_" for c in name)
        path = Path(design.save(self.folder / f"{safe}.json"))
        label = _label(path)
        if label is not None:
            self._labels = [*(other for other in self._labels if other.path != path), label]

    # -- bounds -------------------------------------------------------------------------------

    def _bounds(self, problem: Problem) -> tuple[Lower | None, Upper | None]:
        """The best of what the most promising files prove at the question's budget."""
        name = _spec(problem.loss)
        power = 0 if problem.integer else _POWERS.get(problem.loss.spec()["name"], 0)
        same = [
            label
            for label in self._labels
            if (label.integer, label.loss) == (problem.integer, name)
            and (power or label.sensitivity == problem.sensitivity)
        ]

        def scaled(label: _Label, value: Fraction) -> Fraction:
            return value * (problem.sensitivity / label.sensitivity) ** power

        def promised(label: _Label) -> Fraction:
            # Multipliers for a smaller delta lose a little at a larger one.
            spent = max(Fraction(0), problem.delta - label.delta)
            return scaled(label, label.lower) * (1 - 2 * spent)

        below = [label for label in same if label.epsilon >= problem.epsilon]
        above = [
            label
            for label in same
            if label.epsilon <= problem.epsilon and label.delta <= problem.delta
        ]
        below.sort(key=promised, reverse=True)
        above.sort(key=lambda label: scaled(label, label.upper))
        lowers = self._proven(below, lambda document: _lower(document, problem, power))
        uppers = self._proven(above, lambda document: _upper(document, problem, power))
        return (
            max(lowers, key=lambda bound: bound.value, default=None),
            min(uppers, key=lambda bound: bound.value, default=None),
        )

    def _proven(
        self, labels: list[_Label], bound: Callable[[AdditiveFile], T | None]
    ) -> Iterator[T]:
        for label in labels[:_OPENED]:
            try:
                with counted():  # a file that takes long proves nothing
                    document = parse(read_bytes(label.path))
                    # It may not be the file that the label was read from.
                    same = (document.integer, _spec(document.loss)) == (label.integer, label.loss)
                    proven_bound = bound(document) if same else None
            except LeastnoiseError:
                continue  # not a mechanism file after all: nothing is believed
            if proven_bound is not None:
                yield proven_bound


def _asked(given: PlainArguments) -> DesignRequest[Problem]:
    return asked(Arguments.of(given, PlainArguments.__annotations__, "a shelf"))


def _spec(loss: Loss) -> str:
    """A loss in one text."""
    return json.dumps(loss.spec(), sort_keys=True)


def _label(path: Path) -> _Label | None:
    try:
        data: Any = load_json(read_bytes(path))
        if data["kind"] not in ("additive", "integer") or set(data) & _DEMANDS:
            return None
        return _Label(
            path,
            data["kind"] == "integer",
            json.dumps(data["loss"], sort_keys=True),
            read_number(data["epsilon"], "epsilon"),
            read_number(data["delta"], "delta"),
            read_positive(data["sensitivity"], "sensitivity"),
            read_number(data["lower"], "lower"),
            read_number(data["upper"], "upper"),
        )
    except (LeastnoiseError, KeyError, TypeError):
        return None


#: Files with more than one budget and a loss answer other questions.
_DEMANDS = {"constraints", "profile", "gdp", "releases"}


def _plain(document: AdditiveFile) -> bool:
    return not (document.constraints or document.profile or document.gdp or document.releases)


def _lower(document: AdditiveFile, problem: Problem, power: int) -> Lower | None:
    """What the multipliers of a file prove at another budget, scaled to its sensitivity."""
    old = document.certificate
    if not isinstance(old, ShiftCertificate) or old.points or not _plain(document):
        return None
    ratio = problem.sensitivity / document.sensitivity
    grown = ratio**power
    shifts = tuple(
        ShiftMultipliers(
            part.shift,
            part.mirror,
            part.budget * grown,
            tuple((i, z * grown) for i, z in part.cells),
        )
        for part in old.shifts
    )
    certificate = ShiftCertificate(old.step * ratio, old.reach, shifts)
    n = int(problem.sensitivity / certificate.step)
    return proven(problem, certificate, n)


def _upper(document: AdditiveFile, problem: Problem, power: int) -> Upper | None:
    """The noise of a file at another budget, scaled to its sensitivity, if it is private there."""
    if not _plain(document):
        return None
    ratio = problem.sensitivity / document.sensitivity
    noise = replace(cast(Any, document.noise), step=document.noise.step * ratio)
    moved = noise_file(problem, noise)
    moved = replace(moved, upper=document.upper * ratio**power)
    if not check(moved).private:  # nor is it, if the weights are no distribution
        return None
    n = noise.shifts(problem)
    return certified(moved, "shelf", loss=problem.loss, resolution=n)


__all__ = ["Shelf"]
