"""Puts a file before the checker and compares every claim it accepts with the evaluator."""

from __future__ import annotations

import copy
import json
import math
import signal
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import forged_feasible
from forged_claims import additive_truth, own_cost
from forged_dependent import Channel, dependent_truth
from forged_loss import Unknown, Unreadable, number

from leastnoise.certify import NOT_CHECKED, PROVEN, REFUTED, Report, check_file
from leastnoise.errors import FormatError

SLOW = 5.0  # processor seconds that any check may take
HANGS = 20.0  # when a check is stopped


class Stopped(BaseException):
    """The check took so long that it was stopped."""


@dataclass
class Tally:
    """What became of all files: counts by outcome, and every failure with its file."""

    counts: Counter[str] = field(default_factory=Counter)
    claims: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    slowest: float = 0.0

    def fail(self, what: str, why: str, text: str) -> None:
        self.counts[what] += 1
        self.failures.append((what, why, text))

    def __str__(self) -> str:
        lines = [f"{self.counts['files']} files, slowest {self.slowest:.2f} s"]
        lines += [f"  {name}: {count}" for name, count in sorted(self.counts.items())]
        lines += [f"  accepted {name}: {count}" for name, count in sorted(self.claims.items())]
        lines += [f"  {what}: {why}\n    {text[:3000]}" for what, why, text in self.failures[:40]]
        return "\n".join(lines)


def examine(text: str) -> tuple[Report | None, str, float]:
    """The checker's report (None if malformed, or worse), what happened, and how long it took."""

    def stop(*_: object) -> None:
        raise Stopped

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        path.write_text(text)
        previous = signal.signal(signal.SIGVTALRM, stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
        begun = time.process_time()
        report, what = None, "malformed"
        try:
            report = check_file(path)
            report.to_json()
            what = {0: "proven", 1: "refuted", 3: "not checked"}[report.exit_code]
        except FormatError:
            pass
        except Stopped:
            what = "stopped"
        except Exception:
            what = "traceback " + traceback.format_exc()[-700:]
        finally:
            taken = time.process_time() - begun
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, previous)
    return report, what, taken


def judge(document: dict[str, Any] | str, tally: Tally, why: str) -> Report | None:
    """Check one file, compare what was accepted with the truth, and count."""
    text = document if isinstance(document, str) else json.dumps(document)
    report, what, taken = examine(text)
    tally.counts["files"] += 1
    tally.slowest = max(tally.slowest, taken)
    if what.startswith("traceback"):
        tally.fail("traceback", f"{why}: {what}", text)
        return None
    tally.counts[what] += 1
    if taken > SLOW:
        tally.fail("slow", f"{why}: {taken:.1f} s", text)
    if report is None:
        return None
    accepted = [c.name for c in report.claims if c.verdict == PROVEN]
    tally.claims.update(accepted)
    try:
        for name in falsehoods(json.loads(text), report, tally):
            tally.fail("false", f"{why}: {name} proven, but false", text)
    except (Unreadable, KeyError, TypeError) as error:
        tally.fail("lenient", f"{why}: accepted, but the format forbids it: {error!r}", text)
    return report


def falsehoods(document: dict[str, Any], report: Report, tally: Tally) -> list[str]:
    """The claims that the checker accepted and that are false."""
    dependent = document["kind"] == "dependent"
    truth = dependent_truth(document) if dependent else additive_truth(document)
    left = list(report.claims)
    found = []
    for name, true in truth:
        claim = next((c for c in left if c.name.replace("_", "-") == name.replace("_", "-")), None)
        if claim is None:
            found.append(f"no claim {name}")
            continue
        left.remove(claim)
        if true is None and claim.verdict == PROVEN:
            tally.counts["accepted, not evaluated"] += 1
        if claim.verdict == PROVEN and true is False and (name != "releases" or report.private):
            found.append(name)  # `releases` says what follows from the budgets, if they are kept
    lower = next(c for c in report.claims if c.name == "lower")
    if lower.verdict == PROVEN:
        obeys = [true for name, true in truth if name != "upper"]
        composed = next((c.verdict for c in report.claims if c.name == "releases"), PROVEN)
        mine = bool(truth) and all(obeys) and composed == PROVEN
        found += _too_high(document, mine, dependent, tally)
    return found


def _too_high(document: dict[str, Any], mine: bool, dependent: bool, tally: Tally) -> list[str]:
    """Whether noise is known that costs less than `lower`."""
    lower = number(document["lower"])
    if lower <= 0:
        return []
    costs = {}
    try:
        if mine:
            costs["the file's own noise"] = (
                Channel(document).average() if dependent else own_cost(document)
            )
    except (Unknown, OverflowError):
        tally.counts["accepted, not evaluated"] += 1
    try:
        costs["other noise"] = forged_feasible.cost(document) * (1 + 3e-6) + 1e-8
    except (Unknown, OverflowError):
        tally.counts["lower without a baseline"] += 1
    return [
        f"lower ({name} costs {cost:.9g}, not {float(lower):.9g})"
        for name, cost in costs.items()
        if float(lower) > cost * (1 + 1e-9) + 1e-13
    ]


def decimal(value: Fraction, up: bool, digits: int = 40) -> str:
    """A decimal close to the value, not below it (`up`) or not above."""
    scaled = value * 10**digits
    whole = math.ceil(scaled) if up else math.floor(scaled)
    sign, whole = ("-" if whole < 0 else ""), abs(whole)
    return f"{sign}{whole // 10**digits}.{whole % 10**digits:0{digits}d}"


def sharpened(document: dict[str, Any], report: Report) -> dict[str, Any] | None:
    """The same file with `lower`, `upper` and the bound on instances as far as the checker goes."""
    made = copy.deepcopy(document)
    slacks = {
        c.name: c.slack
        for c in report.claims
        if c.slack is not None and c.verdict in (PROVEN, REFUTED) and c.verdict != NOT_CHECKED
    }
    if not slacks:
        return None
    for key, name, up in (
        ("upper", "upper", True),
        ("instance_bound", "instance", True),
        ("lower", "lower", False),
    ):
        if name in slacks and key in made:
            value = number(made[key]) + (-slacks[name] if up else slacks[name])
            if abs(value) > 10**300:
                return None
            made[key] = decimal(value, up)
    if number(made["lower"]) > number(made["upper"]):
        made["upper"] = made["lower"]
    return made


def sharpened_delta(document: dict[str, Any], report: Report) -> dict[str, Any] | None:
    """The same file with the least delta that the checker takes."""
    slack = next((c.slack for c in report.claims if c.name == "privacy"), None)
    if slack is None or "gdp" in document:
        return None
    delta = number(document["delta"]) - slack
    return {**copy.deepcopy(document), "delta": decimal(delta, True)} if 0 <= delta < 1 else None
