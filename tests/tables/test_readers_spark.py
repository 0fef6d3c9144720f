"""Spark's readers convert values before any form is reached: none fails at a value."""

from __future__ import annotations

import pytest

from exact_sums import sums_in
from leastnoise import ArgumentError, Count, ask
from leastnoise.tables.sources import open_table
from neighbors.servers import settings


def test_timestamps_that_a_reader_converts_have_no_forms(spark, tmp_path):
    """One fraction of a second before 1970 in ORC, one 2^63 - 1 in milliseconds: not answered."""
    import pyarrow as pa
    from pyarrow import orc, parquet

    path = str(tmp_path / "t")
    odd = pa.array([0, -61587196500], pa.timestamp("ms"))  # 1968-01-12 04:26:43.5
    orc.write_table(pa.table({"m": odd, "x": [1, 2]}), f"{path}.orc")
    far = pa.array([0, 2**63 - 1], pa.int64()).view(pa.timestamp("ms"))
    parquet.write_table(pa.table({"m": far, "x": [1, 2]}), f"{path}.parquet")
    days = pa.array([0, 2**31 - 1], pa.int32()).view(pa.date32())
    parquet.write_table(pa.table({"m": days, "x": [1, 2]}), f"{path}.days")
    for frame in (
        spark.read.orc(f"{path}.orc"),
        spark.read.parquet(f"{path}.parquet"),
        spark.read.schema("m timestamp_ntz, x long").parquet(f"{path}.days"),
        spark.read.schema("m string, x long").orc(f"{path}.orc"),
        spark.read.orc(f"{path}.orc").selectExpr("cast(m as string) as m", "x"),
        spark.range(2).selectExpr("now() as m", "id").union(spark.read.orc(f"{path}.orc")),
    ):
        for asked in (Count("m"), Count(where="m > '2020-01-01'")):
            with pytest.raises(ArgumentError, match="reader may fail"):
                ask(frame, asked, epsilon=1)
        with settings(spark, optimizer_excludedRules=_PRUNING):
            assert sums_in(frame.sort(frame.columns[1]), Count())[""].rows in (2, 4)
    frame = spark.read.orc(f"{path}.orc")
    for odd in (frame.filter("m is null"), frame.distinct(), frame.sort("m"), frame.limit(1)):
        with pytest.raises(ArgumentError, match="microseconds"):
            open_table(odd)
    frame.createOrReplaceTempView("fractions")
    with pytest.raises(ArgumentError, match="Aggregate"):
        open_table(spark.sql("SELECT 1 AS x WHERE (SELECT max(m) FROM fractions) IS NULL"))
    spark.catalog.dropTempView("fractions")


def test_names_on_spark_that_differ_in_case_alone_are_not_taken_for_one_another(spark, tmp_path):
    """Microseconds in A hid milliseconds in a: one 2^63 - 1 there, and a was not answered."""
    import pyarrow as pa
    from pyarrow import orc, parquet

    moments = pa.array([0, 2**63 - 1], pa.int64())
    both = [moments.view(pa.timestamp(unit)) for unit in ("ms", "us")]
    parquet.write_table(pa.table({"a": both[0], "A": both[1], "x": [1, 2]}), tmp_path / "parquet")
    orc.write_table(pa.table({"a": [1], "A": [1], "x": [1]}), tmp_path / "orc")
    with settings(spark, caseSensitive="true"):
        for kind in ("parquet", "orc"):
            frame = getattr(spark.read, kind)(str(tmp_path / kind))
            for name in ("a", "A"):
                with pytest.raises(ArgumentError, match="reader may fail"):
                    ask(frame, Count(name), epsilon=1)
            assert sums_in(frame, Count("x"))[""].rows in (1, 2)


_PRUNING = "org.apache.spark.sql.catalyst.optimizer.ColumnPruning"


def test_timestamps_of_microseconds_are_read_whatever_they_are(spark, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    path = str(tmp_path / "t.parquet")
    ends = pa.array([-(2**63), 2**63 - 1, -1, -(10**17), None], pa.int64())
    days = pa.array([-(2**31), 2**31 - 1, -1, -141714, None], pa.int32()).view(pa.date32())
    known = {"m": ends.view(pa.timestamp("us", "UTC")), "n": ends.view(pa.timestamp("us"))}
    parquet.write_table(pa.table({**known, "d": days}), path)
    old = {"parquet_datetimeRebaseModeInRead": "EXCEPTION", "parquet_enableVectorizedReader": ""}
    for vectorized in ("true", "false"):
        with settings(spark, **{**old, "parquet_enableVectorizedReader": vectorized}):
            for name in ("m", "n", "d"):
                found = sums_in(spark.read.parquet(path), Count(where=f"{name} < '1971-01-01'"))
                assert found[""].rows == 3
    for option in ("datetimeRebaseMode", "int96RebaseMode"):
        with pytest.raises(ArgumentError, match=f"without the option {option}"):
            open_table(spark.read.option(option, "EXCEPTION").parquet(path))
    assert spark.conf.get("spark.sql.parquet.datetimeRebaseModeInRead") == "CORRECTED"


def test_days_and_nanoseconds_of_int96_never_fail(spark, tmp_path):
    """Their microseconds wrap around: a wrong moment of a damaged row, and no failure."""
    import struct

    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    moments = [1234567000, 2345678000, 3456789000, 4567890000]
    known = pa.array(moments, pa.timestamp("ns"))
    plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    parquet.write_table(pa.table({"m": known}), path, use_deprecated_int96_timestamps=True, **plain)
    held = path.read_bytes()
    days, nanos = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
    for moment, (day, nano) in zip(moments, [(d, n) for d in days for n in nanos], strict=True):
        stored = struct.pack("<qi", moment, 2440588)
        assert held.count(stored) == 1
        held = held.replace(stored, struct.pack("<qi", nano, day))
    path.write_bytes(held)
    with settings(spark, parquet_int96RebaseModeInRead="EXCEPTION"):
        assert sums_in(spark.read.parquet(str(path)), Count("m"))[""].rows == 4
    with (
        settings(spark, parquet_int96TimestampConversion="true"),
        pytest.raises(ArgumentError, match="reader may fail"),
    ):
        ask(spark.read.parquet(str(path)), Count("m"), epsilon=1)


def test_what_is_cached_or_an_rdd_of_such_files_is_refused(spark, tmp_path):
    """A cache reads all columns when it is first needed, by a plan of another time."""
    import pyarrow as pa
    from pyarrow import orc

    path = str(tmp_path / "t.orc")
    orc.write_table(pa.table({"m": pa.array([0], pa.timestamp("ms")), "x": [1]}), path)
    frame = spark.read.orc(path)
    for late in (
        frame.localCheckpoint(eager=False),
        spark.createDataFrame(frame.rdd, frame.schema),
    ):
        with pytest.raises(ArgumentError, match="localCheckpoint"):
            open_table(late)
    assert sums_in(frame.localCheckpoint(), Count(where="m < '1971-01-01'"))[""].rows == 1
    cached = frame.cache()
    try:
        with pytest.raises(ArgumentError, match="cached"):
            open_table(cached)
    finally:
        cached.unpersist()
    fine = frame.select("x").cache()
    try:
        assert sums_in(fine, Count("x"))[""].rows == 1
    finally:
        fine.unpersist()
