"""Shared set-up: Hypothesis without deadlines (machines are shared), pictures without a display.

`make test` hands out whole files (`--dist loadfile`), so that a module's designs, the Spark session
and the browser are made once, by one process.
"""

import os

os.environ.setdefault("MPLBACKEND", "Agg")

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "leastnoise",
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


def pytest_collection_modifyitems(items):
    """What waits most, for a server and a browser, comes first: then no process ends alone."""
    items.sort(key=lambda item: "/tests/web/" not in item.path.as_posix())
