"""Designs of these tests are kept in a folder of their own; engines are started once."""

import pytest

from coarse import coarse_designs

pytest.importorskip("ibis", reason="the extra tables is not installed")
pytest.importorskip("duckdb", reason="the extra tables is not installed")
pytest.importorskip("polars", reason="polars is not installed")


@pytest.fixture(scope="module", autouse=True)
def designs(tmp_path_factory):
    """What is told of two tables is compared, not how much noise there is."""
    with coarse_designs(tmp_path_factory):
        yield


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    from .servers import Place

    found = Place(tmp_path_factory.mktemp("neighbors"))
    yield found
    found.close()
