"""Make the golden files, or only what is recorded of them, anew.

    python tests/golden/generate.py              # the files, by `design`, and all that follows
    python tests/golden/generate.py --records    # reports and verdicts of the files as they are
    python tests/golden/generate.py --records --all     # and of many more variants
    python tests/golden/generate.py --texts      # what designs show of themselves
    python tests/golden/generate.py --show KIND NAME    # one file, as the package writes it

Run it only where a change of what is recorded is meant, and read the difference.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from golden_by_hand import by_hand
from golden_files import (
    DIGESTS,
    FILES,
    FORGED,
    HERE,
    KINDS,
    REPORTS,
    Json,
    claims_of,
    golden,
    report_of,
    text_of_file,
    verdict,
    write_lines,
    written_back,
)
from golden_mutations import digest_of, some_variants
from golden_questions import QUESTIONS, Questions


def designed(kind: str, problems: Questions) -> dict[str, Json]:
    """The files of a kind that `design` makes, by name."""
    from leastnoise import design, partition_selection

    make = partition_selection if kind == "keyed" else design
    return {
        name: json.loads(make(**given).document.dumps())  # type: ignore[operator]
        for name, given in problems.items()
    }


def make_files() -> None:
    """The golden files of all kinds, which answer `golden_questions.py`, and those by hand."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["LEASTNOISE_CACHE"] = cache
        designs = {kind: designed(kind, QUESTIONS[kind]()) for kind in KINDS}
    others = by_hand(designs)
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            hand = {
                name: json.loads(written_back(text_of_file(data), Path(folder)))
                for name, data in others[kind].items()
            }
            write_lines(FILES / f"{kind}.jsonl", "file", designs[kind] | hand)


def record() -> None:
    """The reports of all files, and the verdicts on forged variants."""
    for kind in KINDS:
        files = golden(kind)
        reports = {name: recorded_report(data) for name, data in files.items()}
        write_lines(REPORTS / f"{kind}.jsonl", "report", reports)
        forged = {name: recorded_verdicts(data) for name, data in files.items()}
        write_lines(FORGED / f"{kind}.jsonl", "forged", forged)


def recorded_report(data: Json) -> Json:
    """What is recorded of a file's report."""
    report = report_of(text_of_file(data))
    return {"exit": report["exit_code"], "claims": claims_of(report)}


def recorded_verdicts(data: Json) -> Json:
    """What is recorded of a file's forged variants."""
    return {label: verdict(text) for label, text in some_variants(data).items()}


def record_digests() -> None:
    """A digest of the verdicts on many forged variants of each file: two CPU minutes."""
    write_lines(
        DIGESTS,
        "digest",
        {
            f"{kind}/{name}": digest_of(data)
            for kind in KINDS
            for name, data in golden(kind).items()
        },
    )


def record_texts() -> None:
    """What designs of every kind show of themselves."""
    sys.path.append(str(HERE.parent))  # (tests are run with it)
    from golden_texts import SHOWN, TEXTS, shown

    TEXTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for kind in SHOWN:
            text = shown(kind, Path(folder))
            (TEXTS / f"{kind}.txt").write_text(text, encoding="utf-8")


def main() -> None:
    """Do what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", action="store_true", help="keep the files")
    parser.add_argument("--texts", action="store_true", help="texts alone")
    parser.add_argument("--all", action="store_true", help="with --records: digests, too")
    parser.add_argument("--show", nargs=2, metavar=("KIND", "NAME"))
    asked = parser.parse_args()
    if asked.show:
        print(text_of_file(golden(asked.show[0])[asked.show[1]]), end="")
        return
    everything = not (asked.records or asked.texts)
    if everything:
        make_files()
        golden.cache_clear()
    if everything or asked.records:
        record()
    if everything or asked.all:
        record_digests()
    if everything or asked.texts:
        record_texts()


if __name__ == "__main__":
    main()
