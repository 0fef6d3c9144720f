"""The views Design and Verify."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from ...errors import ArgumentError
from ..design_form import check
from ..models import DesignForm, JobState
from ..recipes import command, snippet
from ..state import ERRORS, Here, WebError, submit
from .jobs import job_state

router = APIRouter(prefix="/api", tags=["design"], responses=ERRORS)


class Started(BaseModel):
    """A design on its way, and how to get the same one without the web app."""

    job: JobState
    python: str
    command: str


@router.post("/design", status_code=202)
async def design(form: DesignForm, here: Here) -> Started:
    """Design noise. What makes no sense is refused at once, with the name of the field."""
    plain = form.form()
    try:
        await run_in_threadpool(check, plain)
    except ArgumentError as error:
        raise WebError(422, str(error), error.name) from None
    except (ArithmeticError, ValueError):
        raise WebError(422, "these numbers are too large, or too small, together") from None
    job = submit(here, "design", plain, form.time_limit)
    return Started(job=job_state(here, job), python=snippet(plain), command=command(plain))


_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("/verify", status_code=202, openapi_extra=_BODY)
async def verify(request: Request, here: Here) -> JobState:
    """Check a mechanism file or a report, the body of the request, with the exact checker."""
    return job_state(here, submit(here, "verify", {}, 60, await request.body()))
