"""What the reference says is read off the package when the site is built.

A page of `api/` gets a table of its names at the top: each name with the first sentence of its
docstring. `commands.md` gets the help of every command.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

NAME = re.compile(r"^::: (leastnoise\.[\w.]+)$", re.M)
COMMANDS = "<!-- the commands -->"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A summary for a page of the reference, and the commands where they belong."""
    if page.file.src_uri.startswith("api/") and NAME.search(markdown):
        title, first, rest = re.split(r"\n\n", markdown, maxsplit=2)
        return f"{title}\n\n{first}\n\n{summary(NAME.findall(markdown))}\n\n{rest}"
    return markdown.replace(COMMANDS, commands()) if COMMANDS in markdown else markdown


def summary(names: list[str]) -> str:
    """A table of names: each links to its place and has the first sentence of its docstring."""
    rows = [
        f"| [`{name.rpartition('.')[2]}`](#{name}) | {first_sentence(name)} |" for name in names
    ]
    return "\n".join(["| name | what it is |", "|---|---|", *rows])


def first_sentence(name: str) -> str:
    """The first sentence of the docstring of what has this name, as Markdown in a table."""
    module, _, attribute = name.rpartition(".")
    text = inspect.getdoc(getattr(import_module(module), attribute)) or ""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    sentence = re.split(r"(?<=\w{2}[.:!?)`])\s+(?=[A-Z`])", paragraph, maxsplit=1)[0]
    return escaped(sentence)


def escaped(text: str) -> str:
    """A text for a cell of a table: no formatting but its code, no column of its own."""
    parts = re.split(r"(`[^`]*`)", text)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"([_*<\[])", r"\\\1", parts[place])
    return "".join(parts).replace("|", "\\|")


def commands() -> str:
    """The help of every command: its summary, a usage line, examples, arguments and options."""
    import typer

    from leastnoise.cli import app

    group: Any = typer.main.get_command(app)
    parts = []
    for heading, names in group.headings.items():
        parts.append(f"## {heading}")
        for name in names:
            command = group.commands[name]
            parts.append(one_command(command, name))
            for below, inner in getattr(command, "commands", {}).items():
                parts.append(one_command(inner, f"{name} {below}"))
    return "\n\n".join(parts)


def one_command(command: Any, name: str) -> str:
    """One command as a section of the page."""
    import typer

    names = {"help_option_names": ["-h", "--help"]}  # as the group has them
    context: Any = typer.Context(command, info_name=f"leastnoise {name}", **names)
    words, _, example = (command.help or "").partition("\b\n")
    lines = [f"### {name}", paragraphs(words)]
    if not hasattr(command, "commands"):
        usage = " ".join(command.collect_usage_pieces(context))
        lines.append(f"```text\nleastnoise {name} {usage}\n```")
    if example.strip():
        shown = "\n".join(line.strip() for line in example.strip().splitlines()[1:])
        lines.append(f"```text\n{shown}\n```")
    if not hasattr(command, "commands"):
        for heading, records in command.lists(context).items():
            rows = [f"| {code(written)} | {escaped(meaning)} |" for written, meaning in records]
            lines.append("\n".join([f"| {heading} | |", "|---|---|", *rows]))
    return "\n\n".join(lines)


def paragraphs(words: str) -> str:
    """The text of a help, a paragraph in a line."""
    found = re.split(r"\n\s*\n", words.strip())
    return "\n\n".join(re.sub(r"<(?=\w)", "&lt;", " ".join(one.split())) for one in found)


def code(words: str) -> str:
    """The name of an option, as code in a table."""
    return f"`{' '.join(words.split())}`"
