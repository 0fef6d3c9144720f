"""Which part of the package imports which: `python docs/draw_imports.py` writes docs/imports.svg.

Parts are the folders and files right below src/leastnoise. An arrow says "uses"; one that follows
from others is left out, and so are imports inside functions: they save time, and go the same way
(tests/architecture names the few that do not). A part stands one row above the highest part that
it uses.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "leastnoise"
PICTURE = Path(__file__).with_name("imports.svg")
_WIDTH, _HEIGHT, _ACROSS, _DOWN, _EDGE = 104, 26, 16, 38, 14

Graph = dict[str, set[str]]


def part_of(path: Path) -> str:
    """The folder or file right below the package that a module is in."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def statements(body: list[ast.stmt], lazy: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Every statement that an interpreter may enter, and whether it stands inside a function."""
    for one in body:
        if isinstance(one, ast.If) and getattr(one.test, "id", "") == "TYPE_CHECKING":
            continue
        yield one, lazy
        inside = lazy or isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from statements(getattr(one, part, []), inside)


@cache
def imported(path: Path) -> list[tuple[str, bool, bool]]:
    """(name, whether it is ours, whether inside a function) for everything a module imports.

    The name is that of the part of the package, or of the foreign package.
    """
    package = ["leastnoise", *path.relative_to(ROOT).parts[:-1]]
    found = []
    for node, lazy in statements(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Import):
            found += [(one.name.split(".")[0], False, lazy) for one in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(((node.module or "").split(".")[0], False, lazy))
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1]
            full = [*base, *(node.module or "").split(".")] if node.module else base
            names = [full[1]] if len(full) > 1 else [one.name for one in node.names]
            found += [(name, True, lazy) for name in names]
    return found


def graph() -> Graph:
    """Every part, and the other parts that it uses when it is imported."""
    modules = [path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem[0] != "_"]
    found: Graph = {part_of(path): set() for path in modules}
    for path in modules:
        here = part_of(path)
        found[here] |= {
            name
            for name, ours, lazy in imported(path)
            if ours and not lazy and name in found and name != here
        }
    return found


def rows_of(uses: Graph) -> list[list[str]]:
    """Parts by row, the lowest first; ValueError if parts use each other in a circle."""

    @cache
    def row(name: str) -> int:
        return 1 + max((row(other) for other in uses[name]), default=-1)

    try:
        highest = max(map(row, uses))
    except RecursionError:
        raise ValueError("parts of the package import each other in a circle") from None
    return [sorted(name for name in uses if row(name) == level) for level in range(highest + 1)]


def needed(uses: Graph) -> Graph:
    """The arrows that do not follow from others."""

    @cache
    def below(name: str) -> frozenset[str]:
        return frozenset(uses[name]).union(*(below(other) for other in uses[name]))

    return {
        name: {one for one in others if not any(one in below(other) for other in others)}
        for name, others in uses.items()
    }


def drawn(uses: Graph) -> str:
    """The picture as SVG; it follows the colours of the page it is shown on."""
    rows = rows_of(uses)
    widest = max(map(len, rows))
    wide = 2 * _EDGE + widest * (_WIDTH + _ACROSS) - _ACROSS
    high = 2 * _EDGE + len(rows) * (_HEIGHT + _DOWN) - _DOWN
    place: dict[str, tuple[float, float]] = {}
    for level, names in enumerate(rows):
        start = (wide - len(names) * (_WIDTH + _ACROSS) + _ACROSS) / 2
        y = high - _EDGE - _HEIGHT - level * (_HEIGHT + _DOWN)
        place |= {name: (start + k * (_WIDTH + _ACROSS), y) for k, name in enumerate(names)}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img" '
        'font-family="sans-serif" font-size="12">',
        "<title>Which part of the package uses which</title>",
        "<style>rect{fill:#eef1fb;stroke:#3f51b5}text{fill:#111}"
        "line{stroke:#3f51b5;stroke-opacity:.45}</style>",
        f'<rect width="{wide}" height="{high}" style="fill:#fff;stroke:none"/>',
    ]
    for name, others in sorted(needed(uses).items()):
        x, y = place[name]
        for other in sorted(others):
            to, under = place[other]
            lines.append(
                f'<line x1="{x + _WIDTH / 2:g}" y1="{y + _HEIGHT:g}" '
                f'x2="{to + _WIDTH / 2:g}" y2="{under:g}"/>'
            )
    for name, (x, y) in sorted(place.items()):
        lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="4"/>'
            f'<text x="{x + _WIDTH / 2:g}" y="{y + 17:g}" text-anchor="middle">'
            f"{escape(name)}</text>"
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(drawn(graph()), encoding="utf-8", newline="\n")
    print(f"written to {PICTURE}")
