"""What people see of designs: texts, JSON and HTML of files of every kind.

Designs are loaded from golden files, so no solver is involved. Pictures are left out: only that
there is one is recorded. They are drawn, and not made into pixels, which takes two thirds of the
time: test_golden_designs.py does that for every kind.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from golden_files import HERE, golden, text_of_file

from cli_command import run
from leastnoise import load
from leastnoise.show.picture import Picture

TEXTS = HERE / "texts"

#: The designs whose texts are recorded: of every kind, and of noise that is told in other words.
SHOWN = {
    "additive": ("l1", "pure, pinball", "support", "profile", "gdp", "custom", "about"),
    "integer": ("l2", "releases, pure", "runs with a tail"),
    "dependent": ("pinball", "integer, l1", "integer, instance", "long steps", "crossing", "gdp"),
    "vector": ("balls by hand", "pure, l2"),
    "joint": ("cube, l1", "sparse, l2", "largest", "weights", "Gaussian", "volume"),
    "keyed": ("plain", "profile, groups", "gdp, groups"),
    "workload": ("gdp, prefix", "zcdp, tables", "pure, answers, replace", "counts", "roots, asked"),
}


def shown(kind: str, folder: Path) -> str:
    """The texts of designs of a kind, in the order in which they are listed."""
    return "\n".join(
        f"==== {name}: {what}\n{text.rstrip()}\n"
        for name in SHOWN[kind]
        for what, text in texts_of(kind, name, folder)
    )


def texts_of(kind: str, name: str, folder: Path) -> Iterator[tuple[str, str]]:
    """(what, text) of all that a design shows of itself, and of the check of its file."""
    file = folder / "mechanism.json"
    file.write_text(text_of_file(golden(kind)[name]), encoding="utf-8")
    design = load(file)
    report = design.verify()
    yield "print(design)", str(design)
    yield "design.status", design.status
    yield "design.plain()", json.dumps(design.plain(), indent=1, default=str)
    if kind in ("additive", "integer", "vector", "joint"):  # noise that says what it is
        yield "print(design.noise)", str(design.noise)
    with patch.object(Picture, "png", return_value=b"pixels"):
        yield "design in a notebook", lines_of_html(design._repr_html_())
    yield "print(design.verify())", str(report)
    yield "design.verify() in a notebook", lines_of_html(report._repr_html_())
    for words in (("verify",), ("verify", "--json")):
        with patch.dict(os.environ, COLUMNS="100"):
            answer = run(*words, file.name, cwd=folder)
        yield f"leastnoise {' '.join(words)}", answer.stdout + answer.stderr


def lines_of_html(html: str) -> str:
    """HTML with a line for each row, without styles and without what its pictures show."""
    html = re.sub(r' style="[^"]*"', "", html)
    html = re.sub(r"(data:image/[a-z+]+;base64,)[^\"']*", r"\1...", html)
    return re.sub(r"(</tr>|</table>|</p>|<img)", r"\n\1", html)
