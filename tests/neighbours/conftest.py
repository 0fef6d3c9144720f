"""Designs of these tests are kept in a folder of their own; engines are started once."""

import pytest

pytest.importorskip("ibis", reason="the extra tables is not installed")
pytest.importorskip("duckdb", reason="the extra tables is not installed")
pytest.importorskip("polars", reason="polars is not installed")


@pytest.fixture(scope="package", autouse=True)
def designs(tmp_path_factory):
    from leastnoise import kept
    from leastnoise.engine.joint import vectors
    from leastnoise.queries import noise

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEASTNOISE_CACHE", str(tmp_path_factory.mktemp("designs")))
        # What is told of two tables is compared, not how much noise there is: any design will do.
        patch.setattr(kept, "_GAP", "0.1")
        patch.setattr(vectors, "_GAP", 0.1)
        noise.designed.cache_clear()
        yield
    noise.designed.cache_clear()


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    from .servers import Place

    found = Place(tmp_path_factory.mktemp("neighbours"))
    yield found
    found.close()
