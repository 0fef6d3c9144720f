"""How help looks: commands and options below headings, and values named after what they are."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup

from ..hints import meant
from .options import HEADINGS

#: So many options are listed below headings.
_LONG = 18
#: What stands in a help text for the type of an option without a name for its value.
_VALUES = {"int": "N", "int range": "N", "float": "NUMBER", "str": "TEXT", "path": "FILE"}


class GroupHelp(TyperGroup):
    """A group of commands; `headings` has the commands of each heading of the help text."""

    headings: ClassVar[dict[str, list[str]]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one list of commands for each heading."""
        for heading, entries in self.headings.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name, self.commands[name].get_short_help_str(100)) for name in entries]
                )


class CommandHelp(TyperCommand):
    """A command whose help lists many options below the headings of `HEADINGS`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line, such as "FILE" and "[VALUES]..."."""
        return [
            re.sub(r"[{}]", "", piece).replace("......", "...").upper()
            for piece in super().collect_usage_pieces(ctx)
        ]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Where numbers such as -3 are values, an unknown word such as --eps is none.

        A missing argument or option says what it is.
        """
        known = {word for param in self.get_params(ctx) for word in param.opts}
        words = {word.partition("=")[0] for word in args if word.startswith("--")}
        ctx.ignore_unknown_options = ctx.ignore_unknown_options and words <= {*known, "--"}
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # (typer may bring its own copy of click's classes)
            param = getattr(error, "param", None)
            unknown = getattr(error, "option_name", "").lstrip("-").replace("-", "_")
            option = meant(unknown, [word.lstrip("-").replace("-", "_") for word in known])
            if type(error).__name__ == "MissingParameter" and param is not None:
                error.message = (getattr(param, "help", None) or "").strip()  # type: ignore[attr-defined]
            elif type(error).__name__ == "NoSuchOption" and option:
                error.possibilities = ["--" + option.replace("_", "-")]  # type: ignore[attr-defined]
            raise

    def lists(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Heading to its arguments or options: how each is written, and what it means.

        Short lists of options are not parted.
        """
        params = self.get_params(ctx)
        rows: dict[str, list[tuple[str, str]]] = {h: [] for h in ("Arguments", *HEADINGS)}
        for param in params:
            record = param.get_help_record(ctx)
            if record is None:
                continue
            heading = next((h for h, names in HEADINGS.items() if param.name in names), None)
            if param.param_type_name == "argument":
                heading = "Arguments"
            elif len(params) < _LONG:
                heading = None
            rows.setdefault(heading or "Options", []).append((_name(param, record[0]), record[1]))
        return {heading: records for heading, records in rows.items() if records}

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a list for the arguments and one for each heading."""
        for heading, records in self.lists(ctx).items():
            with formatter.section(heading):
                formatter.write_dl(records)


def _name(param: Any, written: str) -> str:
    """How an argument or option is written, without Python's name of its type."""
    if param.param_type_name == "argument":
        return re.sub(r" <.*>$", "", written).upper()
    return re.sub(r"<([^<>]+)>$", lambda kind: _VALUES.get(kind[1], kind[1]), written)
