r"""Formulas of the pages become MathML when the site is built; browsers typeset it themselves.

A page has formulas in TeX, as GitHub reads them: a block with the language `math`, and
$`\varepsilon`$ within a line. They leave the text before Markdown is read and come back after it.
"""

from __future__ import annotations

import re
from functools import cache

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

#: A block of code with its indent, its language and its text; or a formula within a line.
PART = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<block>.*?)^ *```$|"
    r"(?<![^\s(\[|])\$`(?P<inline>[^`\n]+)`\$",
    re.M | re.S,
)
#: The sides of absolute values and norms, in TeX; and their bars in MathML.
SIDE = re.compile(r"\\([lr])(?=[vV]ert(?![a-zA-Z]))")
BAR = re.compile(r"<mo>(&#x0007C;|&#x02016;)</mo>")
PLACE = re.compile(r"(?:<p>)?FORMULA(\d+)BLOCK(?:</p>)?|FORMULA(\d+)INLINE")


@cache
def mathml(tex: str, display: str) -> str:
    """A formula as MathML. A command that the converter does not know ends the build."""
    from latex2mathml.converter import convert

    tex = tex.strip()
    if display == "block":
        tex = re.sub(r"\\(min|inf)_", r"\\\1\\limits_", tex)  # what is minimized over stands below
    text = convert(tex, display=display)
    if "\\" in text:
        raise PluginError(f"a formula has a command that cannot be converted: {tex}")
    sides = iter(["prefix" if side == "l" else "postfix" for side in SIDE.findall(tex)])
    text = BAR.sub(lambda bar: f'<mo form="{next(sides)}" stretchy="false">{bar[1]}</mo>', text)
    return f'<div class="formula">{text}</div>' if display == "block" else text


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put a word in the place of each formula outside code, and keep the formula for later."""
    formulas: list[str] = []

    def taken(part: re.Match[str]) -> str:
        if part["inline"]:
            formulas.append(mathml(part["inline"], "inline"))
            return f"FORMULA{len(formulas) - 1}INLINE"
        if part["language"] != "math":
            return part[0]
        formulas.append(mathml(part["block"], "block"))
        return f"{part['indent']}FORMULA{len(formulas) - 1}BLOCK"

    page.meta["formulas"] = formulas
    return PART.sub(taken, markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the formulas back."""
    formulas = page.meta.pop("formulas")
    return PLACE.sub(lambda place: formulas[int(place[1] or place[2])], html)
