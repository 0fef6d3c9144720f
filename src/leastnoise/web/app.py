"""The app: its routes, its errors, its life, and the gate around all of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from html import escape
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from .. import __version__
from ..losses import NAMED
from .guard import Guard
from .jobs import Jobs
from .routes import design, enter, jobs, tables
from .settings import Settings
from .state import State, WebError
from .tables import ServedTables

STATIC = Path(__file__).parent / "static"
_ABOUT = (
    "Designs of optimal noise with proofs, private answers about tables, and the checker of "
    "mechanism files. Every answer that is an error is an object with `errors`, a list of "
    "`field` and `message`. Long work is a job: its events are server-sent events."
)


def create_app(
    settings: Settings,
    started: Jobs | None = None,
    known: Callable[[Any], None] = lambda client: None,
) -> Guard:
    """The whole server as an ASGI app.

    started: jobs whose workers have been started already. known: told of each connection (its
    client's address) that has shown the key.
    """
    jobs_folder = settings.folder / "jobs"
    jobs_folder.mkdir(mode=0o700, exist_ok=True)
    state = State(settings, started or Jobs(jobs_folder, settings.limits), ServedTables(settings))

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        state.jobs.open(asyncio.get_running_loop())
        try:
            yield
        finally:
            state.jobs.close()

    app = FastAPI(
        title="leastnoise",
        version=__version__,
        description=_ABOUT,
        lifespan=life,
        docs_url=None,  # these pages would fetch their code from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.leastnoise = state
    for module in (enter, design, jobs, tables):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(page_with_losses())

    app.add_exception_handler(WebError, _web_error)
    app.add_exception_handler(RequestValidationError, _validation_errors)
    app.add_exception_handler(HTTPException, _http_error)
    return Guard(app, settings, known)


def page_with_losses() -> str:
    """The page, with an entry of its menu for every loss that has a name."""
    entries = (
        f'<option value="{name}" data-number="{escape(loss.number)}" '
        f'data-usual="{escape(loss.usual)}">{escape(loss.words)}</option>'
        for name, loss in NAMED.items()
    )
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    return page.replace("<!-- losses -->", "\n          ".join(entries))


def _errors(status: int, errors: list[tuple[str | None, str]]) -> JSONResponse:
    told: list[dict[str, Any]] = [{"field": field, "message": words} for field, words in errors]
    return JSONResponse({"errors": told}, status)


async def _web_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, WebError)
    return _errors(error.status, [(error.field, error.message)])


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    answer = _errors(error.status_code, [(None, str(error.detail))])
    answer.headers.update(error.headers or {})
    return answer


#: What pydantic says of a field, as the package says it; no value is quoted.
_WORDS = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be an integer"),
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "missing": "must be given",
    "string_type": "must be a string",
    "string_too_long": "must have at most {max_length} characters",
}


async def _validation_errors(_: Request, error: Exception) -> JSONResponse:
    """What is wrong with a request, by field, and never what it held."""
    assert isinstance(error, RequestValidationError)
    messages = []
    for detail in error.errors():
        place = [str(part) for part in detail["loc"] if part not in ("body", "query", "path")]
        field = ".".join(place) or None
        words = _WORDS.get(detail["type"], "is not valid: " + detail["msg"])
        messages.append(
            (field, f"{field or 'the request'} {words.format(**detail.get('ctx', {}))}")
        )
    return _errors(422, messages)
