"""Do the checkers agree? Python against JavaScript, or Python against Coq, on altered files.

    python benchmarks/agreement.py javascript --count 10000
    python benchmarks/agreement.py coq --count 1000

Originals are small designs of every form, golden files of many queries, the example of the
documentation, and files given as further arguments. Each altered file has one thing changed: a
weight, a number, a bound, by a little or by much, a key lost or added, an edge, a multiplier.
Verdicts are compared: exit codes for JavaScript (of files that it checks in part, the verdicts on
what it checks); for Coq, whether everything is proven, of files that are not malformed. What a
checker does not cover is counted.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from leastnoise import (
    Cube,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
    design,
)
from leastnoise.certify import check, parse_any
from leastnoise.errors import FormatError
from leastnoise.exact import text_of
from leastnoise.formal import NotCovered, accepts, left_out, translated
from leastnoise.partition_selection import partition_selection

ROOT = Path(__file__).parents[1]
CHECKER = ROOT / "src" / "leastnoise" / "web" / "static" / "checker.js"

#: A loss that falls away from 0 on its way, and a sum.
BENT = {
    "name": "piecewise",
    "points": [["-2", "1.5"], ["-0.5", "0.25"], ["0", "0"], ["1/3", "1"], ["3", "0.9"]],
    "slopes": ["-1", "3"],
}
MIXED = {
    "name": "sum",
    "terms": [
        ["1/2", {"name": "l1"}],
        ["0.3", {"name": "l2"}],
        ["2", {"name": "huber", "width": "0.7"}],
        ["1", {"name": "pinball", "tau": "0.9"}],
    ],
}

#: Questions whose designs are small.
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"integer": True, "sensitivity": 1, "delta": "1e-3"},
    {"integer": True, "sensitivity": 3, "delta": "0.05", "loss": "pinball:0.8"},
    {"integer": True, "sensitivity": 2, "delta": 0, "loss": "l2"},
    {"integer": True, "sensitivity": 1000, "delta": "1e-3", "gap": 0.05},
    {"integer": True, "sensitivity": 10**6, "delta": "1e-6", "epsilon": 4},
    {"delta": "0.1", "gap": 0.05},
    {"delta": "0.1", "gap": 0.05, "loss": "l2"},
    {"delta": "1e-3", "epsilon": 4, "gap": 0.01},
    {"delta": 0, "gap": 0.05},
    {"delta": 0, "gap": 0.05, "loss": "pinball:0.3", "epsilon": 2},
    {"delta": 0, "gap": 0.05, "loss": "l2", "epsilon": 2},
    {"delta": "0.1", "gap": 0.1, "loss": "huber:1"},
    {"delta": 0, "gap": 0.1, "loss": "huber:0.5"},
    {"delta": "0.1", "gap": 0.1, "loss": "power:3"},
    {"delta": "0.1", "gap": 0.05, "profile": [("2", "0.05"), ("0.5", "0.2")]},
    {"delta": "0.05", "gap": 0.05, "loss": BENT},
    {"delta": 0, "gap": 0.1, "loss": MIXED},
    {"integer": True, "sensitivity": 2, "delta": "0.05", "loss": MIXED},
    {"integer": True, "delta": "0.1", "constraints": [MaxError(3), Symmetric()]},
    {"delta": "0.1", "gap": 0.2, "constraints": [Support(0, None), MaxError(9)]},
    {"delta": "0.1", "gap": 0.2, "constraints": [Monotone()]},
    {"delta": 0, "gap": 0.1, "constraints": [Monotone(), Unbiased()]},
    {
        "integer": True,
        "delta": "0.1",
        "sensitivity": 3,
        "loss": "pinball:0.8",
        "constraints": [Unimodal("0.5"), LossAtMost("l1", 3)],
    },
    {
        "delta": "0.1",
        "gap": 0.2,
        "loss": "pinball:0.8",
        "constraints": [Unbiased(), LossAtMost("l2", 1)],
    },
    {"integer": True, "delta": "0.1", "profile": [(3, "0.02")], "constraints": [Support(-2, 3)]},
    {
        "delta": "0.1",
        "gap": 0.2,
        "loss": "pinball:0.8",
        "profile": [(3, "0.05")],
        "constraints": [Support(-2, 4)],
    },
)


def originals(more: list[Path]) -> list[dict[str, Any]]:
    """The files to alter."""
    found = [json.loads((ROOT / "docs" / "example.json").read_text(encoding="utf-8"))]
    for problem in QUESTIONS:
        made = design(**{"epsilon": 1, "sensitivity": 1, "gap": 0.01, **problem})
        found.append(json.loads(made.document.dumps()))
    found.append(json.loads(partition_selection(epsilon=2, delta="1e-3").document.dumps()))
    for shape, delta, kind in (
        (Cube(3, 1), 0, {"loss": "l2", "integer": True}),
        (Cube(2, 1, one_sided=True), 0, {"loss": "l1"}),
        (Cube(2, 1), 0, {"loss": "largest", "integer": True}),
        (Cube(3, 1), "1e-4", {"loss": "l2", "integer": True}),
        (Cube(5, 1, one_sided=True), "1e-6", {"loss": "l2", "integer": True}),
    ):
        made = design(epsilon=1, delta=delta, sensitivity=shape, **kind)
        found.append(json.loads(made.document.dumps()))
    lines = (ROOT / "tests" / "golden" / "files" / "workload.jsonl").read_text(encoding="utf-8")
    queries = [json.loads(line)["file"] for line in lines.splitlines()]
    found += [data for data in queries if "epsilon" in data["budget"] and "about" not in data]
    return found + [json.loads(path.read_text(encoding="utf-8")) for path in more]


# -- alterations ----------------------------------------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything in a file that holds nothing else."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inside:
        if isinstance(one, dict | list):
            yield from leaves(one, (*path, key))
        else:
            yield (*path, key)


def altered(data: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """The file with one thing changed."""
    data = copy.deepcopy(data)
    places = list(leaves(data))
    by_key = Counter(str(path[0]) for path in places)
    # Every top-level key as often as another, or a list of weights would hide all else.
    key = draw.choice(sorted(by_key))
    path = draw.choice([p for p in places if str(p[0]) == key])
    holder: Any = data
    for part in path[:-1]:
        holder = holder[part]
    last = path[-1]
    if draw.random() < 0.06:
        if isinstance(holder, dict) and draw.random() < 0.5:
            del holder[last]
        elif isinstance(holder, dict):
            holder[f"{last}s"] = holder[last]
        else:
            holder.append(holder[last])
        return data
    holder[last] = changed(holder[last], draw)
    return data


def changed(value: Any, draw: random.Random) -> Any:
    """Another value of the same kind, mostly."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.choice((-1, 1, 1, 2, -value, 10**6))
    if draw.random() < 0.03:
        return draw.choice(("", "1e3", " 1", "+1", "1/0", "-0", "0.", 1, 1.5, None, "x", "00.50"))
    try:
        number = Fraction(value)
    except ValueError:
        return draw.choice(("l1", "l2", "integer", "additive", "power", value + " "))
    if number.denominator == 1 and "." not in value and draw.random() < 0.7:
        return str(int(number) + draw.choice((-1, 1, int(number) // 1000, -int(number) // 7)))
    size = Fraction(1, 10 ** draw.randint(1, 24))
    moved = number + draw.choice((-1, 1)) * draw.choice((size, size * abs(number)))
    return text_of(moved if draw.random() < 0.95 else -number)


# -- checkers --------------------------------------------------------------------------------------


def malformed(text: str) -> str:
    """Why a file is malformed."""
    try:
        check(parse_any(text))
    except FormatError as error:
        return str(error)
    return ""


def python_says(text: str) -> int:
    """The exit code."""
    try:
        return check(parse_any(text)).exit_code
    except FormatError:
        return 2


_NODE = """
require(process.argv[1]);
const lines = require("fs").readFileSync(0, "utf8").split("\\n").filter((line) => line);
for (const line of lines) {
  let found;
  try {
    const said = leastnoiseCheck(JSON.parse(line));
    const judged = said.claims.filter((one) => !one.open).map((one) => [one.name, one.verdict]);
    found = [said.exit_code, said.partial ? Object.fromEntries(judged) : null];
  }
  catch (error) { found = [String(error.stack), null]; }
  console.log(JSON.stringify(found));
}
"""


def javascript_finds(texts: list[str]) -> list[tuple[Any, dict[str, str] | None]]:
    """(exit code, or None if a file is not covered; the claims that are, if not all are)."""
    lines = "\n".join(map(json.dumps, texts))
    done = subprocess.run(
        ["node", "-e", _NODE, str(CHECKER)], input=lines, capture_output=True, text=True, check=True
    )
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def javascript_says(texts: list[str]) -> list[Any]:
    """Exit codes; None: not covered, or only in part."""
    return [None if judged else code for code, judged in javascript_finds(texts)]


def python_finds(text: str, names: Iterable[str]) -> int | dict[str, str]:
    """The verdicts on these claims; the exit code of a malformed file."""
    try:
        verdicts = {claim.name: claim.verdict for claim in check(parse_any(text)).claims}
    except FormatError:
        return 2
    return {name: verdicts[name] for name in names}


def coq_says(files: list[dict[str, Any]]) -> Iterator[bool | None]:
    """Whether Coq's check accepts each; None: not covered. Many files in one run of Coq."""
    for start in range(0, len(files), 50):
        some = files[start : start + 50]
        found = iter(accepts([data for data in some if covered(data)]))
        for data in some:
            yield next(found) if covered(data) else None


def covered(data: dict[str, Any]) -> bool:
    """Whether the theorem is about such files."""
    try:
        return bool(translated(data))
    except NotCovered:
        return False


def compared(which: str, files: list[dict[str, Any]]) -> Iterator[tuple[Any, Any, str]]:
    """(what Python says, what the other says, the file)."""
    texts = [json.dumps(data) for data in files]
    if which == "javascript":
        for text, (code, judged) in zip(texts, javascript_finds(texts), strict=True):
            if judged is None:
                yield python_says(text), code, text
            else:
                yield python_finds(text, judged), judged, text
        return
    kept = [(data, text) for data, text in zip(files, texts, strict=True) if python_says(text) != 2]
    found = coq_says([data for data, _ in kept])
    for (_, text), other in zip(kept, found, strict=True):
        yield proven(text), other, text


def proven(text: str) -> bool:
    """Whether we prove all that Coq is asked."""
    without = {"lower"} if left_out(json.loads(text)) else set()
    claims = check(parse_any(text)).claims
    return all(claim.verdict == "proven" for claim in claims if claim.name not in without)


def explained(ours: object, other: object, data: dict[str, Any]) -> bool:
    """Coq adds up grid points one by one where ours takes a mean that is a little larger.

    So it is in tails with l2 and in cells with Huber's loss, by less than g^2 times the curvature,
    and in runs of whole numbers, by less than a quarter of the bends. JavaScript does not look at
    the inverse of a strategy, without which a file is malformed.
    """
    if ours == 2 and data["kind"] == "workload":
        return "is too far" in malformed(json.dumps(data))
    if ours is not False or other is not True or data["kind"] in ("keyed", "joint"):
        return False
    bad = [claim for claim in check(parse_any(json.dumps(data))).claims if claim.slack < 0]
    terms = data["loss"].get("terms", [["1", data["loss"]]])
    curved = sum(Fraction(w) for w, one in terms if one["name"] in ("l2", "huber"))
    grid = Fraction(data["step"]) / data.get("grid", 1)
    most = grid * grid * curved / 4
    if data["kind"] == "integer" and "grid" in data:
        most += sum(Fraction(w) for w, one in terms if one["name"] in ("l1", "pinball")) / 2
    return [claim.name for claim in bad] == ["upper"] and -bad[0].slack <= most


def main() -> int:
    """Compare, print, keep what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=("javascript", "coq"))
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    sources = originals(options.files)
    if options.which == "coq":
        sources = [data for data in sources if covered(data)]
    files = list(sources)
    while len(files) < len(sources) + options.count:
        one = altered(draw.choice(sources), draw)
        if options.which == "javascript" or python_says(json.dumps(one)) != 2:
            files.append(one)
    seen: Counter[str] = Counter()
    kept = Path(tempfile.mkdtemp(prefix="agreement-"))
    for number, (ours, other, text) in enumerate(compared(options.which, files)):
        verdict = "not covered" if other is None else "agree" if ours == other else "DIFFER"
        if verdict == "DIFFER" and explained(ours, other, json.loads(text)):
            verdict = "differ as documented"
        seen[f"{verdict}: {ours}"] += 1
        if verdict == "DIFFER":
            (kept / f"{number}.json").write_text(text, encoding="utf-8")
            print(f"Python says {ours}, {options.which} says {other}: {kept / f'{number}.json'}")
    print(dict(sorted(seen.items())))
    return 1 if any(name.startswith("DIFFER") for name in seen) else 0


if __name__ == "__main__":
    sys.exit(main())
