"""The site builds without a warning, asks for nothing from outside, and leaves no page out."""

from __future__ import annotations

import functools
import http.server
import json
import logging
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from doc_pages import ROOT, loaded
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError

import leastnoise

PROOFS = sorted((ROOT / "src" / "leastnoise").rglob("*.proof.md"))


#: (A parser of HTML would take a second for all pages; what it finds is the same.)
TAG = re.compile(r"""<(script|img|iframe|source|link)\b((?:[^>"']|"[^"]*"|'[^']*')*)>""")
ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


def fetched(text: str) -> list[str]:
    """What a browser would fetch for a page."""
    found = []
    for tag, words in TAG.findall(text):
        given = {name: "".join(values) for name, *values in ATTRIBUTE.findall(words)}
        if tag != "link":
            found.append(given.get("src", ""))
        elif given.get("rel") not in ("canonical", "next", "prev"):
            found.append(given["href"])
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("site")
    said: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record):
            said.append(record.getMessage())

    ear = Ear(logging.WARNING)
    log = logging.getLogger("mkdocs")
    log.addHandler(ear)
    try:
        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(out)))
    finally:
        log.removeHandler(ear)
    assert said == []
    return out


def test_it_builds_without_a_warning_and_asks_for_nothing_from_outside(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 90
    for page in pages:
        addresses = fetched(page.read_text(encoding="utf-8"))
        assert addresses
        for address in addresses:
            assert not re.match(r"(?:https?:)?//", address), f"{page.name} fetches {address}"
            here = page.parent / address.partition("?")[0].partition("#")[0]
            assert address.startswith("data:") or here.exists() or page.name == "404.html"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//", style.read_text(encoding="utf-8"))


def test_every_proof_is_a_page_that_can_be_reached(site):
    listed = (site / "proofs.html").read_text(encoding="utf-8")
    for path in PROOFS:
        name = path.relative_to(ROOT / "src/leastnoise").as_posix().removesuffix(".proof.md")
        assert (site / "proofs" / f"{name}.html").exists()
        assert f'href="proofs/{name}.html"' in listed
    # Formulas are text, not emphasis or tags.
    lower = (site / "proofs/certify/certificates/duality.html").read_text(encoding="utf-8")
    balls = (site / "proofs/certify/noise/vectors/balls.html").read_text(encoding="utf-8")
    assert "k'_edge" in lower.replace("&#39;", "'") and "&lt;x,e&gt;" in balls
    # Pages link to the file in the repository; here the link leads to the page.
    theory = (site / "theory.html").read_text(encoding="utf-8")
    assert "proofs/certify/certificates/duality.html" in theory and "src/leastnoise" not in theory


def test_notebooks_are_pages_with_what_they_show(site):
    page = (site / "notebooks" / "ask-a-table.html").read_text(encoding="utf-8")
    assert "95% confidence interval</th>" in page  # a table of an answer
    assert page.count('src="data:image/png;base64,') >= 2  # two pictures
    assert "has too little budget left" in page  # what a cell printed
    assert 'href="ask-a-table.ipynb"' in page and (site / "notebooks/ask-a-table.ipynb").exists()
    listed = (site / "notebooks.html").read_text(encoding="utf-8")
    assert 'href="notebooks/ask-a-table.html"' in listed
    for path in (site / "notebooks").glob("*.html"):
        assert not re.search(r"OUTPUT\d", path.read_text(encoding="utf-8"))


def test_formulas_are_typeset(site):
    theory = (site / "theory.html").read_text(encoding="utf-8")
    assert theory.count('<div class="formula"><math') >= 3 and "<msup><mi>e</mi>" in theory
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"FORMULA\d|\$`|language-math", text), f"{page.name} shows TeX"


def test_a_formula_that_cannot_be_converted_ends_the_build():
    hook = loaded(ROOT / "docs" / "site" / "formulas.py")
    page = SimpleNamespace(meta={})
    text = "A $`x_1`$ and\n\n```math\n\\frac{a}{b}\n```\n\n```text\n$`x`$\n```\n"
    shown = hook.on_page_markdown(text, page, None, None)
    assert shown == "A FORMULA0INLINE and\n\nFORMULA1BLOCK\n\n```text\n$`x`$\n```\n"
    typeset = hook.on_page_content(f"<p>{shown}</p>", page, None, None)
    absolute = hook.mathml(r"\lvert k - m \rvert \le \min_x \lVert x \rVert_K", "block")
    assert re.findall(r'form="(\w+)"', absolute) == ["prefix", "postfix", "prefix", "postfix"]
    assert "<munder>" in absolute
    assert typeset.count("<math") == 2 and "<mfrac>" in typeset and "FORMULA" not in typeset
    code = "A pattern `a$` ends a line, `$` does not."
    assert hook.on_page_markdown(code, page, None, None) == code
    with pytest.raises(PluginError, match="nonsense"):
        hook.mathml("\\nonsense{x}", "inline")


def test_links_to_files_that_the_site_has_not_become_their_names():
    hook = loaded(ROOT / "docs" / "site" / "proofs.py")

    def turned(text):
        return hook.OUTSIDE.sub(hook.named, text)

    assert turned("[cost.py](../benchmarks/cost.py)") == "`benchmarks/cost.py`"
    assert turned("[the front door](../README.md#limits)") == "the front door (`README.md`)"
    shown = hook.plain("see [it](../certify/certificates/curves.proof.md), k'_i, `a_b`, <x,e>")
    assert shown == r"see [it](../certify/certificates/curves.md), k'\_i, `a_b`, &lt;x,e>"
    assert turned("[log](../CHANGELOG.md)") == "[log](changelog.md)"
    assert turned("[gone](../benchmarks/gone.py)") == "[gone](../benchmarks/gone.py)"


def test_every_public_name_is_in_the_reference(site):
    ids: set[str] = set()
    for page in (site / "api").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        ids |= set(re.findall(r'<[^>]* id="(leastnoise\.[^"]*)"', text))
        assert "doc-module" not in text  # a function that shares its module's name
    assert set(leastnoise.__all__) <= {name.rpartition(".")[2] for name in ids}


def test_arguments_are_a_list_in_the_reference(site):
    page = (site / "api" / "design.html").read_text(encoding="utf-8")
    assert re.search(r"<li>\s*(?:<p>)?<code>epsilon</code>, <code>delta</code>: the budget", page)


def test_a_dataclass_is_made_as_the_reference_says(site):
    page = (site / "api" / "queries.html").read_text(encoding="utf-8")
    shown = re.search(r'id="leastnoise.tables.Sum".*?<pre>(.*?)</pre>', page, re.S)[1]
    words = re.sub(r"<[^>]+>|\s", "", shown)
    assert words.startswith("Sum(column:str,") and words.index("*,") < words.index("where:")


def test_a_page_of_the_reference_begins_with_a_table_of_its_names(site):
    for source in (ROOT / "docs" / "api").glob("*.md"):
        page = (site / "api" / f"{source.stem}.html").read_text(encoding="utf-8")
        for name in re.findall(r"^::: (\S+)$", source.read_text(encoding="utf-8"), re.M):
            row = re.search(
                rf'<td><a href="#{name}"><code>\w+</code></a></td>\s*<td>(.+)</td>', page
            )
            assert row and len(row[1]) > 10, f"{name} has no line at the top of {source.name}"
            assert f'id="{name}"' in page


def test_the_words_of_the_field_are_headings_that_the_search_knows(site):
    found = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    titles = {entry["title"].lower() for entry in found}
    words = ("partition selection", "neighbors", "percentile", "post-processing", "glossary", "faq")
    assert titles >= {*words, "how do i choose epsilon?", "how do i install it?"}
    assert not any(entry["location"].startswith("proofs/") for entry in found)


#: What somebody types, and the page that has to come first.
SEARCHES = {
    "partition selection": "glossary.html#partition-selection",
    "neighbors": "glossary.html#neighbors",
    "neighbours": "glossary.html#neighbors",
    "percentile": "faq.html#how-do-i-ask-for-a-percentile",
    "post-processing": "glossary.html#post-processing",
    "how do I choose epsilon": "faq.html#how-do-i-choose-epsilon",
    "glossary": "glossary.html",
    "install": "install.html",
    "confidence interval": "glossary.html#margin-of-error-confidence-interval",
    "privacy budget": "glossary.html#privacy-budget",
    "contribution bound": "glossary.html#contribution-bound",
    "laplace": "glossary.html#laplace-noise",
    "gaussian": "glossary.html#gaussian-noise",
    "k-anonymity": "faq.html#why-is-it-not-enough-to-remove-names-or-to-use-k-anonymity",
    "gdpr": "faq.html#does-it-make-my-release-hipaa-or-gdpr-compliant",
    "group by": "groups.html",
    "opendp": "coming-from-opendp.html",
    "synthetic data": "faq.html#can-it-make-synthetic-data",
    "missing values": "queries.html#missing-values",
}


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """The site behind a server of this machine: the search needs one."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


def test_the_search_shows_the_right_page_first(address, browser):
    field, first = ".md-search__input", ".md-search-result__item a"
    page = browser.new_page()
    page.goto(address)
    page.click(field)
    for words, target in SEARCHES.items():
        name, _, heading = target.partition("#")
        page.fill(field, words)
        page.dispatch_event(field, "keyup")
        # A result links to its page, and marks the words there; below it are its headings.
        expected = f"{first}[href*='/{name}?h=']"
        if heading:
            expected = f".md-search-result__item:first-child a[href$='#{heading}']"
        page.wait_for_selector(expected, timeout=60_000, state="attached")
        top = page.get_attribute(f"{first} >> nth=0", "href") or ""
        assert f"/{name}?h=" in top, f"{words}: {top}"
    page.close()


def test_every_command_is_in_the_reference(site):
    page = (site / "commands.html").read_text(encoding="utf-8")
    commands = re.findall(r"<h3[^>]*>([\w -]+)<", page)
    assert {"ask", "design", "ledger create", "verify"} <= set(commands) and len(commands) > 20
    assert "--max-rows-per-group" in page and "\\|" not in page


def test_what_the_repository_links_to_exists():
    """Links between files of the repository, for those who read it there."""
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *PROOFS]:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")

    def named(part):
        if isinstance(part, str):
            yield part
        else:
            for one in part.values() if isinstance(part, dict) else part:
                yield from named(one)

    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    pages |= set(loaded(ROOT / "docs" / "site" / "proofs.py").OF_THE_PROJECT)
    pages |= set(loaded(ROOT / "docs" / "site" / "notebooks.py").notebooks())
    assert pages == set(named(yaml.safe_load(text)["nav"]))
