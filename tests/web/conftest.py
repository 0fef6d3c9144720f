"""One server for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from web_server import Server, running, table


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("page")
    with running(folder, str(table(folder / "data.csv"))) as one:
        yield one
