"""One server for all tests of the page, and one browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from web_server import CHROMIUM, FLAGS, Server, running, table


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("page")
    with running(folder, str(table(folder / "data.csv"))) as one:
        yield one


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Headless Chromium; the tests that need it are skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: `make browser` installs it where it can")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as here:
        one = here.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield one
        one.close()
