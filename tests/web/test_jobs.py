"""The ledger of jobs: bounded, killable, and never stuck; with real worker processes."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from leastnoise.errors import NotAnsweredError
from leastnoise.web.jobs import DONE, FAILED, STOPPED, BusyError, Jobs
from leastnoise.web.models import DesignForm
from leastnoise.web.settings import Limits
from leastnoise.web.tasks import NOT_ANSWERED
from leastnoise.web.workers import Worker


def form(**changes):
    asked = {"epsilon": "1", "sensitivity": "1", **changes}
    return DesignForm.model_validate(asked).form()


SLOW = form(delta="0.1", gap="1e-9", time_limit=300)
#: A file that is no mechanism file is the shortest task there is.
SHORT = b"nothing"


def lived(tmp_path, limits, story):
    """Run a story with jobs of its own, and leave no process behind."""

    async def life():
        jobs = Jobs(tmp_path, limits)
        jobs.open(asyncio.get_running_loop())
        try:
            await asyncio.wait_for(story(jobs), 120)
        finally:
            jobs.close()
        for lane in jobs.lanes.values():
            assert not any(worker.alive for worker in lane.all)

    # In a thread of its own: a browser's driver may have left a loop in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, life()).result()


async def told(job, event):
    """Wait for an event of a job."""
    async for _, one in job.stream():
        if one["event"] == event:
            return one["data"]
    raise AssertionError(f"{job.state} before {event}")


def test_a_queue_that_is_full_and_processes_that_are_few(tmp_path):
    async def story(jobs):
        held = [jobs.submit("design", SLOW, 300) for _ in range(3)]
        with pytest.raises(BusyError):
            jobs.submit("design", SLOW, 300)
        await told(held[0], "running")
        held.append(jobs.submit("design", SLOW, 300))
        assert [jobs.ahead(job) for job in held] == [0, 0, 1, 2]
        assert len(jobs.lanes["long"].all) == 1
        # The short lane does not wait for any of them.
        check = await jobs.submit("verify", {}, 60, SHORT).finished()
        assert check.state == DONE and check.end["exit_code"] == 2
        for job in held[1:]:
            jobs.stop(job)
        assert {job.state for job in held[1:]} == {STOPPED}
        # What runs is stopped and tells its best so far.
        await told(held[0], "progress")
        jobs.stop(held[0])
        await held[0].finished()
        assert held[0].over
        best = next(e["data"] for e in held[0].events if e["event"] == "design")
        assert best["stopped"] and best["certified"] and best["lower"] <= best["upper"]

    lived(tmp_path, Limits(workers=1, waiting=3, patience=60), story)


def test_a_job_whose_time_is_over_is_ended_and_a_process_that_dies_is_replaced(tmp_path):
    async def story(jobs):
        late = jobs.submit("design", SLOW, 0.5)
        await told(late, "running")
        worker = late.worker
        await late.finished()
        assert late.state == STOPPED and "0.5 seconds" in late.end["message"]
        worker.close()
        assert not worker.alive
        # Another process takes its place. When it dies, its job fails, and no other.
        lost = jobs.submit("design", SLOW, 300)
        await told(lost, "running")
        os.kill(lost.worker.pid, signal.SIGKILL)
        await lost.finished()
        assert lost.state == FAILED and "process ended" in lost.end["message"]
        good = jobs.submit("design", form(delta="0.2", gap="0.2"), 60)
        assert (await told(good, "design"))["certified"]

    lived(tmp_path, Limits(workers=1, grace=0.0, patience=0.0), story)


def test_jobs_that_nobody_looks_at_are_stopped_and_old_ones_forgotten(tmp_path):
    async def story(jobs):
        job = jobs.submit("verify", {}, 60, SHORT)
        while not job.over:
            await asyncio.sleep(0.02)
        # (The worker takes longer to start than anyone looked.)
        assert job.state == STOPPED
        for _ in range(3):
            await jobs.submit("verify", {}, 60, SHORT).finished()
        assert jobs.get(job.id) is None and not job.folder.exists()
        assert len(list(tmp_path.iterdir())) <= 3

    lived(tmp_path, Limits(workers=1, kept=2, unseen=0.05), story)


def test_a_worker_says_nothing_of_what_an_error_quotes(tmp_path, monkeypatch):
    """An error that is not ours may quote a value: only its kind is told."""
    from leastnoise.web import tasks, worker

    def broken(arguments, folder, tell):
        raise RuntimeError("row 17 holds 4711.25")

    class Out:
        def __init__(self):
            self.lines = []

        def write(self, line):
            self.lines.append(json.loads(line))

        def flush(self):
            pass

    class Inbox:
        begin = end = staticmethod(lambda *_: None)

    def ended(task, run):
        monkeypatch.setitem(tasks.TASKS, task, run)
        out = Out()
        asked = {"table": "answered", "name": "Quellnymphe.csv"}  # a name that is in the words
        said = {"job": "a", "task": task, "arguments": asked, "folder": str(tmp_path)}
        worker.perform(said, worker.Teller(out, "a"), Inbox())
        (end,) = out.lines
        assert end["event"] == "failed" and "4711" not in json.dumps(out.lines)
        return end["data"]["message"]

    def full(arguments, folder, tell):
        raise MemoryError

    assert "RuntimeError" in ended("columns", broken)
    # Of an answer not even that.
    assert ended("ask", broken) == ended("ask", full) == NOT_ANSWERED

    def unanswered(arguments, folder, tell):
        raise NotAnsweredError

    assert ended("ask", unanswered) == NOT_ANSWERED == str(NotAnsweredError())


def test_nothing_is_told_that_json_cannot_say():
    from pathlib import Path

    import numpy as np

    from leastnoise.formatting import plain_json as plain

    held = {"a": float("inf"), "b": np.array([1.0, np.nan]), "c": (Path("x"), True, None, 1)}
    assert plain(held) == {"a": None, "b": [1.0, None], "c": ["x", True, None, 1]}
    json.dumps(plain(held), allow_nan=False)


def test_an_answer_that_fails_says_nothing_about_why(tmp_path):
    """Not which error it was, not that its process is gone, and not that it took too long."""

    async def story(jobs):
        late = jobs.submit("design", SLOW, 0.5)
        await told(late, "running")
        late.task = "ask"  # as far as its end is concerned
        await late.finished()
        lost = jobs.submit("design", SLOW, 300)
        await told(lost, "running")
        lost.task = "ask"
        os.kill(lost.worker.pid, signal.SIGKILL)
        await lost.finished()
        for one in (late, lost):
            assert one.state == FAILED and one.end == {"field": None, "message": NOT_ANSWERED}

    lived(tmp_path, Limits(workers=1, grace=0.0, patience=0.0), story)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is limited on Linux")
def test_a_worker_has_a_limit_of_memory():
    code = (
        "from leastnoise.web.worker import limit_memory\n"
        "limit_memory(400_000_000)\n"
        "try:\n    bytearray(600_000_000)\nexcept MemoryError:\n    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


def test_a_worker_runs_nothing_that_lies_in_the_working_folder(tmp_path, monkeypatch):
    """Where a table lies, a file numpy.py may lie that somebody else has written."""
    for name in ("numpy", "scipy", "highspy", "json", "leastnoise"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    said: queue.Queue[dict | None] = queue.Queue()
    worker = Worker(lambda own, what: said.put(what), 4_000_000_000, tmp_path)
    try:
        told = said.get(timeout=60)
    finally:
        worker.close()
    assert told is not None and told["event"] == "ready" and not (tmp_path / "ran").exists()


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="it is looked up on Linux")
def test_rows_that_a_worker_puts_on_disk_are_gone_with_the_server(tmp_path):
    """A server that ends kills its workers, which left rows of uploads in the system's folder."""
    worker = Worker(lambda own, what: None, 4_000_000_000, tmp_path)
    try:
        held = Path(f"/proc/{worker.pid}/environ").read_bytes().split(b"\0")
    finally:
        worker.close()
    assert f"TMPDIR={tmp_path}".encode() in held
