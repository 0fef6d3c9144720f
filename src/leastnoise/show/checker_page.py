"""The offline checker: one HTML page that verifies mechanism files in any browser."""

from __future__ import annotations

from pathlib import Path

_SCRIPT = Path(__file__).parents[1] / "web" / "static" / "checker.js"


def checker_page() -> str:
    """The page as HTML, which needs no server, no network and no installation.

    Guarantee: its checker was written from the file format alone and shares no code with the
    Python checker; what a file holds stays in the browser.

    Example: save the page beside the files that others shall verify.

        >>> from pathlib import Path
        >>> from leastnoise.show.checker_page import checker_page
        >>> size = Path("checker.html").write_text(checker_page(), encoding="utf-8")
    """
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>leastnoise checker</title>'
        f"<body><script data-alone>\n{_SCRIPT.read_text(encoding='utf-8')}</script></body></html>\n"
    )
