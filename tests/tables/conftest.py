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


#: Files in which the database is the point: there every table has one of its own, as for a user.
OWN_DATABASES = ("test_attacks_", "test_connections", "test_engines", "test_hostile", "test_total")


@pytest.fixture(scope="session")
def database():
    """A DuckDB in memory: to start and to end one takes 14 ms, and tests open 1,500 tables."""
    import duckdb

    with duckdb.connect() as connection:
        # What tells of a file is read again for each table.
        connection.execute("SET enable_external_file_cache = false")
        yield connection


@pytest.fixture(scope="module", autouse=True)
def tables_of_one_database(request, database):
    """Tables are in connections of their own to one database, unless the database is the point."""
    from leastnoise.tables.sources import opening

    with pytest.MonkeyPatch.context() as patch:
        if not request.path.name.startswith(OWN_DATABASES):
            patch.setattr(opening, "_new_connection", database.cursor)
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
