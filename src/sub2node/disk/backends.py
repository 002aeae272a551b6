"""DuckDB and Spark: how to open each, and how each writes a query to Parquet."""

from __future__ import annotations

import glob
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base import progress
from ..base.errors import ConfigError, MissingExtraError, Sub2NodeError
from ..base.work_folders import work_folder

if TYPE_CHECKING:
    import ibis.expr.types as ir

_SHARE = 0.7  # DuckDB's limit as a share of the memory granted: it and Python use some besides
_FULL = 100 * 10**6  # bytes free below which a disk counts as full
_INTERVAL = 0.25  # seconds between looks at a running query


@dataclass
class Backend:
    """An open engine.

    Args:
        connection: The connection of Ibis.
        spill: The folder it spills into, if it is DuckDB's.
        spilled: The most bytes that lay there at a time.
    """

    connection: Any
    spill: Path | None = None
    spilled: int = field(default=0)

    def read(self, path: Path) -> ir.Table:
        """A Parquet file, or a folder of them, as a table."""
        place = self._literal(path)
        if self.spill is not None and path.is_dir():
            place += "/*.parquet"
        with translate_errors(self.spill):
            return self.connection.read_parquet(place)

    def write(self, query: ir.Table, path: Path, *, what: str) -> None:
        """Run a query into a Parquet file (DuckDB) or folder (Spark), watched."""
        with self._watched(what, path.parent):
            if self.spill is None:
                self.connection.to_parquet_dir(query, path)
            else:
                self.connection.to_parquet(query, path)

    def store(self, query: ir.Table, path: Path, *, what: str, group_rows: int) -> None:
        """Run a query into Parquet that takes its name when all of it is written.

        Args:
            query: The query.
            path: A file (DuckDB) or folder (Spark).
            what: The work, in words.
            group_rows: Rows that are read together.
        """
        part = path.with_name(f"{path.stem}.new{path.suffix}")
        _remove(part)
        with self._watched(what, path.parent):
            if self.spill is None:
                self.connection.to_parquet_dir(query, part)
            else:
                options = {"compression": "zstd", "compression_level": 1}
                self.connection.to_parquet(query, part, row_group_size=group_rows, **options)
        part.replace(path)

    def value(self, query: ir.Table, *, what: str) -> dict[str, Any]:
        """The one row of a query."""
        with self._watched(what):
            rows = query.to_pyarrow().to_pylist()
        return dict(rows[0])

    def _literal(self, path: Path) -> str:
        """A path in which the engine sees no pattern."""
        if self.spill is None:  # Spark's patterns are Hadoop's
            return re.sub(r"([\\*?{}\[\]^])", r"\\\1", str(path))
        return glob.escape(str(path))

    @contextmanager
    def _watched(self, what: str, out: Path | None = None) -> Iterator[None]:
        """Report progress and the size of the spill folder while a query runs."""
        done = threading.Event()
        inside = copy_context()  # the listener is known there
        thread = threading.Thread(target=inside.run, args=(self._watch, what, done), daemon=True)
        if self.spill is not None:
            thread.start()
        try:
            with translate_errors(self.spill, out):
                yield
        finally:
            done.set()
            if self.spill is not None:
                thread.join()
                progress.step(what, 100, 100)

    def _watch(self, what: str, done: threading.Event) -> None:
        while not done.wait(_INTERVAL):
            with suppress(OSError):
                sizes = [p.stat().st_size for p in self.spill.rglob("*")] if self.spill else []
                self.spilled = max(self.spilled, sum(sizes))
            with suppress(Exception):  # a bar is not worth a failed query
                share = self.connection.con.query_progress()
                progress.step(what, max(share, 0), 100, f"{self.spilled / 1e9:.1f} GB spilled")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


@contextmanager
def opened(
    engine: str, *, memory: int | None, spill: Path | None, master: str | None
) -> Iterator[Backend]:
    """Open an engine, and clear away what it leaves."""
    try:
        import ibis
    except ImportError:
        extra = "spark" if engine == "spark" else "scale"
        raise MissingExtraError("ibis-framework", extra, f"the engine {engine}") from None
    if engine == "spark":
        if spill is not None or memory is not None:
            raise ConfigError("memory and spill are DuckDB's; Spark has its own configuration.")
        with _spark(ibis, master) as backend:
            yield backend
        return
    if master is not None:
        raise ConfigError("a master is Spark's; DuckDB runs in this process.")
    with work_folder(Path(spill or tempfile.gettempdir()), label="spill") as folder:
        settings: dict[str, str | bool] = {
            "temp_directory": str(folder),
            "preserve_insertion_order": False,
        }
        if memory is not None:
            settings["memory_limit"] = f"{max(int(memory * _SHARE) // 10**6, 1)}MB"
        with translate_errors(folder):
            connection = _duckdb(ibis, settings)
            # Without the bar there is no progress to ask for; ours is shown instead.
            connection.raw_sql("SET enable_progress_bar = true")
            connection.raw_sql("SET enable_progress_bar_print = false")
        try:
            yield Backend(connection, folder)
        finally:
            connection.disconnect()


def _duckdb(ibis: Any, settings: dict[str, str | bool]) -> Any:
    try:
        return ibis.duckdb.connect(**settings)
    except ImportError:
        raise MissingExtraError("duckdb", "scale", "the engine duckdb") from None


@contextmanager
def _spark(ibis: Any, master: str | None) -> Iterator[Backend]:
    if not master:
        raise ConfigError("the engine spark needs a master, as --master 'local[2]'.")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("pyspark", "spark", "the engine spark") from None
    if shutil.which("java") is None:
        raise ConfigError("Spark needs Java; none was found on the PATH.")
    if master.startswith("local"):  # the workers' Python is this one, not the first on the PATH
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("sub2node")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")  # ours is shown
    on_interrupt = signal.getsignal(signal.SIGINT)
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield Backend(ibis.pyspark.connect(session))
    finally:
        session.stop()
        if on_interrupt is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, on_interrupt)  # PySpark leaves its own


@contextmanager
def translate_errors(spill: Path | None, out: Path | None = None) -> Iterator[None]:
    """Turn an engine's errors into ours, and its interruption by Ctrl-C into Python's."""
    try:
        yield
    except Sub2NodeError:
        raise
    except Exception as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise _explain(error, spill, out) from error


def _explain(error: Exception, spill: Path | None, out: Path | None = None) -> Sub2NodeError:
    """The engine's errors that a user can do something about, in one sentence."""
    text = str(error)
    full = spill is not None and shutil.disk_usage(spill).free < _FULL
    memory = "Out of Memory" in text or "OutOfMemory" in type(error).__name__
    names_output = out is not None and str(out) in text  # DuckDB names the file it cannot write
    if out is not None and (names_output or not full) and "No space left" in text:
        return Sub2NodeError(f"no room is left to write the output in {out}; free some.")
    if "No space left" in text or (memory and full):
        return Sub2NodeError(
            f"no room is left to spill in {spill}; free some, or name another place (spill=…,"
            " --spill)."
        )
    if memory:
        return Sub2NodeError(
            "the memory limit is too small for this query, or what it may spill is; allow more"
            f" memory, or more room in {spill}."
        )
    if ours := re.search(r"sub2node\.base\.errors\.\w+: (.+)", text):  # of a worker of Spark
        return Sub2NodeError(ours[1])
    first = str(error).strip().splitlines()
    return Sub2NodeError(f"the engine gave up: {first[0] if first else type(error).__name__}")
