"""python -m tests.neighbors: test an engine, a source or a question. See README.md."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from leastnoise import PrivacyUnit
from leastnoise.tables.queries.text import query_of

from .examine import Examiner
from .questions import few, many
from .scenarios import SCENARIOS
from .servers import NoServerError, Place
from .sources import ENGINES, SOURCES, holds
from .tables import EXTREMES, KINDS, newcomer, one_more


def arguments() -> argparse.Namespace:
    """What is to be tested."""
    parser = argparse.ArgumentParser(prog="python -m tests.neighbors", description=__doc__)
    add = parser.add_argument
    add("--scenarios", choices=("fast", "all"), help="run the named scenarios")
    add("--only", default="", help="scenarios whose name holds this text")
    add("--engine", choices=tuple(ENGINES), help="all sources of an engine (duckdb)")
    add("--source", choices=tuple(SOURCES), action="append", help="one source; may be repeated")
    add("--kind", choices=KINDS, action="append", help="what the column x holds (all kinds)")
    add("--questions", choices=("few", "many"), default="few", help="built-in questions")
    add("--question", action="append", help="such as 'mean(x)', about columns p, g and x")
    for name in ("--low", "--high", "--step", "--where", "--by"):
        add(name)
    add("--keys", help="comma-separated, or private")
    add("--unit", choices=("row", "person"), default="row")
    add("--max-rows-per-group", type=int, default=2)
    add("--max-groups", type=int, default=1)
    add("--neighbors", choices=("add-remove", "replace"), help="one relation (both)")
    return parser.parse_args()


def asked_by(options: argparse.Namespace) -> Callable[[str], list[Any]]:
    """Kind of column -> questions."""
    if not options.question:
        return many if options.questions == "many" else few
    given = {name: getattr(options, name) for name in ("low", "high", "step", "where", "by")}
    given["keys"] = options.keys.split(",") if options.keys else None
    given["keys"] = "private" if options.keys == "private" else given["keys"]
    given = {name: value for name, value in given.items() if value is not None}
    queries = [query_of(text, **given) for text in options.question]
    return lambda _: queries


def swept(options: argparse.Namespace, place: Place) -> Iterable[str]:
    """Findings of every source and kind, value by value."""
    person = PrivacyUnit("p", options.max_rows_per_group, options.max_groups)
    unit = "row" if options.unit == "row" else person
    questions = asked_by(options)
    for source in options.source or ENGINES[options.engine or "duckdb"]:
        for kind in options.kind or KINDS:
            tester, pairs, start, found = Examiner(place, source), 0, time.time(), 0
            values = [value for value in EXTREMES[kind] if holds(source, kind, value)]
            if not values:
                continue
            known = list(one_more(kind, values))
            known += [newcomer(kind, values)] if unit is person else []
            for pair in known:
                if options.neighbors in (None, pair.relation):
                    pairs += 1
                    for one in tester.examine(pair, questions(kind), unit):
                        found += 1
                        yield str(one)
            took = f"{time.time() - start:.0f} s"
            print(f"{source}, {kind}: {pairs} pairs, {found} findings, {took}", file=sys.stderr)


def staged(options: argparse.Namespace, place: Place) -> Iterable[str]:
    """Findings of the named scenarios, a line for each of them."""
    for group, scenarios in SCENARIOS.items():
        for one in scenarios:
            if options.only not in one.name or (one.slow and options.scenarios == "fast"):
                continue
            try:
                found = one.run(place)
            except NoServerError as error:
                print(f"{group} | {one.name} | not run: {error}")
                continue
            said = str(found[0]) if found else "nothing found"
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            print(f"{group} | {one.name} | {said}{more}", flush=True)
            yield from map(str, found)


def main() -> int:
    """1 if anything was found."""
    options, found = arguments(), 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("LEASTNOISE_CACHE", str(Path(folder) / "designs"))
        place = Place(Path(folder))
        try:
            if options.scenarios:
                found = len(list(staged(options, place)))
            else:
                for line in swept(options, place):
                    found += 1
                    print(line, flush=True)
        finally:
            place.close()
    print(f"{found} findings" if found else "nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
