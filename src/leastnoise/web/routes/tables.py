"""The view Ask: tables, their ledgers, plans and answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from ...errors import ArgumentError, LeastnoiseError
from ..jobs import DONE
from ..models import AskForm, CsvForm, JobState, LedgerForm, PlanForm, QueryOffer
from ..state import ERRORS, Here, State, WebError, submit, table_of
from ..tables import ENDINGS, ServedTable
from ..uploads import NotATable, TooLarge
from .jobs import job_state

router = APIRouter(prefix="/api", tags=["tables"], responses=ERRORS)
#: Seconds for a plan, for an answer and for the columns of a table, before `Limits.grace`.
PLAN_SECONDS, ANSWER_SECONDS, COLUMN_SECONDS = 120.0, 300.0, 60.0


class TableState(BaseModel):
    """A table: its number here, and whether there is a ledger for it that outlives this server.

    All tables share one ledger, but for the demo table.
    """

    id: str
    name: str
    kind: Literal["file", "upload", "demo"]
    lasting: bool
    ledger: bool


class ColumnAnswer(BaseModel):
    """A column's name and type, which are taken to be public, and what they are good for."""

    name: str
    type: str
    number: bool
    key: bool
    person: bool
    time: bool


class ColumnsAnswer(BaseModel):
    """The columns of a table; of an Excel file its sheets, too."""

    columns: list[ColumnAnswer]
    sheets: list[str]


@router.get("/queries")
def queries() -> list[QueryOffer]:
    """The kinds of queries that can be asked."""
    from ..questions import offers

    return offers()


def _table_state(here: State, table: ServedTable) -> TableState:
    return TableState(**here.tables.describe(table))


@router.get("/tables")
async def tables(here: Here) -> list[TableState]:
    """The tables of this server."""
    return [_table_state(here, table) for table in here.tables.served.values()]


@router.post("/tables/demo")
async def demo(here: Here) -> TableState:
    """A table of people who do not exist."""
    return _table_state(here, await run_in_threadpool(here.tables.demo))


_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("/tables/upload", openapi_extra=_BODY)
async def upload(
    request: Request, here: Here, name: Annotated[str, Query(min_length=1, max_length=300)]
) -> TableState:
    """Keep the body of the request as a table, in a folder of this server's own."""
    try:
        return _table_state(here, await here.tables.upload(name, request.stream()))
    except NotATable:
        words = f"name must end with one of {', '.join(ENDINGS)}, and a .gz file must be complete"
        raise WebError(422, words, "name") from None
    except TooLarge:
        most = here.settings.limits.unpacked_bytes
        raise WebError(413, f"unpacked larger than {most} bytes, which is the limit here") from None


@router.get("/tables/{name}/columns")
async def columns(name: str, here: Here, csv: Annotated[CsvForm, Query()]) -> ColumnsAnswer:
    """Names and types of a table's columns, which are taken to be public; no row is read."""
    table = table_of(here, name)
    arguments = {"table": str(table.path), "name": table.name, "csv": csv.stated()}
    job = await submit(here, "columns", arguments, COLUMN_SECONDS).finished()
    if job.state != DONE:
        field = job.end.get("field")
        named = field if field in CsvForm.model_fields else "table"
        raise WebError(422, job.end.get("message") or "it was stopped", named)
    return ColumnsAnswer(
        columns=[ColumnAnswer(**column) for column in job.end["columns"]], sheets=job.end["sheets"]
    )


@router.get("/tables/{name}/ledger")
async def ledger(name: str, here: Here) -> dict[str, Any]:
    """What a table's ledger allows, what is spent and left, and its history."""
    table = table_of(here, name)
    return await _quietly(_balance, table)


@router.post("/tables/{name}/ledger", status_code=201)
async def create(name: str, form: LedgerForm, here: Here) -> dict[str, Any]:
    """Make the ledger, once; all tables but the demo table share one.

    Another one is made for this table and those that come, if `fresh` says that what was charged
    before does not count any more.
    """
    table = table_of(here, name)
    if table.ledger.exists():
        if not form.fresh:
            words = "there already is a ledger: the budget is set once for all tables here"
            raise WebError(409, words)
        if table.lasting:
            words = (
                "this ledger is the file that was named at the start: start the server with "
                "another file"
            )
            raise WebError(409, words)
        table = here.tables.fresh(table)
    made = await _quietly(_create, table, form)
    here.tables.keep(table)
    return made


def _create(table: ServedTable, form: LedgerForm) -> dict[str, Any]:
    from ...tables.ledger import Ledger

    Ledger.create(
        table.ledger, epsilon=form.epsilon, delta=form.delta, composition=form.composition
    )
    return _balance(table)


def _balance(table: ServedTable) -> dict[str, Any]:
    from ...tables.ledger import Ledger
    from ..books import balance_of

    if not table.ledger.exists():
        raise WebError(404, "this table has no ledger yet")
    return balance_of(Ledger(table.ledger)) | {"lasting": table.lasting, "number": table.number}


async def _quietly(function: Any, *arguments: Any) -> dict[str, Any]:
    try:
        result: dict[str, Any] = await run_in_threadpool(function, *arguments)
    except ArgumentError as error:
        raise WebError(422, str(error), f"ledger.{error.name}") from None
    except LeastnoiseError as error:
        raise WebError(409, str(error)) from None
    return result


@router.post("/plan", status_code=202)
async def plan(form: PlanForm, here: Here) -> JobState:
    """The error to expect of each question, from public numbers: no table is read."""
    return job_state(here, submit(here, "plan", form.form(), PLAN_SECONDS))


@router.post("/tables/{name}/ask", status_code=202)
async def ask(name: str, form: AskForm, here: Here) -> JobState:
    """Private answers, charged to the table's ledger before any noise is drawn."""
    table = table_of(here, name)
    balance = await _quietly(_balance, table)
    arguments = {
        "form": form.form(),
        "csv": form.csv.stated(),
        "table": str(table.path),
        "ledger": str(table.ledger),
        "name": table.name,
        "demo": table.kind == "demo",
        "shown": table.shown,
        "lasting": str(table.ledger) if table.lasting else None,
        "budget": {
            "epsilon": f"{balance['epsilon']!r}",
            "delta": f"{balance['delta']!r}",
            "composition": balance["composition"],
        },
    }
    return job_state(here, submit(here, "ask", arguments, ANSWER_SECONDS))
