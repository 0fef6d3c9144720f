"""`leastnoise verify`: the exact checker of `leastnoise.certify`, with a table."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, NoReturn, cast

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table

from ..certify import Report, check_bytes
from ..certify.about import about_object
from ..certify.fields import printable
from ..certify.json_file import load_json, read_bytes
from ..certify.limits import MAX_REPORT
from ..certify.published import report_in
from ..errors import ArgumentError, FormatError
from ..exact import nearest_float
from ..formal import NotCovered, prove
from ..formal.coq import AXIOMS, CoqError
from .shared import JSON_HELP, say, show_json, working


def _printable(value: Any) -> str:
    return printable(value if isinstance(value, str) else json.dumps(value))


def verify(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A mechanism file, or a report of `ask` (JSON or page); - is standard input.",
        ),
    ],
    formal: Annotated[
        bool, typer.Option("--formal", help="Let Coq prove the claims, too (see docs/formal.md).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Check a mechanism file or a report exactly, in integer arithmetic.

    Of a report (`ask --report`), each step from a published number to its proof is checked.
    Exit code 0: everything is proven; 1: a claim is refuted; 2: the file is malformed or missing;
    3: privacy is proven, but the error is not, or a part of a report's privacy is not covered.
    With --formal, 0: Coq has proven it, too; 1: Coq rejects it; 3: the theorem does not cover it.

    \b
    Example:
      leastnoise verify mechanism.json
      leastnoise verify --formal mechanism.json
    """
    try:
        with working("checking"):
            data = read_bytes(file, MAX_REPORT)
            report_data = report_in(data)
            if report_data is not None:
                from ..tables.reports.report import check_report

                if formal:
                    raise ArgumentError(
                        "formal",
                        True,
                        "left out for a report: the theorem is about mechanism files",
                    )
                raw = load_json(report_data, MAX_REPORT)
                steps = check_report(raw)
            else:
                document, report = check_bytes(data)
    except FormatError as error:
        if as_json:
            show_json(
                "verify", 2, {"file": file, "ok": False, "private": False, "error": str(error)}
            )
        else:
            missing = isinstance(error.__context__, OSError)
            word = "error" if missing else "malformed"
            say(f"{word}: {_printable(str(error))}", err=True)
        raise typer.Exit(2) from None
    if report_data is not None:
        _show_report(file, raw, steps, as_json)
    about = about_object(document.about)
    code, told = report.exit_code, dict[str, Any]()
    if formal and report.exit_code == 0:
        code, told = _formally(data)
    if as_json:
        checked = {**report.to_json(), "ok": code == 0}
        show_json("verify", code, {"file": file, **checked, **told, "about": about})
    else:
        _show_claims(report)
        if formal:
            say(_formal_words(told))
        for key, value in about.items():
            say(f"Note in the file (not checked): {_printable(key)}: {_printable(value)}")
    raise typer.Exit(code)


def _show_claims(report: Report) -> None:
    """The summary and a table of claims."""
    table = Table("claim", "verdict", "slack", "details", title_justify="left")
    for claim in report.claims:
        slack = "" if claim.slack is None else f"{nearest_float(claim.slack):.2g}"
        table.add_row(claim.name, claim.verdict, slack, claim.detail)
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(fill(report.summary, console.width))
    console.print(table)


def _formally(content: bytes) -> tuple[int, dict[str, Any]]:
    """The exit code, and what JSON says, of a file that our own check has proven."""
    try:
        with working("running Coq (the first run compiles the theory)"):
            proof = prove(cast("dict[str, Any]", load_json(content)))
    except NotCovered as reason:
        return 3, {"formal": {"verdict": "not covered", "detail": str(reason)}}
    except CoqError as error:
        return 2, {"formal": {"verdict": "not run", "detail": str(error)}}
    good = "proven" if proof.whole else "partly proven"
    verdict = good if proof.proven else "rejected"
    told = {"verdict": verdict, "detail": proof.detail, "axioms": list(AXIOMS)}
    return (0 if proof.whole else 3) if proof.proven else 1, {"formal": told}


def _formal_words(told: dict[str, Any]) -> str:
    if not told:
        return "Coq was not run: the exact check does not prove every claim."
    formal = told["formal"]
    verdict, words = formal["verdict"], _printable(formal["detail"])
    after = ""
    if verdict in ("proven", "partly proven"):
        after = " docs/formal.md says what this rests on."
    elif verdict == "not covered":
        after = " The verdicts above are those of the exact check alone."
    return f"Coq: {verdict}. {words[0].upper()}{words[1:]}.{after}"


def _show_report(file: Path, raw: Any, steps: list[Any], as_json: bool) -> NoReturn:
    """The steps from published numbers to their proofs."""
    from ..tables.reports.report import UNCHECKED, exit_code_of, summary_of_report

    summary = summary_of_report(raw, steps)
    code = exit_code_of(steps)
    if as_json:
        told = [{"step": str(step), "verdict": step.verdict} for step in steps]
        shown = {"file": file, "ok": code == 0, "summary": summary}
        shown |= {"steps": told, "unchecked": UNCHECKED}
        show_json("verify", code, shown)
    else:
        table = Table(Column("step", overflow="fold"), "verdict")
        for about, group in groupby(steps, lambda step: step.about):
            table.add_section()
            if about:
                table.add_row(_printable(about), "")
            indent = (0, 0, 0, 2 if about else 0)
            for step in group:
                table.add_row(Padding(_printable(step.words), indent), step.verdict)
        console = Console(markup=False, emoji=False, highlight=False)
        console.print(fill(_printable(summary), console.width))
        console.print(table)
        say(f"Proven steps were computed from this file alone. {UNCHECKED}")
    raise typer.Exit(code)
