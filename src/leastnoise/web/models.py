"""What requests may hold: texts of numbers of limited length, and nothing that is not named here.

Numbers are texts ("0.2", "1e-6", "7/60"), so that what is meant is what is designed for.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..losses import NAMED


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("printable characters only")
    return text


Printable = AfterValidator(_printable)
Number = Annotated[
    str, Field(min_length=1, max_length=60, examples=["1", "0.2", "1e-6", "7/60"]), Printable
]
Name = Annotated[str, Field(min_length=1, max_length=200), Printable]
Condition = Annotated[str, Field(min_length=1, max_length=500), Printable]
#: A loss by name. (`leastnoise.losses` would also read "piecewise:FILE"; nobody here names files.)
LossName = Annotated[
    str,
    Field(
        max_length=60,
        pattern=f"^({'|'.join(f'{k}:[0-9eE./+-]+' if v.key else k for k, v in NAMED.items())})$",
    ),
]


class Strict(BaseModel):
    """No field that is not named, and no silent change of type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class LossForm(Strict):
    """A loss: by name, with its number if it has one, or drawn as a piecewise linear function."""

    kind: Annotated[str, Field(pattern=f"^({'|'.join(NAMED)}|piecewise)$")] = "l1"
    parameter: Number | None = None
    points: list[Annotated[list[Number], Field(min_length=2, max_length=2)]] = Field(
        default_factory=list, max_length=60
    )
    slopes: list[Number] = Field(default_factory=list, max_length=2)


class DesignForm(Strict):
    """One design: the arguments of `leastnoise.design` that the web app offers."""

    epsilon: Number
    delta: Number
    sensitivity: Number
    loss: LossForm = Field(default_factory=LossForm)
    integer: bool = False
    bounds: Annotated[list[Number], Field(min_length=2, max_length=2)] | None = None
    dimension: Annotated[int, Field(ge=1, le=1000)] | None = None
    releases: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    support: Annotated[list[Number | None], Field(min_length=2, max_length=2)] = [None, None]
    max_error: Number | None = None
    monotone: bool = False
    symmetric: bool = False
    unbiased: bool = False
    unimodal: Number | None = None
    distinguishing: Number | None = None
    second_loss: LossName | None = None
    second_bound: Number | None = None
    gap: Number | None = None
    time_limit: Annotated[int, Field(ge=1, le=300)] = 30

    def form(self) -> dict[str, Any]:
        """Plain values, for `design_form.py` and `recipes.py`."""
        return self.model_dump()


class CsvForm(Strict):
    """How a CSV or Excel file is written, as its owner says; null: as usual for its ending."""

    delimiter: Literal[",", ";", "\t", "|"] | None = None
    decimal: Literal[".", ","] | None = None
    thousands: Literal[",", ".", " ", "'"] | None = None
    encoding: (
        Literal["utf-8", "cp1252", "latin-1", "cp1250", "cp1251", "cp850", "mac-roman"] | None
    ) = None
    dates: Literal["2024-12-31", "31.12.2024", "31/12/2024", "12/31/2024"] | None = None
    #: Not strict: it also comes as a word of an address.
    line_breaks: Annotated[bool, Field(strict=False)] | None = None
    sheet: Name | None = Field(default=None, description="Excel: the sheet, of several.")
    header: Annotated[int, Field(strict=False, ge=1, le=1_048_576)] | None = Field(
        default=None, description="Excel: the row that names the columns."
    )

    def stated(self) -> dict[str, Any]:
        """What was said."""
        return self.model_dump(exclude_none=True)


def _offered_kinds() -> list[str]:
    from ..tables.queries.registry import offered  # (once it is wanted: this takes a while)

    return list(offered())


def _known_kind(word: str) -> str:
    if word not in _offered_kinds():
        raise ValueError(f"one of {', '.join(_offered_kinds())}")
    return word


def _list_kinds(schema: dict[str, Any]) -> None:
    schema["enum"] = _offered_kinds()


#: The word of a query that the web app offers.
Kind = Annotated[
    str, Field(max_length=60, json_schema_extra=_list_kinds), AfterValidator(_known_kind)
]


Keys = Annotated[list[Name], Field(min_length=1, max_length=200)]


class QueryOffer(BaseModel):
    """A kind of query: what it is called, and the fields that its form has."""

    kind: str
    title: str
    phrase: str = Field(description="What its answers are called, with its fields in braces.")
    fields: list[str]
    optional: list[str] = Field(description="Those of the fields that may be left empty.")
    all_rows: bool = Field(description="Whether it can be about all rows, without a column.")
    mechanism: str = Field(description='What is released of it, such as "numbers" or a "choice".')


class QueryForm(Strict):
    """One question about a table."""

    kind: Kind = "count"
    column: Name | None = None
    columns: Annotated[list[Name], Field(min_length=1, max_length=50)] | None = Field(
        default=None, description="Several means: of these. Bounds are then like 0, 0, 1."
    )
    attributes: Annotated[list[Name], Field(min_length=1, max_length=12)] | None = Field(
        default=None, description="Marginals: the columns of the tables, with keys for each."
    )
    low: Number | None = None
    high: Number | None = None
    q: Number | None = None
    levels: Annotated[list[Number], Field(min_length=1, max_length=99)] | None = None
    bins: Annotated[int, Field(ge=1, le=200)] | None = None
    condition: Condition | None = None
    ways: Annotated[list[int | list[Name]], Field(min_length=1, max_length=50)] | None = Field(
        default=None, description="Marginals: how many columns a table has, or which."
    )
    interval: bool | None = Field(
        default=None, description="Quantiles: whether they shall have confidence intervals."
    )
    where: Condition | None = None
    by: Name | Annotated[list[Name], Field(min_length=1, max_length=4)] | None = None
    keys: Keys | Annotated[list[Keys], Field(min_length=1)] | Literal["private"] | None = Field(
        default=None, description="Of one column a list, of several a list for each of them."
    )
    within: Number | None = Field(
        default=None,
        description="The error that 95% of answers shall be within; epsilon then follows from it.",
    )


class TableForm(Strict):
    """Questions that share a budget, and whose privacy it is."""

    queries: Annotated[list[QueryForm], Field(min_length=1, max_length=12)]
    epsilon: Number
    delta: Number = "0"
    unit: Name | None = Field(
        default=None, description="The column that identifies a person; null: a row."
    )
    max_rows_per_group: Annotated[int, Field(ge=1, le=1 << 20)] | None = None
    max_groups: Annotated[int, Field(ge=1, le=1 << 20)] | None = Field(
        default=None, description="In how many groups a person counts; null: in one."
    )
    neighbors: Literal["add-remove", "replace"] = "add-remove"
    rows: Annotated[int, Field(ge=1, le=10**12)] = Field(
        default=1000, description="A public guess at the number of rows of the table."
    )
    group_rows: Annotated[int, Field(ge=1, le=10**12)] | None = Field(
        default=None,
        description="The same of one group; null: the rows of the table, divided evenly.",
    )
    loss: Literal["l1", "l2"] = "l1"
    rests_on: Number | None = Field(
        default=None,
        description="With one query: a part of epsilon for an estimate of what it rests on.",
    )

    def form(self) -> dict[str, Any]:
        """Plain values; a person counts in one group unless it was said otherwise."""
        options = self.model_dump()
        if options["unit"] is not None and options["max_groups"] is None:
            options["max_groups"] = 1
        return options


class AskForm(TableForm):
    """The same for asking: how the table's file is written."""

    csv: CsvForm = Field(default_factory=CsvForm)
    imprecise: Number | None = Field(
        default=None,
        description="Mark numbers whose 95% margin of error is more than this part of them.",
    )


class PlanForm(TableForm):
    """The same for planning: at which epsilons, and of which columns, if a table was chosen."""

    epsilons: Annotated[list[Number], Field(max_length=12)] = Field(default_factory=list)
    columns: Annotated[list[str], Field(max_length=10_000)] | None = None


class LedgerForm(Strict):
    """A total budget."""

    epsilon: Number
    delta: Number = "0"
    composition: Literal["basic", "adaptive"] = "basic"
    fresh: bool = Field(
        default=False,
        description="Whether charges of an earlier ledger do not count any more: right only for "
        "tables about other people, or if no answer was used.",
    )


class FieldError(BaseModel):
    """What is wrong, and with which field of the request (null: with none in particular)."""

    field: str | None
    message: str


class Errors(BaseModel):
    """Every error of this server."""

    errors: list[FieldError]


class JobState(BaseModel):
    """Where a job stands."""

    job: str
    state: Literal["queued", "running", "done", "failed", "stopped"]
    ahead: int = Field(description="Number of jobs before this one in the queue.")
    events: int = Field(description="Number of events so far.")
    files: list[str] = Field(description="Files that can be downloaded.")
