"""The pages that the site's search shows first.

A word stands on many pages. The page that explains it to a user comes first, and what is written
for readers of files, of the code or of the paper comes last.
"""

from __future__ import annotations

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

#: Pages to the factor of their place in the results; the first that fits, 1 for all others.
BOOSTS = {
    r"(choosing|glossary|optimal)\.md": 2.0,
    r"faq\.md": 1.9,
    r"(comparison|dp-in-ten-minutes|guarantee|install|queries)\.md": 1.5,
    r"command-line\.md": 0.8,
    r"commands\.md": 0.7,
    r"(api/.*|certificate.*|.*-details|proofs)\.md": 0.5,
    r"(architecture|benchmarks|engine-methods|formal|hierarchy|paper-map|reproduction)\.md": 0.5,
}


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Note the page's factor where the search looks for it."""
    for pages, boost in BOOSTS.items():
        if re.fullmatch(pages, page.file.src_uri):
            page.meta.setdefault("search", {"boost": boost})
            break
    return markdown
