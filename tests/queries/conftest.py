"""Designs of these tests are kept in a folder of their own."""

import pytest

pytest.importorskip("ibis", reason="the extra tables is not installed")
pytest.importorskip("duckdb", reason="the extra tables is not installed")
pytest.importorskip("sqlalchemy", reason="the extra tables is not installed")


@pytest.fixture(scope="session", autouse=True)
def designs(tmp_path_factory):
    from leastnoise.queries import noise

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEASTNOISE_CACHE", str(tmp_path_factory.mktemp("designs")))
        noise.designed.cache_clear()
        yield
    noise.designed.cache_clear()
