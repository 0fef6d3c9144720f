"""Attacks through a Spark session: names, settings, streams, chance, logs."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import time

import pytest

from exact_sums import sums_in
from leastnoise import ArgumentError, Count, Ledger, Mean, NotAnsweredError, PrivacyUnit, ask
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table, opened
from neighbors.servers import settings


def test_a_query_of_ibis_is_refused_before_it_reads_rows_for_its_types(spark, tmp_path):
    """Names and types were those that one row gave to a JSON file, and were told for free."""
    ibis = pytest.importorskip("ibis")
    path = tmp_path / "t.json"
    path.write_text('{"x": 1}\n')
    table = ibis.pyspark.connect(spark).sql(f"SELECT * FROM json.`{path}`")
    path.write_text('{"x": 1}\n{"x": "abc", "zoe": 1}\n')
    with pytest.raises(ArgumentError, match="the DataFrame") as told:
        open_table(table)
    assert "zoe" not in str(told.value)


def test_a_name_is_no_variable_no_pattern_and_no_other_name(spark):
    """A setting z made a question about the column ${z} one about another, without a word."""
    with settings(spark, caseSensitive="true"):
        names = ["${z}", "other", "a.b", "aXb", "A", "a", "t`k"]
        columns = ", ".join(f"`{name.replace('`', '``')}` int" for name in names)
        frame = spark.createDataFrame([tuple(range(1, 8))], columns)
    spark.conf.set("z", "other")
    try:
        with settings(spark, parser_quotedRegexColumnNames="true"):
            where = " and ".join(f'"{name}" = {i + 1}' for i, name in enumerate(names))
            assert sums_in(frame, Count(where=where))[""].rows == 1
        frame.select("${z}", "other").createOrReplaceTempView("odd")
        assert sums_in(spark.table("odd"), Count(where='"${z}" = 1'))[""].rows == 1
    finally:
        spark.conf.unset("z")
        spark.catalog.dropTempView("odd")


def test_settings_of_a_session_change_no_number(spark):
    rows = [("a", "5", 1), ("A", "1E0", 1), ("b", " 2.50 ", 2), (None, "5f", 2), ("a", "1e400", 3)]
    frame = spark.createDataFrame(rows, "g string, x string, p int").selectExpr(
        "*", "timestamp'1500-01-01 00:00:00 UTC' as m", "date'1500-01-01' as d"
    )
    where = "m = '1500-01-01' and d = '1500-01-01' and g != 'A'"
    asked = Mean("x", low=0, high=10, by="g", keys=["a", "b", "A"], where=where)
    asked = asked, Setting(PrivacyUnit("g", 1), "add-remove")
    before = sums_in(frame, *asked)
    assert {key: one.rows for key, one in before.items()} == {"a": 1, "b": 1}
    with settings(
        spark,
        caseSensitive="true",
        session_timeZone="Pacific/Apia",
        timestampType="TIMESTAMP_NTZ",
        adaptive_enabled="true",
        ansi_doubleQuotedIdentifiers="true",
        ansi_enforceReservedKeywords="true",
        parser_escapedStringLiterals="true",
        variable_substitute="false",
        decimalOperations_allowPrecisionLoss="false",
        legacy_timeParserPolicy="LEGACY",
        legacy_castComplexTypesToString_enabled="true",
        groupByAliases="false",
    ):
        assert sums_in(frame, *asked) == before


def test_streams_and_frames_that_differ_each_time_are_refused_before_any_charge(spark, tmp_path):
    """A stream was paid for and not answered; rand() gave each reading another table."""
    from pyspark.sql.functions import col, rand

    book = Ledger.create(tmp_path / "b.db", epsilon=1)
    frame, views = spark.range(9), spark.sql("SHOW VIEWS").count()
    for odd in (
        spark.readStream.format("rate").load(),
        frame.withColumn("x", rand(1)),
        frame.filter(rand(1) < 0.5),
        frame.orderBy(col("id"), rand()).limit(3),
        frame.selectExpr("uuid() as x"),
    ):
        with pytest.raises(ArgumentError, match="table must be"):
            ask(odd, Count(), epsilon=1, ledger=book)
    assert book.balance.spent_epsilon == 0
    assert spark.sql("SHOW VIEWS").count() == views


def test_spark_connect_is_refused():
    """Nothing of it is tested: it needs a server of its own."""

    class Remote:
        __module__ = "pyspark.sql.connect.dataframe"

        def createOrReplaceTempView(self, name): ...

    with pytest.raises(ArgumentError, match="Spark Connect"):
        open_table(Remote())


def test_the_log_of_py4j_tells_of_no_row(spark):
    """At DEBUG it has every answer of the JVM, messages of errors too."""
    told = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())
    log = logging.getLogger("py4j")
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    frame = spark.createDataFrame([("s3cret",)], "g string").selectExpr("int(g) as x")
    try:
        with pytest.raises(NotAnsweredError):
            ask(frame, Mean("x", low=0, high=9), epsilon=1)
    finally:
        log.setLevel(level)
        log.removeHandler(handler)
    assert told and not [one for one in told if "s3cret" in one]


def test_types_without_a_meaning_have_no_forms_and_old_dates_are_days(spark):
    odd = (
        "array(1) as a", "map('k', 1) as m", "named_struct('q', 1) as s", "X'ff' as b",
        "interval 3 days as i", "null as n", "date'0001-01-01' as d",
        "cast(X'ff31' as string) as t",
        "cast('99999999999999999999999999999999999999' as decimal(38, 0)) as k",
    )  # fmt: skip
    frame = spark.range(1).selectExpr(*odd)
    with opened(frame) as table:
        for column in table.described[:6]:
            assert (column.value, column.number, column.key, column.person) == (None,) * 4
        found = {name: table.column(name, "by").key for name in "dtk"}
        assert all(found.values())
    keys = [["0001-01-01", "1582-10-15"], ["\\xff31"], ["9" * 38]]
    assert {*sums_in(frame, Count(by=["d", "t", "k"], keys=keys))} == {"0"}
    assert sums_in(frame, Mean("t", low=0, high=9))[""].rows == 0  # no number, and no failure


def test_no_row_is_skipped_for_what_other_rows_hold(spark, tmp_path):
    """Statistics that know of no NaN, of one zero and of no year 1: one row moved a thousand."""
    import pyarrow as pa
    from pyarrow import parquet

    def counts(more):
        values = [float("nan")] * 1000 + [-0.0] * 100 + [-1.0] + [6.0] * more
        parquet.write_table(pa.table({"x": values}), tmp_path / f"{more}.parquet")
        file = spark.read.parquet(str(tmp_path / f"{more}.parquet"))
        cached = spark.createDataFrame([(x,) for x in values], "x double").coalesce(1).cache()
        assert cached.count() == 1101 + more
        days = ["0001-01-01"] * 50 + ["2020-01-01"] + ["0000-06-01"] * more
        old = spark.createDataFrame([(day,) for day in days], "t string")
        orc = str(tmp_path / f"{more}.orc")
        old.coalesce(1).selectExpr("cast(t as date) as m").write.orc(orc)
        first = "m < date'0001-01-02'"
        kept = file.filter("x > 5").selectExpr("'file' as g")
        kept = kept.unionAll(file.filter("x = 0").selectExpr("'zero' as g"))
        kept = kept.unionAll(cached.filter("x > 5").selectExpr("'cached' as g"))
        kept = kept.unionAll(spark.read.orc(orc).filter(first).selectExpr("'orc' as g"))
        try:
            found = sums_in(kept, Count(by="g", keys=["file", "zero", "cached", "orc"]))
        finally:
            cached.unpersist()
        asked = sums_in(spark.read.orc(orc), Count(where="m < '0001-01-02'"))
        return {key: one.rows for key, one in {**found, **asked}.items()}

    assert counts(0) == {"file": 1000, "zero": 100, "cached": 1000, "orc": 50, "": 50}
    assert counts(1) == {"file": 1001, "zero": 100, "cached": 1001, "orc": 51, "": 51}
    assert spark.conf.get("spark.sql.parquet.filterPushdown") == "true"  # as it was


def test_a_row_that_cannot_be_read_hides_no_others(spark, tmp_path):
    """With ignoreCorruptFiles the rest of its file was left out: 4,096 of 10,001 rows counted."""
    import pyarrow as pa
    from pyarrow import parquet

    path = str(tmp_path / "t.parquet")
    moments = [1] * 5000 + [9_300_000_000_000_000] + [1] * 5000  # beyond Spark's microseconds
    parquet.write_table(pa.table({"m": pa.array(moments, pa.timestamp("ms"))}), path)
    with settings(spark, files_ignoreCorruptFiles="true"):
        frame = spark.read.parquet(path)
        with opened(frame) as table, pytest.raises(Exception, match="overflow"):
            table.engine.read(f"SELECT COUNT(c0) FROM {table.relation} AS s")
        assert spark.conf.get("spark.sql.files.ignoreCorruptFiles") == "true"
    with pytest.raises(ArgumentError, match="ignoreCorruptFiles"):
        open_table(spark.read.option("ignoreCorruptFiles", True).parquet(path))


def test_only_sources_that_spark_reads_itself_row_by_row_are_taken(spark, tmp_path):
    """A database computed CAST(s AS binary) by its own rules; a quote in CSV hid 1,000 lines."""
    path = tmp_path / "t.csv"
    path.write_text('a\n"a\n' + "a\n" * 9)
    csv = spark.read.schema("s string").option("multiLine", True).csv(str(path))
    spark.range(3).write.parquet(str(tmp_path / "p"))
    with settings(spark, sources_useV1SourceList=""):
        other = spark.read.parquet(str(tmp_path / "p"))  # by an interface that any source can have
    rows = spark.range(3)
    rows.createOrReplaceTempView("three")
    csv.createOrReplaceTempView("lines")
    inner = spark.sql("SELECT * FROM three WHERE EXISTS (SELECT 1 FROM lines)")
    try:
        for odd in (csv, spark.read.json(str(path)), other, inner, csv.crossJoin(rows)):
            with pytest.raises(ArgumentError, match="Parquet"):
                open_table(odd)
        named = spark.sql(
            "WITH c AS (SELECT id FROM three) SELECT c.id FROM c JOIN c AS d USING (id)"
        )
        for fine in (named, rows.union(rows), spark.sql("VALUES (1)"), csv.localCheckpoint()):
            open_table(fine).close()
    finally:
        spark.catalog.dropTempView("three")
        spark.catalog.dropTempView("lines")


def test_a_table_of_another_database_is_refused(spark, tmp_path):
    """Derby, which PySpark brings: filters, casts and sums would be its own."""
    jvm = spark._jvm
    jvm.java.lang.System.setProperty("derby.stream.error.file", str(tmp_path / "derby.log"))
    url, driver = (
        "jdbc:derby:memory:told;create=true",
        "org.apache.derby.iapi.jdbc.AutoloadedDriver",
    )
    jvm.java.lang.Class.forName(driver)
    there = jvm.java.sql.DriverManager.getConnection(url)
    there.createStatement().execute("CREATE TABLE T (S VARCHAR(9))")
    frame = spark.read.jdbc(url, "T", properties={"driver": driver})
    catalog = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    names = {"": catalog, ".url": url, ".driver": driver}
    with settings(spark, **{f"catalog_derby{name}": value for name, value in names.items()}):
        for odd in (frame, spark.table("derby.APP.T")):
            with pytest.raises(ArgumentError, match="write it to Parquet first"):
                open_table(odd)


def test_what_is_cached_was_not_skipped_by_settings_of_another_time(spark, tmp_path):
    """x > 5 of a cache that another session, or another cache, made: 0 rows, with one more 1,001.

    Its plan was made when it was cached, even where its rows are read only now.
    """
    import pyarrow as pa
    from pyarrow import parquet

    def counts(more):
        path = str(tmp_path / f"{more}.parquet")
        parquet.write_table(pa.table({"x": [float("nan")] * 1000 + [1.0] + [6.0] * more}), path)
        whole = spark.read.parquet(path).select("x").sort("x").cache()  # of this session, all of it
        other = spark.newSession().read.parquet(path).filter("x > 5").cache()
        inner = whole.filter("x > 5").cache()
        asked = spark.read.parquet(path).filter("x > 5")
        try:
            for odd in (asked, inner, whole.union(inner), spark.range(1).where(inner.exists())):
                with pytest.raises(ArgumentError, match="unpersist"):
                    open_table(odd)
            with opened(whole) as table:
                late = table.engine.session.table(table.relation).cache()  # when it was opened
                late.filter("c0 > 5").cache()
                with pytest.raises(ArgumentError, match="unpersist"):
                    table.engine.read(f"SELECT COUNT(*) FROM {table.relation} AS s WHERE c0 > 5")
            inner.unpersist()
            return sums_in(whole.filter("x > 5"), Count())[""].rows
        finally:
            other.unpersist()
            spark.catalog.clearCache()

    assert [counts(0), counts(1)] == [1000, 1001]


def test_rows_of_a_join_do_not_depend_on_the_size_of_a_table(spark, tmp_path):
    """From a size on Spark sifts by a Bloom filter, which knows no collation: 2,001 became 1,001.

    (The size is 10 GB, or what a session says.)
    """
    import pyarrow as pa
    from pyarrow import parquet
    from pyspark.sql.functions import expr

    def kept(more):
        texts = ["a"] * 1000 + ["A"] * 1000 + ["a"] * more
        path = tmp_path / f"{more}.parquet"
        numbers = [f"{i}" for i in range(len(texts))]
        parquet.write_table(pa.table({"s": texts, "n": numbers}), path)
        condition = expr("s collate UTF8_LCASE = q collate UTF8_LCASE")
        return path.stat().st_size, spark.read.parquet(str(path)).join(few, condition, "leftsemi")

    parquet.write_table(pa.table({"q": ["a"], "z": [1]}), tmp_path / "few.parquet")
    few = spark.read.parquet(str(tmp_path / "few.parquet")).filter("z = 1")
    (size, smaller), (_, larger) = kept(0), kept(1)
    scanned = {"optimizer_runtime_bloomFilter_applicationSideScanSizeThreshold": f"{size + 1}b"}
    with settings(spark, autoBroadcastJoinThreshold="-1", **scanned):
        plans = [one._jdf.queryExecution().optimizedPlan() for one in (smaller, larger)]
        assert ["might_contain" in plan.toString() for plan in plans] == [False, True]
        assert [sums_in(one, Count())[""].rows for one in (smaller, larger)] == [2000, 2001]


def test_files_that_others_list_and_sessions_that_others_plan_are_refused(spark, tmp_path):
    """A table format may leave files out by statistics of its own, and an extension rows."""
    spark.range(3).write.parquet(str(tmp_path / "p"))
    frame = spark.read.parquet(str(tmp_path / "p"))
    known = frame._jdf.queryExecution().analyzed().relation()
    jvm = spark._jvm
    lists = jvm.java.lang.Class.forName("org.apache.spark.sql.execution.datasources.FileIndex")
    other = jvm.java.beans.EventHandler.create(lists, jvm.java.lang.Object(), "hashCode")
    schema, none = known.dataSchema(), known.bucketSpec()
    parts = known.partitionSchema(), schema, none, known.fileFormat(), known.options()
    made = jvm.org.apache.spark.sql.execution.datasources.HadoopFsRelation(
        other, *parts, spark._jsparkSession
    )
    odd = type(frame)(spark._jsparkSession.baseRelationToDataFrame(made), spark)
    with pytest.raises(ArgumentError, match="Parquet or ORC"):
        open_table(odd)
    for name in ("spark.sql.extensions", "spark.plugins"):
        apart = spark.newSession()
        apart._jsparkSession.sessionState().conf().setConfString(name, "org.example.Rules")
        with pytest.raises(ArgumentError, match=name):
            open_table(apart.range(3))


def test_a_setting_that_was_not_set_is_not_set_afterwards(spark):
    """It was set to its default, and later ones of the application had no effect."""
    apart = spark.newSession()
    name = "spark.sql.parquet.filterPushdown"
    given = apart._jsparkSession.sessionState().conf()
    for frame in (apart.range(3), apart.sql("SELECT int(s) AS id FROM VALUES ('a') AS t(s)")):
        with contextlib.suppress(NotAnsweredError):
            ask(frame, Count("id"), epsilon=1)
        assert not given.contains(name)
    apart.conf.set(name, "false")
    ask(apart.range(3), Count(), epsilon=1)
    assert apart.conf.get(name) == "false"


def test_rules_of_others_are_refused_by_whichever_way_they_came(spark):
    """They change the plan after its leaves were looked at, and no setting names them."""
    jvm, own = spark._jvm, spark._jsparkSession
    rule = getattr(jvm.org.apache.spark.sql.catalyst.optimizer, "PropagateEmptyRelation$")
    rule = getattr(rule, "MODULE$")
    tried = spark.newSession()
    open_table(tried.range(3)).close()
    rules = jvm.PythonUtils.toSeq([rule])
    getattr(tried._jsparkSession.experimental(), "extraOptimizations_$eq")(rules)
    made = jvm.java.lang.Class.forName("scala.Function1")
    made = jvm.java.beans.EventHandler.create(made, jvm.java.util.Optional.of(rule), "get")
    added = jvm.org.apache.spark.sql.SparkSessionExtensions()
    added.injectOptimizerRule(made)
    shared, none = jvm.scala.Option.apply(own.sharedState()), jvm.scala.Option.empty()
    empty = getattr(getattr(jvm.scala.collection.immutable, "Map$"), "MODULE$").empty()
    built = jvm.org.apache.spark.sql.classic.SparkSession(
        spark._jsc.sc(), shared, none, added, empty, empty
    )
    for apart in (tried, type(spark)(spark.sparkContext, built)):
        with pytest.raises(ArgumentError, match="rules of others"):
            open_table(apart.range(3))
    open_table(spark.range(3)).close()


def test_a_question_that_is_stopped_is_not_read_once_more(spark):
    """Its job was ended, taken for one that Arrow cannot do, and begun again, row by row."""
    jobs = spark.sparkContext.statusTracker()
    frame = spark.range(0, 10**7, numPartitions=1000)

    def stop():
        while not jobs.getActiveJobsIds() and time.monotonic() < end:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    end = time.monotonic() + 60
    stopping = threading.Thread(target=stop)
    stopping.start()
    with pytest.raises(KeyboardInterrupt):
        ask(frame, Mean("id", low=0, high=9), epsilon=1)
    stopping.join()
    spark.sparkContext.cancelAllJobs()
    assert "leastnoise" not in str(spark.catalog.listTables())
    given = spark._jsparkSession.sessionState().conf()
    assert not given.contains("spark.sql.parquet.filterPushdown")
    assert sums_in(spark.range(3), Count())[""].rows == 3
