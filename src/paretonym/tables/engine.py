"""A private, in-memory DuckDB: no network, no extensions, no value in any error.

Whatever spills to disk lands in a folder only its owner can read, removed on close.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from paretonym.errors import TableError

DEFAULT_MEMORY_LIMIT = "800MB"  # of the engine alone; a 10-million-row table then fits in 2 GB
BATCH_ROWS = 65_536
NAP_SECONDS = 0.1
SOURCE = "source"  # the table's own relation inside the engine


class Engine:
    """One database and the folder it may spill to."""

    def __init__(self, *, memory_limit: str = DEFAULT_MEMORY_LIMIT) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="paretonym-"))  # made with mode 0700
        # also runs when the engine is forgotten or the process ends
        self._remove_folder = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "memory_limit": memory_limit,
            "temp_directory": str(self.folder),
            "preserve_insertion_order": True,
            "python_enable_replacements": False,  # a query must not see this process's variables
        }
        try:
            with engine_errors("opening the data engine"):
                self._connection = duckdb.connect(":memory:", config=config)
                self._lock_down()
        except BaseException:
            self._remove_folder()
            raise

    def _lock_down(self) -> None:
        """Only the private folder may be read, and no later statement can change that."""
        self._connection.execute("SET TimeZone = 'UTC'")  # text of a time must not depend on place
        folder = exp.Literal.string(str(self.folder)).sql("duckdb")
        self._connection.execute(f"SET allowed_directories = [{folder}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    @contextmanager
    def session(self, relations: Mapping[str, pa.Table | Path]) -> Iterator[Session]:
        """A cursor that sees these Arrow tables (or private Parquet files) under their names."""
        with engine_errors("preparing a query"):
            cursor = self._connection.cursor()
        session = Session(cursor)
        try:
            with engine_errors("preparing a query"):
                for name, relation in relations.items():
                    _register(cursor, name, relation)
            yield session
        finally:
            session.close()

    def close(self) -> None:
        self._connection.close()
        self._remove_folder()


class Session:
    """Runs sqlglot expressions on a cursor; results come as Arrow.

    The engine works in a thread of its own: the main thread only waits, so that Ctrl-C is seen
    at once even while the engine is deep in a join.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="paretonym-engine")

    def row(self, query: exp.Query) -> tuple[Any, ...]:
        """The only row of a result."""
        text = query.sql("duckdb")
        found: list[tuple[Any, ...]] = self._wait(lambda: self._cursor.sql(text).fetchall())
        return found[0]

    def batches(self, query: exp.Query) -> Iterator[pa.RecordBatch]:
        """The result as a stream; nothing of it is kept here."""
        text = query.sql("duckdb")
        reader = self._wait(lambda: iter(self._cursor.sql(text).to_arrow_reader(BATCH_ROWS)))
        while (batch := self._wait(lambda: next(reader, None))) is not None:
            yield batch

    def close(self) -> None:
        self._worker.shutdown()
        self._cursor.close()

    def _wait(self, work: Callable[[], Any]) -> Any:
        with engine_errors("reading the table"):
            running = self._worker.submit(work)
            try:
                while not running.done():  # in short naps: a signal may arrive at another thread
                    wait([running], timeout=NAP_SECONDS)
            except KeyboardInterrupt:
                while not running.done():  # again and again: the query may not have started yet
                    self._cursor.interrupt()
                    wait([running], timeout=NAP_SECONDS)
                raise
            return running.result()


def _register(cursor: duckdb.DuckDBPyConnection, name: str, relation: pa.Table | Path) -> None:
    if isinstance(relation, Path):
        path = exp.Literal.string(str(relation)).sql("duckdb")
        identifier = exp.to_identifier(name, quoted=True).sql("duckdb")
        # both parts are quoted by sqlglot, and the path is one this process made up
        cursor.execute(f"CREATE TEMP VIEW {identifier} AS SELECT * FROM read_parquet({path})")  # noqa: S608
    else:
        cursor.register(name, relation)


@contextmanager
def engine_errors(doing: str) -> Iterator[None]:
    """Replace the engine's errors, which quote lines and values, by ours, which do not."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.OutOfMemoryException:
        raise TableError(
            f"{doing}: the memory limit is too small for this table, or the temporary folder is "
            f"full; raise the limit or point TMPDIR to a larger disk"
        ) from None
    except duckdb.IOException:
        raise TableError(
            f"{doing}: the temporary folder cannot be read or written; check the space left in "
            f"TMPDIR"
        ) from None
    except (duckdb.Error, pa.ArrowException) as error:
        raise TableError(f"{doing}: the data engine failed ({type(error).__name__})") from None
    except RuntimeError as error:
        if "interrupt" in str(error).lower():  # how DuckDB reports Ctrl-C
            raise KeyboardInterrupt from None
        raise
