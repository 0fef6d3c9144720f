"""What every experiment returns: a table, sentences, a picture, and how they are written."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import MissingExtraError


@dataclass(frozen=True)
class OutputPlace:
    """Where an experiment writes, and how much it may do."""

    out: Path
    quick: bool = False
    jobs: int = 1
    tell: Callable[[str], None] = lambda words: None

    @property
    def designs(self) -> Path:
        """The cache that all experiments share."""
        return self.out / "designs"


@dataclass
class ExperimentReport:
    """One experiment: published beside ours, row by row, and a sentence where they disagree."""

    name: str
    title: str
    verdict: str
    columns: Sequence[str]
    rows: list[Sequence[Any]]
    conventions: Sequence[str] = ()
    sentences: list[str] = field(default_factory=list)
    sections: list[tuple[str, str]] = field(default_factory=list)  # (heading, Markdown)
    figure: Any = None
    in_markdown: bool = True  # whether the report shows all rows or leaves them to the CSV

    def csv(self) -> str:
        """All rows."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()

    def markdown(self) -> str:
        """The report."""
        parts = [f"# {self.title}", self.verdict]
        if self.conventions:
            parts += ["Conventions:", "\n".join(f"- {words}" for words in self.conventions)]
        if self.in_markdown:
            parts.append(markdown_table(self.columns, self.rows))
        for heading, body in self.sections:
            parts += [f"## {heading}", body]
        parts.append("## Where they disagree")
        parts.append("\n".join(f"- {words}" for words in self.sentences) or "Nowhere.")
        if self.figure is not None:
            parts.append(f"![{self.title}]({self.name}.png)")
        parts.append(f"All numbers: `{self.name}.csv`. Again: `leastnoise reproduce {self.name}`.")
        return "\n\n".join(parts) + "\n"

    def write(self, out: Path) -> list[Path]:
        """NAME.csv, NAME.md and, if there is a picture, NAME.png and NAME.svg."""
        files = {".csv": self.csv(), ".md": self.markdown()}
        written = []
        for ending, text in files.items():
            path = out / f"{self.name}{ending}"
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
        if self.figure is not None:
            for ending in (".png", ".svg"):
                path = out / f"{self.name}{ending}"
                save(self.figure, path)
                written.append(path)
        return written


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table; floats with six digits."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(shown(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def shown(cell: Any) -> str:
    """A cell for people."""
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def bracket(lower: float, upper: float, factor: float = 1.0) -> str:
    """[lower, upper] with as many digits as tell them apart, rounded outwards."""
    lower, upper = lower * factor, upper * factor
    digits = 6
    while digits < 12 and f"{lower:.{digits}g}" == f"{upper:.{digits}g}":
        digits += 1
    return f"[{_cut(lower, digits, -1)}, {_cut(upper, digits, 1)}]"


def _cut(value: float, digits: int, side: int) -> str:
    text = f"{value:.{digits}g}"
    off = float(text) - value
    if off * side >= 0:
        return text
    unit = 10.0 ** (int(f"{value:e}".split("e")[1]) - digits + 1)
    return f"{float(text) + side * unit:.{digits}g}"


def figure(width: float, height: float) -> Any:
    """A Matplotlib figure that needs no display."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def save(picture: Any, path: Path) -> None:
    """Write a picture; the same picture is the same file."""
    from matplotlib import rc_context

    metadata: dict[str, Any] = {"Date": None} if path.suffix == ".svg" else {}
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "leastnoise"}):
        picture.savefig(path, dpi=110, metadata=metadata)
