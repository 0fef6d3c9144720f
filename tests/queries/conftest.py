"""The tests of tables need their extra; what they design is kept for the run (../conftest.py)."""

import pytest

pytest.importorskip("ibis", reason="the extra tables is not installed")
pytest.importorskip("duckdb", reason="the extra tables is not installed")
pytest.importorskip("sqlalchemy", reason="the extra tables is not installed")
