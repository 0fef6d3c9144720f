"""The proofs that lie beside the code become pages of the site, and links to them keep working.

`src/leastnoise/certify/noise/line/lattice_privacy.proof.md` is the page
`proofs/certify/noise/line/lattice_privacy.md`. Pages link to the file in the repository
(`../src/leastnoise/...`), so that the links work there as well; here they are turned to the page.
Other files of the repository are named, since the site has them not. `proofs.md` gets the list of
all proofs. The search leaves proofs out: their words are everywhere. The changelog, the security
policy and the rules for contributors are pages, too.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "leastnoise"
LINK = re.compile(r"(?<=\]\()[./]*src/leastnoise/([\w/]+)\.proof\.md(?=[#)])")
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+([\w./-]+)(?:#[\w-]*)?\)")
HERE = "<!-- the proofs -->"
#: Page of the site to file of the repository.
OF_THE_PROJECT = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}


def proofs() -> dict[str, Path]:
    """Page of the site to file of the repository."""
    found = sorted(SOURCE.rglob("*.proof.md"))
    return {
        f"proofs/{path.relative_to(SOURCE).as_posix().removesuffix('.proof.md')}.md": path
        for path in found
    }


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every proof and for the files of the project."""
    for uri, name in OF_THE_PROJECT.items():
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        for other_uri, other_name in OF_THE_PROJECT.items():
            text = text.replace(f"]({other_name})", f"]({other_uri})")
        files.append(File.generated(config, uri, content=text))
    for uri, path in proofs().items():
        files.append(File.generated(config, uri, content=paragraphs(path.read_text("utf-8"), path)))
    return files


def paragraphs(text: str, path: Path) -> str:
    """A proof as it is read: a line that opens with bold or slanted words is a paragraph.

    Lists stand apart from the line before them, as Markdown wants it.
    """
    name = path.relative_to(SOURCE).as_posix().removesuffix(".proof.md")
    text = re.sub(r"\n(?=\*\*?[A-Z])", "\n\n", plain(text.partition("\n")[2]))
    text = re.sub(r"^(?!- | |$)(.*)\n(?=- )", r"\1\n\n", text, flags=re.M)
    text = re.sub(r"`([\w./]+)\.proof\.md`", lambda named: linked(named, path), text)
    up = "../" * (name.count("/") + 1)
    return (
        f"---\nsearch:\n  exclude: true\n---\n\n# Proof: {name}\n\n"
        f"Beside `src/leastnoise/{name}.py`. [All proofs]({up}proofs.md)\n{text}"
    )


def linked(named: re.Match[str], path: Path) -> str:
    """Another proof that is named in code, as a link to its page; a name of none stays."""
    other = path.parent / f"{named[1]}.proof.md"
    name = named[1].rpartition("/")[2]
    return f"[{name}]({named[1]}.md)" if other.exists() else named[0]


def plain(text: str) -> str:
    """Formulas are text: k'_i is no emphasis and <x,e> no tag. Code stays as it is."""
    text = re.sub(r"(\]\([\w./]+)\.proof\.md(?=[#)])", r"\1.md", text)  # one proof names another
    code = r"(^```\w*\n(?:.*\n)*?```$|^(?: {4}|\t).*$|`[^`\n]*`|\]\([^)\s]*\))"
    parts = re.split(code, text, flags=re.M)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"<(?=[a-z/])", "&lt;", parts[place].replace("_", r"\_"))
    return "".join(parts)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links to proofs, and put the list of proofs where it belongs."""
    here = posixpath.dirname(page.file.src_uri)
    markdown = LINK.sub(
        lambda link: posixpath.relpath(f"proofs/{link[1]}.md", here or "."), markdown
    )
    if not page.file.src_uri.startswith(("proofs/", "api/")):
        markdown = OUTSIDE.sub(named, markdown)
    return markdown.replace(HERE, listed()) if HERE in markdown else markdown


def named(link: re.Match[str]) -> str:
    """A link to a file outside the site as its page or its name; one that leads nowhere stays."""
    words, path = link[1], link[2]
    if not (ROOT / path).exists():
        return link[0]
    for uri, name in OF_THE_PROJECT.items():
        if name == path:
            return f"[{words}]({uri})"
    return f"`{path}`" if words in path else f"{words} (`{path}`)"


def listed() -> str:
    """One line for each part of the code, with its proofs."""
    by_part: dict[str, list[str]] = {}
    for uri in proofs():
        parts = uri.removeprefix("proofs/").removesuffix(".md").rpartition("/")
        by_part.setdefault(parts[0] or "leastnoise", []).append(f"[{parts[2]}]({uri})")
    rows = [f"| `{part}` | {', '.join(links)} |" for part, links in sorted(by_part.items())]
    return "\n".join(["| part | proofs |", "|---|---|", *rows])
