"""What routes share: the settings, the jobs and the tables of the running server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends, Request

from .jobs import BusyError, Job, Jobs
from .models import Errors
from .settings import Settings
from .tables import ServedTable, ServedTables


@dataclass(frozen=True)
class State:
    """One server."""

    settings: Settings
    jobs: Jobs
    tables: ServedTables


def state_of(request: Request) -> State:
    """The state of the app that serves this request."""
    return cast(State, request.app.state.leastnoise)


Here = Annotated[State, Depends(state_of)]


class WebError(Exception):
    """An answer that is an error: its status, and the field that it is about."""

    def __init__(self, status: int, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.field = status, message, field


#: What routes may answer besides what they promise, for the description of the API.
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": Errors, "description": words}
    for status, words in {
        400: "The request cannot be read.",
        401: "The key is missing.",
        403: "Not this server, or another site.",
        404: "Not found.",
        405: "Method not allowed.",
        409: "Conflict with the current state.",
        413: "Too large.",
        415: "Unsupported media type.",
        422: "A field is not valid; the error names it and says what is allowed.",
        429: "Too many jobs are waiting.",
    }.items()
}


def submit(
    here: State, task: str, arguments: dict[str, Any], seconds: float, given: bytes | None = None
) -> Job:
    """Queue a job, or say that too many wait."""
    try:
        return here.jobs.submit(task, arguments, seconds, given)
    except BusyError:
        raise WebError(429, "too many jobs are waiting: try again later") from None


def job_of(here: State, name: str) -> Job:
    """A job by name."""
    job = here.jobs.get(name)
    if job is None:
        raise WebError(404, "this job does not exist (any more)")
    return job


def table_of(here: State, name: str) -> ServedTable:
    """A table by its number."""
    table = here.tables.served.get(name)
    if table is None:
        raise WebError(404, "this table does not exist here")
    return table
