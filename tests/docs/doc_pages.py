"""Runs the code of a Markdown page as a reader would: block by block, in one folder.

- ```python blocks share one namespace. Where an expression ends in a comment, the numbers in the
  comment must be in what it printed, or in its value, to the digits shown.
- ```pycon blocks are sessions: what they show must be what comes out.
- ```sh blocks are run by bash, `leastnoise` being this package; exit code 1 is a gap not reached.
  A line that is one command of ours, with a file to read or to write at most, runs in this process:
  it saves a second of imports, and tests/test_cli.py starts real ones.
- ```console blocks have their commands after `$ `, and show what they print.
- A ```text block below `<!-- output -->` shows all that the block above it prints. A line `...`
  stands for lines that are left out; `<!-- output: random -->` compares no numbers and no hashes.
Texts must be equal up to spaces and lines of tables; numbers to half of the last digit shown or to
one part in 500, since brackets move when the engine does.

A comment above a block, `<!-- slow: reason -->` or `<!-- not run: reason -->`, says that it is left
to `make slow`, or to nobody, and why.

`<!-- output -->` above a ```text block says that it shows what the ```python or ```sh block before
it printed. `<!-- output: numbers within 20% -->` is for answers with noise: the words must be the
same, and each number within 20% of the largest one of its line. It goes above ```console, too.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from cli_command import run

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"(?:^<!-- (slow|not run|output)(?:: (.+?))? -->\n)?^```(\w*)\n(.*?)^```$", re.M | re.S
)
HASH = re.compile(r"\b[0-9a-f]{12,}\b")
#: With commas between groups of three digits alone: fields of CSV are several numbers.
NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])", re.I
)
RUNNABLE = {"python", "pycon", "sh", "console"}
CLOSE = 1 / 500


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its code, where it stands, and whether it is left out."""

    language: str
    code: str
    line: int
    mark: str = ""
    reason: str = ""

    @property
    def tolerance(self) -> float:
        """How far a number that is shown may be from one that is printed; 0 is not at all."""
        stated = re.fullmatch(r"numbers within (\d+)%", self.reason)
        return float(stated[1]) / 100 if stated else 0.0


def loaded(path: Path):
    """A script of the documentation as a module."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_of_docs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found[3],
            found[4],
            text.count("\n", 0, found.start()) + 1,
            found[1] or "",
            found[2] or "",
        )
        for found in BLOCK.finditer(text)
    ]


# -- comparing ----------------------------------------------------------------------------------


def numbers(text: str) -> list[tuple[float, float]]:
    """(value, half a unit of the last digit shown) of every number in a text."""
    found = []
    for match in NUMBER.finditer(text):
        word = match[0].replace(",", "")
        mantissa, _, exponent = word.lower().partition("e")
        digits = len(mantissa.partition(".")[2])
        found.append((float(word), 0.5 * 10.0 ** (int(exponent or 0) - digits)))
    return found


def agrees(shown: tuple[float, float], value: float) -> bool:
    quoted, half = shown
    return abs(quoted - value) <= max(half * 1.001, CLOSE * abs(quoted))


def skeleton(text: str) -> str:
    """A text without its numbers, spaces, bars and lines of tables."""
    return re.sub(r"[\s─━┏┓┗┛┳┻╇┡┩┌┐└┘┬┴┼├┤╞╪╡│┃|+█]+", "", NUMBER.sub("#", text))


def same(shown: str, printed: str, tolerance: float = 0.0) -> None:
    """What a page shows is what came out, numbers up to a part of the largest of their line."""
    assert skeleton(shown) == skeleton(printed), f"shown:\n{shown}\nprinted:\n{printed}"
    values = iter(numbers(printed))
    for line in shown.splitlines():
        quotes = numbers(line)
        room = tolerance * max((abs(value) for value, _ in quotes), default=0.0)
        for quoted, (value, _) in zip(quotes, values, strict=False):
            assert agrees(quoted, value) or abs(quoted[0] - value) <= room, (
                f"{quoted[0]} is shown, {value} came out of:\n{printed}"
            )


def same_output(shown: str, printed: str, random: bool, tolerance: float = 0.0) -> None:
    """A block of output is what was printed, up to lines that it leaves out."""
    shown, printed = HASH.sub("0", shown), HASH.sub("0", printed)
    lines = [line for line in printed.splitlines() if skeleton(line)]
    end = 0
    parts = re.split(r"^\.\.\.$", shown, flags=re.M)
    for number, part in enumerate(parts):
        size = sum(bool(skeleton(line)) for line in part.splitlines())
        for start in range(end, len(lines) - size + 1 if number else 1):
            match = "\n".join(lines[start : start + size])
            if skeleton(match) == skeleton(part):
                break
        else:
            raise AssertionError(f"shown:\n{part}\nprinted:\n{printed}")
        if not random:
            same(part, match, tolerance)
        end = start + size
    assert end == len(lines) or not parts[-1].strip(), f"shown:\n{shown}\nprinted:\n{printed}"


def contains(comment: str, printed: str, code: str) -> None:
    """Every number of a comment is among those that came out."""
    values = [value for value, _ in numbers(printed)]
    for quoted in numbers(comment):
        assert any(agrees(quoted, value) for value in values), (
            f"{code}\nsays {comment!r}, and came out as:\n{printed}"
        )


# -- running ------------------------------------------------------------------------------------


def run_python(code: str, names: dict) -> str:
    """Run a block; returns what it printed."""
    printed = []
    lines = code.split("\n")
    for statement in ast.parse(code).body:
        source = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        last = lines[statement.end_lineno - 1]
        comment = last[len(last.encode()[: statement.end_col_offset].decode()) :].partition("#")[2]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), "<page>", "eval"), names)
                printed.append(out.getvalue())
                if value is not None:
                    print(repr(value))
            else:
                exec(compile(ast.Module([statement], []), "<page>", "exec"), names)
                printed.append(out.getvalue())
        if isinstance(statement, ast.Expr):
            contains(comment, out.getvalue(), source)
    return "".join(printed)


def run_session(code: str, names: dict) -> None:
    for example in doctest.DocTestParser().get_examples(code):
        if example.options.get(doctest.SKIP):  # what is drawn at random
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(example.source, "<page>", "single"), names)
        same(example.want, out.getvalue())


def one_command(line: str) -> tuple[list[str], dict[str, str]] | None:
    """The words of a line that is one command of ours, and its files by "<" and ">"."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return None
    files = {}
    while len(words) > 2 and words[-2] in ("<", ">"):
        *words, sign, path = words
        files[sign] = path
    ours = words[:1] == ["leastnoise"] and not re.search(r"[$`*]", line)
    signs = shlex.shlex(line, punctuation_chars=True)  # (which leaves quotes where they are)
    signs.whitespace_split = True
    plain = sum(set(word) <= set("<>|();&") for word in signs) == len(files)
    return (words, files) if ours and plain else None


def own(words: list[str], files: dict[str, str], folder: Path) -> str:
    """What a command of ours prints, run in this process and in this folder."""
    given = (folder / files["<"]).read_text(encoding="utf-8") if "<" in files else ""
    with patch.dict(os.environ, COLUMNS="100"):
        done = run(*words[1:], cwd=folder, input=given)
    assert done.returncode in (0, 1), f"{words}\n{done.stdout}\n{done.stderr}"
    if ">" in files:
        (folder / files[">"]).write_text(done.stdout, encoding="utf-8")
        return ""
    return done.stdout


def shell(command: str, folder: Path) -> str:
    """What a command prints; `leastnoise` is a script that runs this package."""
    if not command.strip() or command.lstrip().startswith("#"):
        return ""
    simple = one_command(command)
    if simple:
        return own(*simple, folder)
    bin_folder = folder / ".bin"
    if not bin_folder.exists():
        bin_folder.mkdir()
        script = bin_folder / "leastnoise"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m leastnoise "$@"\n')
        script.chmod(0o755)
        (bin_folder / "python").symlink_to(sys.executable)
    source = f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=560,
        check=False,
        env=os.environ
        | {
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": source,
            "COLUMNS": "100",
        },
    )
    assert done.returncode in (0, 1), f"{command}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def run_console(code: str, folder: Path, tolerance: float = 0.0) -> None:
    for part in re.split(r"^\$ ", code, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        printed = shell(command, folder)
        if shown.strip():
            same(shown, printed, tolerance)


def run_page(page: Path, folder: Path, slow: bool) -> int:
    """Run a page in a folder; returns how many blocks ran. Blocks before a slow one run, too."""
    names: dict = {"__name__": "page"}
    ran = 0
    printed: str | None = None
    here = Path.cwd()
    os.chdir(folder)
    try:
        for block in blocks(page):
            if block.mark == "output":
                assert printed is not None or not slow, f"line {block.line}: output of no block"
                if printed is not None:
                    same_output(block.code, printed, block.reason == "random", block.tolerance)
                printed = None
                continue
            printed = None
            if block.language not in RUNNABLE or block.mark == "not run":
                continue
            if block.mark == "slow" and not slow:
                continue
            try:
                if block.language == "python":
                    printed = run_python(block.code, names)
                elif block.language == "pycon":
                    run_session(block.code, names)
                elif block.language == "sh":
                    lines = block.code.replace("\\\n", " ").splitlines()
                    printed = "".join([shell(line, folder) for line in lines])
                else:
                    run_console(block.code, folder, block.tolerance)
            except Exception as error:
                error.add_note(f"in the block at line {block.line} of {page.name}")
                raise
            ran += 1
    finally:
        os.chdir(here)
    return ran
