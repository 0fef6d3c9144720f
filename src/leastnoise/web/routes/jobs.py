"""Jobs: where one stands, its events as they come, its files, and its end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query
from fastapi.responses import FileResponse, StreamingResponse

from ..jobs import DONE, GIVEN, Job
from ..models import JobState
from ..state import ERRORS, Here, State, WebError, job_of, submit

router = APIRouter(prefix="/api/jobs", tags=["jobs"], responses=ERRORS)

#: What jobs leave in their folders, and as what it is sent.
_KINDS = {
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".py": "text/x-python; charset=utf-8",
    ".ipynb": "application/x-ipynb+json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
#: Written whole or not at all.
MECHANISM = "mechanism.json"
Baselines = Annotated[str, Query(max_length=400, description="Names, separated by commas.")]


def job_state(here: State, job: Job) -> JobState:
    """Where a job stands."""
    files = list(_files(job))
    return JobState(
        job=job.id,
        state=job.state,  # type: ignore[arg-type]
        ahead=here.jobs.ahead(job),
        events=len(job.events),
        files=files,
    )


def _files(job: Job) -> dict[str, Path]:
    """The files of a job by name, but for what it was given; while it runs, only whole ones."""
    files = {path.name: path for path in sorted(job.folder.iterdir()) if path.suffix in _KINDS}
    files.pop(GIVEN, None)
    return files if job.over else {n: path for n, path in files.items() if n == MECHANISM}


@router.get("/{name}")
async def state(name: str, here: Here) -> JobState:
    """Where a job stands. A job that nobody looks at for two minutes is stopped."""
    return job_state(here, job_of(here, name))


@router.delete("/{name}")
async def stop(name: str, here: Here) -> JobState:
    """Stop a job. A design that has a bracket by then tells it before it ends."""
    job = job_of(here, name)
    here.jobs.stop(job)
    return job_state(here, job)


_TEXTS = {"id": {"type": "string"}, "event": {"type": "string"}, "data": {"type": "string"}}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Each event has a number, a name, and an object as JSON.",
        "content": {"text/event-stream": {"schema": {"type": "object", "properties": _TEXTS}}},
    }
}


@router.get("/{name}/events", response_class=StreamingResponse, responses=_EVENTS)
async def events(
    name: str, here: Here, last_event_id: Annotated[str | None, Header(max_length=20)] = None
) -> StreamingResponse:
    """Its events from the first one (or after Last-Event-ID), as server-sent events."""
    job = job_of(here, name)
    digits = last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit()
    start = int(last_event_id or 0) + 1 if digits else 0

    async def lines() -> AsyncIterator[str]:
        async for number, event in job.stream(start):
            data = json.dumps(event["data"], allow_nan=False)
            yield f"id: {number}\nevent: {event['event']}\ndata: {data}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind.partition(";")[0]: {} for kind in _KINDS.values()}}
}


@router.get("/{name}/files/{file}", response_class=FileResponse, responses=_FILE)
async def file(name: str, file: str, here: Here) -> FileResponse:
    """A file that a job has left."""
    path = _files(job_of(here, name)).get(file)
    if path is None:
        raise WebError(404, "this file does not exist here")
    return FileResponse(path, filename=file, media_type=_KINDS[path.suffix])


def _mechanism(here: State, name: str) -> str:
    """Where the mechanism file of a job lies."""
    path = _files(job_of(here, name)).get(MECHANISM)
    if path is None:
        raise WebError(404, "this job has no design (yet)")
    return str(path)


@router.post("/{name}/composition", status_code=202)
async def composition(name: str, here: Here) -> JobState:
    """The total cost of many releases of a design: a job, since it takes a while."""
    return job_state(here, submit(here, "compose", {"file": _mechanism(here, name)}, 60))


@router.get("/{name}/picture/{kind}", response_class=FileResponse, responses=_FILE)
async def picture(
    name: str, kind: Literal["png", "svg"], here: Here, baselines: Baselines = ""
) -> FileResponse:
    """A picture of a design beside the baselines that are named."""
    named = [name for name in baselines.split(",") if name]
    arguments = {"file": _mechanism(here, name), "kind": kind, "baselines": named}
    job = await submit(here, "picture", arguments, 60).finished()
    if job.state != DONE:
        raise WebError(422, job.end.get("message") or "it was stopped", job.end.get("field"))
    path = job.folder / job.end["file"]
    return FileResponse(path, filename=f"noise.{kind}", media_type=_KINDS[path.suffix])
