"""Draw the pictures of the concept pages: python docs/draw_concepts.py (extra `web`, Chromium).

Six of them are those of the web app's glossary, drawn by its own code and saved with its colors in
the light. The decision chart of which-mechanism.md is drawn here.
"""

from __future__ import annotations

import shutil
import threading
from functools import partial
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).parent
STATIC = HERE.parent / "src" / "leastnoise" / "web" / "static"
NAMES = ("clamping", "neighbors", "epsilon", "delta", "composition", "interval")
#: Fill, stroke and stroke width of the classes that the pictures use.
STYLE = """
text { font: 11px sans-serif; fill: #50565e; } .strong { font-weight: bold; fill: #16191d; }
.axis { stroke: #9aa2ab; } .edge { stroke: #50565e; stroke-dasharray: 3 2; }
.shade { fill: #0072b2; opacity: .28; } .track { fill: #eef1f4; stroke: #cfd5db; }
.whisker { stroke: #16191d; stroke-width: 2; } .dot { fill: #16191d; }
.ghost { fill: #fff; stroke: #50565e; stroke-width: 1.5; } .solid { fill: #50565e; }
.arrow { fill: none; stroke: #50565e; stroke-width: 1.4; }
rect.one { fill: #0072b2; } rect.two { fill: #d55e00; }
text.one { fill: #00609a; } text.two { fill: #a04400; }
.curve { fill: none; stroke-width: 2.4; } .curve.one { stroke: #0072b2; }
.curve.two { stroke: #d55e00; stroke-dasharray: 7 3; }
.gone { fill: none; stroke: #50565e; stroke-dasharray: 3 3; }
.even { fill: #cfd5db; } .odd { fill: #d55e00; }
.miss .whisker { stroke: #d55e00; } .miss .dot { fill: #d55e00; }
"""
PAGE = "<!doctype html><body>" + "".join(f'<p data-picture="{name}"></p>' for name in NAMES)
DRAW = """async () => {
  const { explain } = await import("/explain.js");
  explain(document.body);
  return [...document.querySelectorAll("svg")].map((made) => made.outerHTML);
}"""


class Files(SimpleHTTPRequestHandler):
    """Serves the scripts of the web app, and an empty page for the pictures."""

    def do_GET(self) -> None:
        if self.path != "/":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())
        return None

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def drawn() -> list[str]:
    """The pictures of the web app, in the order of `NAMES`."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=STATIC)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            pictures = page.evaluate(DRAW)
            browser.close()
        server.shutdown()
    return list(pictures)


def saved(name: str, svg: str, style: str = STYLE) -> None:
    """Write a picture that needs no other file; the app lets words stand out at its sides."""
    opening, rest = svg.replace("0 0 340 ", "-10 0 360 ").split(">", 1)
    if "xmlns" not in opening:
        opening += ' xmlns="http://www.w3.org/2000/svg"'
    path = HERE / name
    path.write_text(f"{opening}><style>{style}</style>{rest}\n", encoding="utf-8")
    print(path.name)


#: Question, then (case, call) below it.
CHART = (
    (
        "You have a table",
        (
            ("one query", "ask(table, ...)"),
            ("several queries", "ask_all(table, [...])"),
            ("private group names", 'keys="private"'),
            ("cumulative, ranges, marginals", "Cumulative, Marginals"),
            ("a classifier", "DPNaiveBayes(...)"),
        ),
    ),
    (
        "You have one number",
        (
            ("a real number", "design(sensitivity=...)"),
            ("a count", "design(integer=True)"),
            ("in a short public range", "design(bounds=(0, 20))"),
            ("released k times", "design(releases=k)"),
            ("Gaussian-like composition", "design(gdp=mu)"),
        ),
    ),
    (
        "You have several numbers",
        (
            ("each changes by at most 1", "sensitivity=Cube(k)"),
            ("at most m of them change", "sensitivity=Sparse(...)"),
            ("a vector, L2 sensitivity", "design(dimension=k)"),
            ("many sums of the same counts", "design(workload=...)"),
            ("counts by private keys", "partition_selection(...)"),
        ),
    ),
)


def chart() -> str:
    """Three columns: what there is, the case, and the call for it."""
    width, column, row = 700, 223, 58
    half = width // 2
    words = "Which mechanism: a table, one number or several numbers, and the call for each case."
    parts = [f'<svg viewBox="0 0 {width} {100 + 5 * row}" role="img" aria-label="{words}">']
    parts.append(f'<rect x="{half - 110}" y="4" width="220" height="34" rx="6" class="track"/>')
    parts.append(f'<text x="{half}" y="26" text-anchor="middle" class="strong">')
    parts.append("What do you have?</text>")
    for place, (question, cases) in enumerate(CHART):
        left = 10 + place * (column + 5)
        middle = left + column / 2
        parts.append(f'<path class="arrow" d="M {half} 38 V 50 H {middle} V 62"/>')
        parts.append(f'<rect x="{left}" y="62" width="{column}" height="30" rx="6" class="one"/>')
        parts.append(
            f'<text x="{middle}" y="82" text-anchor="middle" style="fill: #fff" class="strong">'
            f"{question}</text>"
        )
        for line, (case, call) in enumerate(cases):
            top = 100 + line * row
            parts.append(
                f'<rect x="{left}" y="{top}" width="{column}" height="{row - 8}" rx="6" '
                f'class="track"/><text x="{left + 12}" y="{top + 20}">{escape(case)}</text>'
                f'<text x="{left + 12}" y="{top + 39}" class="strong" '
                f'style="font-family: monospace">{escape(call)}</text>'
            )
    return "".join([*parts, "</svg>"])


def main() -> None:
    """Draw all of them."""
    for name, svg in zip(NAMES, drawn(), strict=True):
        saved(f"concept-{name}.svg", svg)
    saved("which-mechanism.svg", chart(), STYLE.replace("11px", "13px"))


if __name__ == "__main__":
    main()
