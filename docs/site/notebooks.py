"""The notebooks become pages of the site, with what their cells showed.

`notebooks/ask-a-table.ipynb` is the page `notebooks/ask-a-table.md`. Text, tables and pictures are
those that the notebook holds: `docs/draw_notebooks.py` runs it and writes them.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

DOCS = Path(__file__).parents[1]
LINK = re.compile(r"(?<=\]\()(notebooks/[\w-]+)\.ipynb(?=\))")
PLACE = re.compile(r"(?:<p>)?OUTPUT(\d+)PLACE(?:</p>)?")


def notebooks() -> dict[str, Path]:
    """Page of the site to notebook."""
    return {f"notebooks/{path.stem}.md": path for path in sorted(DOCS.glob("notebooks/*.ipynb"))}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every notebook."""
    for uri, path in notebooks().items():
        cells = json.loads(path.read_text("utf-8"))["cells"]
        files.append(File.generated(config, uri, content=markdown(cells, path.name)))
    return files


def markdown(cells: list[dict[str, Any]], name: str) -> str:
    """The cells as Markdown; a place is kept for what each showed, by its number."""
    parts, count = [], 0
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for _ in cell["outputs"]:
            parts.append(f"OUTPUT{count}PLACE")
            count += 1
    parts.insert(1, f"To run it yourself: [{name}]({name}).")
    return "\n\n".join(parts)


def on_page_markdown(text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links to notebooks into links to their pages."""
    return LINK.sub(r"\1.md", text)


def on_page_content(text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put what the cells showed at its place."""
    path = notebooks().get(page.file.src_uri)
    if path is None:
        return text
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return PLACE.sub(lambda place: shown(outputs[int(place[1])]), text)


def shown(output: dict[str, Any]) -> str:
    """One output of a cell as HTML: a table, a picture or text."""
    data = output.get("data", {})
    if "text/html" in data:
        return f'<div class="output">{"".join(data["text/html"])}</div>'
    if "image/png" in data:
        picture = "".join(data["image/png"]).strip().replace("\n", "")
        words = html.escape("".join(data["text/plain"]), quote=True)
        return f'<p><img alt="{words}" src="data:image/png;base64,{picture}"></p>'
    return (
        f"<pre><code>{html.escape(''.join(output.get('text') or data['text/plain']))}</code></pre>"
    )
