"""`leastnoise doctor`: what is installed, which extras are ready, and whether it works."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from ..errors import install_command
from .shared import JSON_HELP, say, show_json, working

#: Extras for tools, not for use.
_TOOLS = {"all", "dev", "docs"}
_REQUIREMENT = re.compile(r"^([\w.-]+)\s*(?:\[[^\]]*\])?\s*[^;]*(?:;\s*(.*))?$")
_EXTRA = re.compile(r"""extra\s*==\s*["']([\w-]+)["']""")


@dataclass(frozen=True)
class Extra:
    """An extra of this package and the packages it needs, with their versions (None: missing)."""

    name: str
    packages: tuple[tuple[str, str | None], ...]

    @property
    def ready(self) -> bool:
        """Whether every package is installed."""
        return all(version is not None for _, version in self.packages)


@dataclass(frozen=True)
class Check:
    """One part of the self-test; `ok` is None where it was left out."""

    name: str
    ok: bool | None
    detail: str


def doctor(as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False) -> None:
    """Report what is installed and which extras are ready, and test that everything works.

    The test designs noise for synthetic data, checks its proof, releases a number, charges a
    temporary ledger and counts the rows of a small DataFrame. Exit code 0: every check passed;
    1: a check failed. Missing extras do not count as failures.

    \b
    Example:
      leastnoise doctor
    """
    extras_here = extras()
    with working("testing"):
        checks = list(self_test())
    fine = all(check.ok is not False for check in checks)
    if as_json:
        show_json("doctor", 0 if fine else 1, _finding(extras_here, checks, fine))
    else:
        _print(extras_here, checks, fine)
    raise typer.Exit(0 if fine else 1)


def _finding(every: list[Extra], checks: list[Check], fine: bool) -> dict[str, Any]:
    return {
        "version": __version__,
        "python": platform.python_version(),
        "extras": [
            {
                "name": extra.name,
                "ready": extra.ready,
                "packages": [{"name": n, "version": v} for n, v in extra.packages],
            }
            for extra in every
        ],
        "checks": [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in checks],
        "ok": fine,
    }


def _print(every: list[Extra], checks: list[Check], fine: bool) -> None:
    say(f"leastnoise {__version__}, Python {platform.python_version()}, {platform.system()}")
    say("\nExtras")
    for extra in every:
        missing = [name for name, version in extra.packages if version is None]
        there = ", ".join(f"{name} {version}" for name, version in extra.packages if version)
        if missing:
            there = f"needs {', '.join(missing)}: {install_command(extra.name)}"
        say(f"  {'yes' if extra.ready else 'no':8}  {extra.name}: {there}")
    say("\nSelf-test")
    words = {True: "ok", False: "FAILED", None: "left out"}
    for check in checks:
        say(f"  {words[check.ok]:8}  {check.name}: {check.detail}")
    say(
        "\nEverything that is installed works." if fine else "\nSomething does not work: see above."
    )


def extras() -> list[Extra]:
    """The extras that this package declares, from its own metadata."""
    try:
        declared = importlib.metadata.requires("leastnoise") or []
    except importlib.metadata.PackageNotFoundError:  # run from a folder, not installed
        return []
    needs: dict[str, list[str]] = {}
    for requirement in declared:
        parts = _REQUIREMENT.match(requirement)
        extra = _EXTRA.search(parts[2] or "") if parts else None
        if parts and extra and extra[1] not in _TOOLS:
            needs.setdefault(extra[1], []).append(requirement)
    return [Extra(name, _packages(name, needs)) for name in sorted(needs)]


def _packages(
    extra: str, needs: dict[str, list[str]], above: tuple[str, ...] = ()
) -> tuple[tuple[str, str | None], ...]:
    """What an extra needs, other extras that it names included."""
    versions: dict[str, str | None] = {}
    for requirement in needs.get(extra, []):
        inner = re.match(r"leastnoise\[([\w, -]+)\]", requirement)
        if inner:
            names = [name.strip() for name in inner[1].split(",")]
            for name in names:
                if name not in above:
                    versions |= dict(_packages(name, needs, (*above, extra)))
            continue
        parts = _REQUIREMENT.match(requirement)
        if parts:
            versions[parts[1]] = _version(parts[1])
    return tuple(versions.items())


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


# -- the self-test ------------------------------------------------------------------------------


def self_test() -> Iterator[Check]:
    """Design, verify, release, charge and ask; without a design, two have nothing to test."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        designed, best = _try("design", lambda: _design(folder))
        yield designed
        if best is not None:
            yield _try("verify", lambda: _verify(folder))[0]
            yield _try("release", lambda: _release(best))[0]
        yield _try("ledger", lambda: _ledger(folder))[0]
        yield _try("table", _table)[0]


def _try(name: str, part: Callable[[], tuple[str, Any]]) -> tuple[Check, Any]:
    """A part of the test; whatever it raises is a finding, not a crash."""
    from ..errors import MissingExtraError

    try:
        detail, result = part()
    except MissingExtraError as error:
        return Check(name, None, str(error)), None
    except Exception as error:
        return Check(name, False, f"{type(error).__name__}: {error}"), None
    return Check(name, True, detail), result


def _design(folder: Path) -> tuple[str, Any]:
    from ..design import design

    best = design(epsilon=1, delta="1e-6", sensitivity=1, gap="0.01", time_limit=30)
    if not (best.certified and best.lower <= best.upper):
        raise RuntimeError("the bracket is not proven")
    best.save(folder / "mechanism.json")
    return f"epsilon 1, delta 1e-6: expected error in [{best.lower:.4f}, {best.upper:.4f}]", best


def _verify(folder: Path) -> tuple[str, None]:
    from ..certify import check_file

    report = check_file(folder / "mechanism.json")
    if report.exit_code:
        raise RuntimeError(f"exit code {report.exit_code}")
    return f"{', '.join(claim.name for claim in report.claims)} proven exactly", None


def _release(best: Any) -> tuple[str, None]:
    answers = [best.release(64) for _ in range(20)]
    if len(set(answers)) < 2 or max(abs(answer - 64) for answer in answers) > 1000:
        raise RuntimeError("the noise is not drawn as it should be")
    return "drawn from the randomness of this system", None


def _ledger(folder: Path) -> tuple[str, None]:
    from ..errors import BudgetError
    from ..tables.ledger import Ledger

    ledger = Ledger.create(folder / "ledger.db", epsilon=1)
    ledger.charge(1, query="doctor")
    try:
        ledger.charge(1, query="doctor")
    except BudgetError:
        return "a charge was kept, and overspending was rejected", None
    raise RuntimeError("overspending was not rejected")


def _table() -> tuple[str, None]:
    from ..errors import MissingExtraError
    from ..tables import Count, ask

    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    rows = 1_000
    frame = pyarrow.table({"age": list(range(rows))})
    value = ask(frame, Count(), epsilon=1, unit="row").value
    if abs(value - rows) > 100:
        raise RuntimeError("the rows of a DataFrame are not counted as they should be")
    return "the rows of a DataFrame were counted with noise", None
