"""The ledger of jobs: a bounded queue in front of a bounded number of worker processes.

Everything here runs in the server's event loop; workers speak to it through
`call_soon_threadsafe`, so there are no locks. Two lanes: designs and answers wait for each other
in one, and short work (checks, pictures, names of columns) has a worker of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import shutil
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .settings import Limits
from .tasks import NOT_ANSWERED
from .workers import Worker

QUEUED, RUNNING = "queued", "running"
DONE, FAILED, STOPPED = "done", "failed", "stopped"
OVER = frozenset({DONE, FAILED, STOPPED})
#: Tasks for the lane of short work.
SHORT = frozenset({"verify", "picture", "columns"})
#: The name of a file that a job was given.
GIVEN = "given.json"
#: A worker is replaced after so many tasks.
_TIRED = 200
#: Seconds after which a lane that is busy gets a worker that waits.
_SPARE = 1.0
#: Seconds after which the short lane gets its worker, if nobody wanted it before.
_LATER = 4.0
#: So many workers in a row that end before they are ready are the last.
_HOPELESS = 3


class BusyError(Exception):
    """The queue is full; nothing was started."""


@dataclass(eq=False)
class Job:
    """One task, what was asked, and every event it has told."""

    id: str
    task: str
    arguments: dict[str, Any]
    folder: Path
    seconds: float
    state: str = QUEUED
    events: list[dict[str, Any]] = field(default_factory=list)
    #: Whether it was told to stop, and whether because its time was over.
    stopping: bool = False
    late: bool = False
    worker: Worker | None = None
    listeners: int = 0
    seen: float = field(default_factory=time.monotonic)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    timer: asyncio.TimerHandle | None = None

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.state in OVER

    @property
    def end(self) -> dict[str, Any]:
        """What its last event said."""
        last: dict[str, Any] = self.events[-1]["data"] if self.events else {}
        return last

    def tell(self, event: str, data: dict[str, Any]) -> None:
        """Keep an event and wake whoever waits for one."""
        self.events.append({"event": event, "data": data})
        self.news.set()
        self.news = asyncio.Event()

    async def stream(self, start: int = 0) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Its events from number `start` on, as they come, to the last."""
        self.listeners += 1
        try:
            number = start
            while True:
                news = self.news
                while number < len(self.events):
                    yield number, self.events[number]
                    number += 1
                if self.over:
                    return
                await news.wait()
        finally:
            self.listeners -= 1
            self.seen = time.monotonic()

    async def finished(self) -> Job:
        """Itself, when it has ended."""
        async for _ in self.stream(len(self.events)):
            pass
        return self


class Lane:
    """Some workers and the jobs that wait for them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waiting: deque[Job] = deque()
        self.idle: list[Worker] = []
        self.all: list[Worker] = []
        self.stillborn = 0  # workers in a row that ended before they were ready


class Jobs:
    """Starts, keeps, stops and forgets jobs."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder, self.limits = folder, limits
        self.jobs: dict[str, Job] = {}
        self.lanes = {"long": Lane(limits.workers), "short": Lane(1)}
        self._running: dict[Worker, Job] = {}
        self._tasks: dict[Worker, int] = {}
        self._numbers = itertools.count()
        self._loop: asyncio.AbstractEventLoop | None = None
        #: What workers said before there was a loop.
        self._early: list[tuple[Lane, Worker, dict[str, Any] | None]] = []
        self._gate = threading.Lock()
        self._closed = False

    # -- life -----------------------------------------------------------------------------------

    def warm(self) -> None:
        """Start one worker, even before there is a loop: it takes it a second."""
        if not self.lanes["long"].all:
            self._hire(self.lanes["long"])

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin."""
        self.warm()
        with self._gate:
            self._loop, early = loop, self._early
        for heard in early:
            self._hear(*heard)
        # The first design comes first; the worker for short work can start after it.
        loop.call_later(_LATER, self._spare, self.lanes["short"])
        self._look_around()

    def close(self) -> None:
        """End every process."""
        self._closed = True
        for lane in self.lanes.values():
            for worker in list(lane.all):
                worker.close()

    def _hire(self, lane: Lane) -> None:
        def heard(worker: Worker, said: dict[str, Any] | None) -> None:
            with self._gate:
                if self._loop is None:
                    self._early.append((lane, worker, said))
                    return
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._hear, lane, worker, said)

        worker = Worker(heard, self.limits.memory, self.folder)
        lane.all.append(worker)
        self._tasks[worker] = 0

    # -- what routes call -----------------------------------------------------------------------

    def submit(
        self, task: str, arguments: dict[str, Any], seconds: float, given: bytes | None = None
    ) -> Job:
        """Queue a task; `BusyError` if too many wait already. `given` is put into its folder."""
        lane = self._lane(task)
        if len(lane.waiting) >= self.limits.waiting:
            raise BusyError
        self._forget()
        name = f"{next(self._numbers)}-{secrets.token_hex(8)}"
        folder = self.folder / name
        folder.mkdir(mode=0o700)
        if given is not None:
            (folder / GIVEN).write_bytes(given)
        job = Job(name, task, arguments, folder, seconds)
        self.jobs[name] = job
        lane.waiting.append(job)
        self._assign(lane)
        return job

    def get(self, name: str) -> Job | None:
        """A job by its name; looking at it keeps it alive."""
        job = self.jobs.get(name)
        if job is not None:
            job.seen = time.monotonic()
        return job

    def ahead(self, job: Job) -> int:
        """How many jobs will be begun before this one."""
        waiting = self._lane(job.task).waiting
        return waiting.index(job) if job in waiting else 0

    def stop(self, job: Job) -> None:
        """End a job: what it has found so far is kept, if it says so in time."""
        lane = self._lane(job.task)
        job.stopping = True
        if job.state == QUEUED:
            lane.waiting.remove(job)
            self._end(job, STOPPED, {})
        elif job.state == RUNNING and job.worker is not None and self._loop is not None:
            job.worker.stop(job.id)
            self._in(job, self.limits.patience, job.worker.kill)

    # -- what workers cause ---------------------------------------------------------------------

    def _lane(self, task: str) -> Lane:
        return self.lanes["short" if task in SHORT else "long"]

    def _assign(self, lane: Lane) -> None:
        while lane.waiting and lane.idle:
            worker, job = lane.idle.pop(), lane.waiting.popleft()
            job.state, job.worker = RUNNING, worker
            self._running[worker] = job
            self._tasks[worker] += 1
            job.tell("running", {})
            worker.begin(job.id, job.task, job.arguments, job.folder)
            self._in(job, job.seconds + self.limits.grace, lambda job=job: self._too_long(job))
        assert self._loop is not None
        if self._running and not lane.idle:
            self._loop.call_later(_SPARE, self._spare, lane)
        starting = len(lane.all) - len(lane.idle) - sum(w in self._running for w in lane.all)
        if len(lane.waiting) > starting and len(lane.all) < lane.size and self._may_hire(lane):
            self._hire(lane)

    def _spare(self, lane: Lane) -> None:
        """One worker that waits while others work, so that the next design starts at once."""
        room = len(lane.all) < lane.size
        if (
            room
            and all(lane_name in self._running for lane_name in lane.all)
            and self._may_hire(lane)
        ):
            self._hire(lane)

    def _may_hire(self, lane: Lane) -> bool:
        return not self._closed and lane.stillborn < _HOPELESS

    def _hear(self, lane: Lane, worker: Worker, said: dict[str, Any] | None) -> None:
        job = self._running.get(worker)
        if said is None:
            self._worker_gone(lane, worker, job)
        elif said["event"] == "ready":
            lane.stillborn = 0
            lane.idle.append(worker)
        elif job is not None and said["job"] == job.id:
            if said["event"] in OVER:
                del self._running[worker]
                spoilt = bool(said["data"].pop("interrupted", True))
                self._end(job, said["event"], said["data"])
                self._rest(lane, worker, spoilt)
            else:
                job.tell(said["event"], said["data"])
        self._assign(lane)

    def _rest(self, lane: Lane, worker: Worker, spoilt: bool) -> None:
        """Keep a worker, unless it was interrupted or has done enough."""
        if spoilt or self._tasks[worker] >= _TIRED:
            worker.kill()
        else:
            lane.idle.append(worker)

    def _worker_gone(self, lane: Lane, worker: Worker, job: Job | None) -> None:
        lane.all.remove(worker)
        if worker in lane.idle:
            lane.idle.remove(worker)
        self._running.pop(worker, None)
        worker.close()
        if job is not None:
            if job.stopping:
                words = f"stopped: it took longer than {job.seconds:g} seconds" if job.late else ""
                self._end(job, STOPPED, {"message": words})
            else:
                words = "the process ended, perhaps for lack of memory; nothing is returned"
                words = NOT_ANSWERED if job.task == "ask" else words
                self._end(job, FAILED, {"field": None, "message": words})
        lane.stillborn += not self._tasks.pop(worker)
        if lane.stillborn >= _HOPELESS:
            while lane.waiting:
                words = "no worker process could be started on this machine"
                self._end(lane.waiting.popleft(), FAILED, {"field": None, "message": words})
        elif not lane.all and self._may_hire(lane):
            self._hire(lane)

    def _too_long(self, job: Job) -> None:
        job.late = True
        self.stop(job)

    def _in(self, job: Job, seconds: float, act: Any) -> None:
        assert self._loop is not None
        if job.timer is not None:
            job.timer.cancel()
        job.timer = self._loop.call_later(seconds, act)

    def _end(self, job: Job, state: str, data: dict[str, Any]) -> None:
        if job.task == "ask" and job.late and state != DONE:  # how long it takes is data's doing
            state, data = FAILED, {"field": None, "message": NOT_ANSWERED}
        if job.timer is not None:
            job.timer.cancel()
        job.worker, job.timer = None, None
        job.state = state
        job.tell(state, data)

    # -- forgetting -----------------------------------------------------------------------------

    def _forget(self) -> None:
        """Drop the oldest finished jobs and their files."""
        over = [job for job in self.jobs.values() if job.over and not job.listeners]
        for job in over[: max(0, len(over) - self.limits.kept)]:
            del self.jobs[job.id]
            shutil.rmtree(job.folder, ignore_errors=True)

    def _look_around(self) -> None:
        """Now and then: stop what nobody has looked at for long; its tab is closed."""
        if self._closed or self._loop is None:
            return
        old = time.monotonic() - self.limits.unseen
        for job in list(self.jobs.values()):
            if not job.over and not job.listeners and job.seen < old:
                self.stop(job)
        self._loop.call_later(min(5.0, self.limits.unseen), self._look_around)
