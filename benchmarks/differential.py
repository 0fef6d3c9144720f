"""Do two versions of the package read, check and write mechanism files alike? On mutated files.

    python benchmarks/differential.py OLD_SRC NEW_SRC --count 100000 --seed 1 [--out FOLDER]

Each version runs in a process of its own, with PYTHONPATH the one folder or the other. Both get the
same golden files (tests/golden), every one with one to three random changes, of its structure (keys
and entries lost, repeated, renamed, reordered, nested, of another type; numbers changed by little
or by much) or of what it claims. Compared are whether it is malformed; if it is not, the report
claim by claim; and the bytes of the file as it is written back. Files on which the versions differ
are written to the folder, each with both answers beside it, and the exit status is 1.

With --words the words of claims are compared, too; without, only the numbers in them.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[1]
FILES = ROOT / "tests" / "golden" / "files"
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")

# -- one version: a process that answers lines -----------------------------------------------------


def answer(text: str, words: bool) -> list[Any]:
    """[exit status, claims, file written back] of a file; the last two are None if malformed."""
    from leastnoise.certify import check_bytes
    from leastnoise.errors import FormatError

    try:
        document, report = check_bytes(text.encode("utf-8", "surrogatepass"))
    except FormatError:
        return [2, None, None]
    claims = [
        [one.name, one.verdict, None if one.slack is None else str(one.slack), one.detail]
        for one in report.claims
    ]
    if not words:
        for claim in claims:
            claim[3] = " ".join(_NUMBER.findall(str(claim[3])))
    return [report.exit_code, claims, document.dumps()]


def serve(words: bool) -> None:
    """Answer files, one a line as a JSON string, with one line each."""
    sys.set_int_max_str_digits(0)
    for line in sys.stdin:
        try:
            found = answer(json.loads(line), words)
        except Exception as error:  # a crash is a difference to be seen, not the end
            found = [f"{type(error).__name__}: {str(error)[:200]}", None, None]
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


class Version:
    """A process with one version of the package."""

    def __init__(self, source: Path, words: bool) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source.resolve())}
        command = [sys.executable, __file__, "--serve", *(["--words"] if words else [])]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    @property
    def inlet(self) -> IO[str]:
        """Where files go in."""
        assert self.process.stdin is not None
        return self.process.stdin

    def ask(self, text: str) -> None:
        """Hand over a file."""
        self.inlet.write(json.dumps(text) + "\n")
        self.inlet.flush()

    def next_answer(self) -> str:
        """The answer to the next file, as its line."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a version ended before it had answered")
        return line

    def end(self) -> None:
        """End the process."""
        self.inlet.close()
        self.process.wait()


# -- mutations -------------------------------------------------------------------------------------

Path_ = tuple[Any, ...]
Change = Callable[[Any], Any]


def golden_files(longest: int, kinds: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The golden files of these kinds, or of all, that are not longer than this."""
    return [
        json.loads(line)["file"]
        for path in sorted(FILES.glob("*.jsonl"))
        if not kinds or path.stem in kinds
        for line in path.read_text(encoding="utf-8").splitlines()
        if len(line) <= longest
    ]


def places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The paths of everything inside."""
    inside: Any = value.items() if isinstance(value, dict) else ()
    inside = enumerate(value) if isinstance(value, list) else inside
    for key, inner in inside:
        yield (*path, key)
        yield from places(inner, (*path, key))


def sort_of(path: Path_) -> Path_:
    """The path without the indices of lists, so that one long list does not hide all else."""
    return tuple("[]" if isinstance(key, int) else key for key in path)


class Corpus:
    """Files, and where to change them: each sort of place as often as another."""

    def __init__(self, files: list[dict[str, Any]]) -> None:
        self.files = files
        self.sorts: list[dict[Path_, list[Path_]]] = []
        owners: dict[Path_, list[int]] = {}
        for number, data in enumerate(files):
            sorts: dict[Path_, list[Path_]] = {}
            for path in places(data):
                sorts.setdefault(sort_of(path), []).append(path)
            self.sorts.append(sorts)
            for sort in sorts:
                owners.setdefault((data["kind"], *sort), []).append(number)
        self.owners = list(owners.items())

    def draw(self, draw: random.Random) -> tuple[int, Path_]:
        """A file and a place in it: any file, or one of those that have a place of some sort."""
        if draw.random() < 0.5:
            number = draw.randrange(len(self.files))
            return number, self.another(number, draw)
        (_, *sort), numbers = draw.choice(self.owners)
        number = draw.choice(numbers)
        return number, draw.choice(self.sorts[number][tuple(sort)])

    def another(self, number: int, draw: random.Random) -> Path_:
        """A further place in the file."""
        return draw.choice(draw.choice(list(self.sorts[number].values())))

    def mutated(self, draw: random.Random) -> str:
        """The text of a file with one to three changes."""
        number, path = self.draw(draw)
        file = json.loads(json.dumps(self.files[number]))
        for _ in range(draw.choice((1, 1, 1, 1, 2, 3))):
            holder = _holder(file, path)
            if holder is not None:
                _change(holder, path[-1], draw)
            path = self.another(number, draw)
        text = json.dumps(file, separators=draw.choice(((",", ":"), (", ", ": "))))
        text = re.sub(r'"twice \d+: ', '"', text)
        return _broken(text, draw) if draw.random() < 0.01 else text


def _holder(file: Any, path: Path_) -> Any:
    """What holds the last key of a path, if former changes have left it there."""
    for key in path[:-1]:
        try:
            file = file[key]
        except (KeyError, IndexError, TypeError):
            return None
    there = isinstance(file, dict) and path[-1] in file
    return file if there or (isinstance(file, list) and _index(path[-1]) < len(file)) else None


def _index(key: Any) -> float:
    return key if isinstance(key, int) else math.inf


def _change(holder: Any, key: Any, draw: random.Random) -> None:
    value = holder[key]
    choice = draw.random()
    if choice < 0.08 and isinstance(holder, dict):
        _change_key(holder, key, draw)
    elif choice < 0.08:
        _change_entry(holder, key, draw)
    elif choice < 0.12:
        holder[key] = draw.choice(OTHER_TYPES)(value)
    elif isinstance(value, list) and len(value) > 1 and choice < 0.8:
        _change_list(value, draw)
    elif isinstance(value, dict) and value:
        inside = draw.choice(list(value))
        if choice < 0.5:
            _change_key(value, inside, draw)
        else:
            _change(value, inside, draw)
    else:
        holder[key] = _other(value, draw)


def _change_key(holder: dict[str, Any], key: str, draw: random.Random) -> None:
    """A key lost, repeated, renamed, added, or moved to the end."""
    match draw.randrange(6):
        case 0:
            del holder[key]
        case 1:
            holder[f"twice {draw.randrange(10**6)}: {key}"] = holder[key]
        case 2:
            holder[draw.choice((key + "s", key.upper(), "", "unknown"))] = holder.pop(key)
        case 3:
            holder[draw.choice(KEYS)] = _extreme(draw)
        case 4:
            holder[draw.choice(KEYS)] = holder[key]
        case 5:
            holder[key] = holder.pop(key)


def _change_entry(holder: list[Any], index: int, draw: random.Random) -> None:
    """An entry lost, repeated, or in the place of another."""
    match draw.randrange(3):
        case 0:
            del holder[index]
        case 1:
            holder.insert(draw.randrange(len(holder) + 1), holder[index])
        case 2:
            holder[index] = draw.choice(holder)


def _change_list(value: list[Any], draw: random.Random) -> None:
    """Entries in another order, fewer of them, or mass moved from one to another."""
    i, j = draw.sample(range(len(value)), 2)
    match draw.randrange(6):
        case 0:
            value[i], value[j] = value[j], value[i]
        case 1:
            value.reverse()
        case 2:
            del value[min(i, j) :]
        case 3:
            value.extend(value[: i + 1])
        case _:
            _move(value, i, j, draw)


def _move(value: list[Any], i: int, j: int, draw: random.Random) -> None:
    """Some of one count to another; their sum stays."""
    if all(isinstance(one, str) and one.isdigit() for one in (value[i], value[j])):
        part = min(int(value[i]), draw.choice((1, int(value[i]) // draw.randint(2, 1000))))
        value[i], value[j] = str(int(value[i]) - part), str(int(value[j]) + part)
    else:
        value[i] = _other(value[i], draw)


#: The value as another type.
OTHER_TYPES: tuple[Change, ...] = (
    lambda value: None,
    lambda value: [value],
    lambda value: {"name": value},
    lambda value: str(value)[:100],
    lambda value: True,
    lambda value: 1.5,
    lambda value: {},
    lambda value: [],
    lambda value: int(value) if str(value).isdigit() else "",
)
EXTREME: tuple[Any, ...] = (
    *("", "0", "1", "-1", "1/2", "1e3", " 1", "+1", "1/0", "0/5", ".5", "5.", "-0", "007", "0x1"),
    *("١", "1_0", "1/2/3", "NaN", "9" * 40, "1/" + "9" * 40, "9" * 3000, "0." + "0" * 500 + "1"),
    *(0, 1, -1, 2, 10**6, 10**19, -(10**19), 0.5, 1e308, True, False, None, [], {}, [[]], "l1"),
)
#: Keys to add where they may not belong.
KEYS: tuple[str, ...] = (
    *("about", "profile", "gdp", "releases", "grid", "atom", "tail", "edges", "first", "points"),
    *("narrow", "constraints", "integer", "monotone", "prior", "noise", "rows", "outputs", "law"),
    *("revealed", "moved", "intervals", "additive", "beyond", "prices", "copies", "group", "more"),
    *("certificate", "curve", "weights", "largest", "cut", "overlap", "balls", "entropy", "name"),
    *("ratio", "instance", "max_error", "coordinates", "questions", "unknown", "mirror", "point"),
)
NAMES = ("l1", "l2", "pinball", "huber", "power", "piecewise", "sum", "custom", "uniform", "prefix")
KINDS = ("additive", "integer", "dependent", "vector", "joint", "keyed", "workload")


def _extreme(draw: random.Random) -> Any:
    """An extreme value of its own: a later change may put something into it."""
    return copy.deepcopy(draw.choice(EXTREME))


def _other(value: Any, draw: random.Random) -> Any:
    """Another value, mostly of the same type and near."""
    choice = draw.random()
    if choice < 0.05 or isinstance(value, dict | list):
        return _extreme(draw)
    if choice < 0.2:
        return _alike(value, draw)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.choice((-1, 1, -1, 1, 2, value, -value, -2 * value, 10**6))
    try:
        number = Fraction(value)
    except (ValueError, ZeroDivisionError, TypeError):
        return draw.choice((*NAMES, *KINDS, "add-remove", "replace"))
    if number.denominator == 1 and draw.random() < 0.7:
        return str(int(number) + draw.choice((-1, 1, int(number) // 1000, -int(number) // 7)))
    size = Fraction(1, 10 ** draw.randint(0, 24))
    return str(number + draw.choice((-1, 1)) * draw.choice((size, size * abs(number))))


def _alike(value: Any, draw: random.Random) -> Any:
    """The same value written otherwise: what a reader might take, and what it must not."""
    if isinstance(value, bool):
        return draw.choice((int(value), str(value).lower()))
    if isinstance(value, int):
        return draw.choice((float(value), str(value), bool(value)))
    if not isinstance(value, str):
        return [value]
    forms = (
        *(f"+{value}", f" {value}", f"{value} ", f"{value}\n", f"{value}\u0000", f"0{value}"),
        *(f"{value}.0", f"{value}.", f"{value}/1", f"{value}e0", f"{value}E0", f"-{value}"),
        *(f"0_{value}", value.translate(ARABIC), value.upper(), value.replace(".", ",")),
    )
    return draw.choice(forms)


#: Digits that Python's numbers take, and that a file must not have.
ARABIC = {ord("0") + digit: 0x660 + digit for digit in range(10)}


def _broken(text: str, draw: random.Random) -> str:
    """The text with a character lost, repeated or changed: mostly no JSON any more."""
    at = draw.randrange(len(text))
    return (
        text[:at]
        + draw.choice(("", text[at] * 2, "NaN", "\\u0041", ",", "[" * 2000))
        + text[at + 1 :]
    )


# -- comparison ------------------------------------------------------------------------------------


def compare(asked: argparse.Namespace) -> int:
    """Ask both versions about so many files; how many differ."""
    draw = random.Random(asked.seed)
    files = golden_files(asked.longest, asked.kinds)
    corpus = Corpus(files)
    versions = [Version(source, asked.words) for source in (asked.old, asked.new)]
    counts: Counter[str] = Counter()
    start = time.monotonic()
    for done in range(0, asked.count, asked.batch):
        size = min(asked.batch, asked.count - done)
        # The first files of all are the golden ones as they are.
        texts = [
            json.dumps(files[k]) if k < len(files) else corpus.mutated(draw)
            for k in range(done, done + size)
        ]
        for text, (old, new) in zip(texts, _answers(versions, texts), strict=True):
            counts[_sort(old)] += 1
            if old != new:
                counts["different"] += 1
                if counts["different"] <= asked.most:
                    _write(asked.out, counts["different"], text, old, new)
    for version in versions:
        version.end()
    seconds = time.monotonic() - start
    print(f"{asked.count} files, seed {asked.seed}, {seconds:.0f} s: ", end="")
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    if counts["different"]:
        print(f"files that differ are in {asked.out}")
    return counts["different"]


def _answers(versions: list[Version], texts: list[str]) -> Iterator[tuple[str, str]]:
    """The answers of both versions, which work at the same time."""
    for text in texts:
        # One file at a time: with several on their way, full pipes could wait for each other.
        for version in versions:
            version.ask(text)
        yield versions[0].next_answer(), versions[1].next_answer()


def _sort(line: str) -> str:
    code = json.loads(line)[0]
    words = {0: "proven", 1: "refuted", 2: "malformed", 3: "not all checked"}
    return words.get(code, "crashed")


def _write(folder: Path, number: int, text: str, old: str, new: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number}.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    answers = {"old": json.loads(old), "new": json.loads(new)}
    (folder / f"{number}.answers.json").write_text(json.dumps(answers, indent=1), encoding="utf-8")


def main() -> int:
    """Compare two versions, or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", action="store_true", help="compare the words of claims, too")
    if "--serve" in sys.argv:
        parser.add_argument("--serve", action="store_true")
        serve(parser.parse_args().words)
        return 0
    parser.add_argument("old", type=Path, metavar="OLD_SRC")
    parser.add_argument("new", type=Path, metavar="NEW_SRC")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "differential")
    parser.add_argument("--longest", type=int, default=16_000, help="characters of a golden file")
    parser.add_argument("--kinds", nargs="*", default=(), choices=KINDS, help="all of them if none")
    parser.add_argument("--most", type=int, default=1_000, help="files to write")
    parser.add_argument("--batch", type=int, default=500)
    return int(compare(parser.parse_args()) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
