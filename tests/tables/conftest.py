"""The tests of tables need their extra; what they design is coarse (../coarse.py)."""

import shutil

import pytest

from coarse import coarse_designs
from neighbors.servers import SPARK

pytest.importorskip("ibis", reason="the extra tables is not installed")
pytest.importorskip("duckdb", reason="the extra tables is not installed")
pytest.importorskip("sqlalchemy", reason="the extra tables is not installed")


@pytest.fixture(scope="module", autouse=True)
def designs(tmp_path_factory):
    """How good the noise is, is tested where it is designed."""
    with coarse_designs(tmp_path_factory):
        yield


@pytest.fixture(scope="session")
def spark():
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    sql = pytest.importorskip("pyspark.sql", reason="the extra spark is not installed")
    builder = sql.SparkSession.builder.master("local[1]").appName("leastnoise tests")
    for name, value in SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
