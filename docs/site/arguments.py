"""How docstrings here name their arguments, as a list: `epsilon, delta: the budget ...`.

A docstring is plain text. A line such as `name: words` or `one, other: words`, with its indented
lines after it, becomes an item; lines that stand by themselves stay as they are.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ITEM = re.compile(r"^(\*{0,2}[a-z_]\w*(?:, \*{0,2}[a-z_]\w*)*): (?=\S)")


def as_list(text: str) -> str:
    """The docstring with its named arguments as a Markdown list."""
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        found = ITEM.match(line)
        if found:
            if not inside and lines and lines[-1]:
                lines.append("")
            names = ", ".join(f"`{name}`" for name in found[1].split(", "))
            lines.append(f"- {names}: {line[found.end() :]}")
        else:
            if inside and line and not line.startswith(" "):
                lines.append("")
            lines.append(line)
        inside = bool(found) or (inside and line.startswith(" "))
    return "\n".join(lines)


def in_order(kind: griffe.Class, parameters: griffe.Parameters) -> griffe.Parameters:
    """Fields as Python has them: `field(kw_only=False)` is positional, keyword-only ones last."""
    named, last = griffe.ParameterKind.positional_or_keyword, griffe.ParameterKind.keyword_only
    for one in parameters:
        held = kind.all_members.get(one.name)
        if held is not None and "kw_only=False" in str(getattr(held, "value", "")):
            one.kind = named
    return griffe.Parameters(*sorted(parameters, key=lambda one: one.kind is last))


def with_fields(kind: griffe.Class) -> griffe.Parameters:
    """The parameters of a function that passes all it is given on to a dataclass."""
    fields = [one for one in kind.members.values() if one.is_attribute and one.annotation]
    last = griffe.ParameterKind.keyword_only
    return griffe.Parameters(
        *(
            griffe.Parameter(one.name, annotation=one.annotation, kind=last, default=one.value)
            for one in fields
        )
    )


class Arguments(griffe.Extension):
    """Rewrites every docstring before it is shown, and sorts the fields of dataclasses."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        # `design` takes what `Arguments` holds.
        pkg["design.design"].parameters = with_fields(pkg["problem.arguments.Arguments"])
        todo: list[griffe.Object] = [pkg]
        while todo:
            here = todo.pop()
            made = here.members.get("__init__")
            if isinstance(here, griffe.Class) and isinstance(made, griffe.Function):
                made.parameters = in_order(here, made.parameters)
            todo += [one for one in here.members.values() if not one.is_alias and one is not made]

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            shown = obj.docstring.value.replace("  # doctest: +SKIP", "")
            obj.docstring.value = as_list(shown)
