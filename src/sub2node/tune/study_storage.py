"""Storages of studies: a journal file, a database or a gRPC server; calls are retried."""

from __future__ import annotations

import re
import socket
import threading
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..base.errors import ConfigError, DataError, MissingExtraError, Sub2NodeError

if TYPE_CHECKING:
    from optuna.storages import BaseStorage

T = TypeVar("T")
_WAITS = (0.5, 1.0, 2.0, 4.0)  # seconds between attempts; a server may be restarted meanwhile
_READY = 5.0  # seconds for a gRPC server to answer at first


class StorageGoneError(Sub2NodeError):
    """The storage of a study cannot be reached any more."""


def require_optuna() -> None:
    """Raise unless Optuna is installed; silence its own messages."""
    if find_spec("optuna") is None:
        raise MissingExtraError("optuna", "tune", "searching settings")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)


def open_storage(url: str) -> BaseStorage:
    """Open an Optuna storage.

    Args:
        url: The path of a journal file, ``sqlite:///FILE``, ``postgresql://USER:WORD@HOST/NAME``
            (or another database that SQLAlchemy supports), or ``grpc://HOST:PORT``.
    """
    require_optuna()
    try:
        if "://" not in url:
            return _open_journal(Path(url))
        return _open_grpc(url) if url.startswith("grpc://") else _open_database(url)
    except Sub2NodeError:
        raise
    except Exception as error:
        raise ConfigError(
            f"the storage {hide_password(url)} cannot be opened: {_first_sentence(error)}."
        ) from error


def hide_password(url: str) -> str:
    """The URL of a storage as messages name it: without its password."""
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", url)


def _open_journal(path: Path) -> BaseStorage:
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    class GuardedFile(JournalFileBackend):
        """A journal that is not started again when someone removes it."""

        def __init__(self, file_path: str) -> None:
            super().__init__(file_path)
            self._inode, self._size = path.stat().st_ino, 0

        def read_logs(self, log_number_from: int) -> Any:
            self._require_same_file()
            return super().read_logs(log_number_from)

        def append_logs(self, logs: list[dict[str, Any]]) -> None:
            self._require_same_file()
            super().append_logs(logs)

        def _require_same_file(self) -> None:
            size, status = self._size, path.stat()  # in this order: other threads do the same
            if status.st_ino != self._inode or status.st_size < size:  # a journal only grows
                raise FileNotFoundError(2, "it was replaced by another file", str(path))
            self._size = max(size, status.st_size)

    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is no file; a journal is one.")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return JournalStorage(GuardedFile(str(path)))
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"this is no journal of a study ({error}).", path=path) from None


def mend_journal(path: Path) -> None:
    """Remove a last line that was cut off while it was written."""
    if not path.is_file():
        return
    from optuna.storages.journal import JournalFileSymlinkLock

    lock = JournalFileSymlinkLock(str(path))
    lock.acquire()  # a worker may be writing
    try:
        _remove_partial_line(path)
    finally:
        lock.release()


def _remove_partial_line(path: Path) -> None:
    with path.open("r+b") as file:
        text = file.read()
        end = text.rfind(b"\n") + 1
        if end < len(text):
            file.truncate(end)


def _open_database(url: str) -> BaseStorage:
    from optuna.storages import get_storage

    kind, _, rest = url.partition("://")
    if kind == "postgresql" and find_spec("psycopg2") is None:
        if find_spec("psycopg") is None:
            raise MissingExtraError("psycopg", "tune", "a study in PostgreSQL")
        kind = "postgresql+psycopg"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return get_storage(f"{kind}://{rest}")


def _open_grpc(url: str) -> BaseStorage:
    if find_spec("grpc") is None:
        raise MissingExtraError("grpcio", "tune", "a study behind gRPC")
    from optuna.storages import GrpcStorageProxy

    host, port = host_and_port(url.removeprefix("grpc://"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna calls it experimental
        proxy = GrpcStorageProxy(host=host, port=port)
        try:
            proxy.wait_server_ready(timeout=_READY)
        except ConnectionError:
            raise ConfigError(
                f"no study is shared at {url}; is s2n tune --share running?"
            ) from None
    return proxy


def host_and_port(text: str) -> tuple[str, int]:
    """Read ``HOST:PORT`` as typed."""
    host, _, port = text.strip("/").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise ConfigError(f"HOST:PORT is expected, as localhost:13000, found {text!r}.")
    return host, int(port)


def share(storage: BaseStorage, where: str) -> None:
    """Share a study with other machines over gRPC, from a thread that ends with the process.

    Args:
        storage: A storage in a database; Optuna cannot share a journal.
        where: The ``HOST:PORT`` to listen at.
    """
    if find_spec("grpc") is None:
        raise MissingExtraError("grpcio", "tune", "sharing a study over gRPC")
    from optuna.storages import run_grpc_proxy_server

    host, port = host_and_port(where)
    try:  # gRPC would not mind if somebody else listens there too
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise ConfigError(f"cannot listen at {where}: {_first_sentence(error)}.") from None

    def serve() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Optuna calls it experimental
            run_grpc_proxy_server(storage, host=host, port=port)

    threading.Thread(target=serve, daemon=True, name="s2n-tune-share").start()


def call_with_retries(url: str, call: Callable[[], T], *, waits: tuple[float, ...] = _WAITS) -> T:
    """Call a storage, and try again while it does not answer.

    Args:
        url: The URL of the storage.
        call: The call.
        waits: Seconds between attempts.
    """
    for wait in (*waits, None):
        try:
            return call()
        except Exception as error:
            if not is_storage_error(error):
                raise
            if wait is None:
                raise StorageGoneError(
                    f"the storage {hide_password(url)} cannot be reached any more:"
                    f" {_first_sentence(error)}."
                ) from error
            time.sleep(wait)
    raise AssertionError  # the loop ends by returning or raising


def is_storage_error(error: BaseException) -> bool:
    """Whether an error comes from the storage, not from what was requested of it."""
    if isinstance(error, OSError | StorageGoneError):
        return True
    names = {f"{kind.__module__}.{kind.__name__}" for kind in type(error).__mro__}
    return bool(
        names
        & {
            "optuna.exceptions.StorageInternalError",
            "sqlalchemy.exc.DBAPIError",
            "sqlalchemy.exc.SQLAlchemyError",
            "grpc.RpcError",
        }
    )


def _first_sentence(error: BaseException) -> str:
    """The first sentence of an error of another library."""
    details = getattr(error, "details", None)
    text = str(details()) if callable(details) else str(error.args[0] if error.args else error)
    if isinstance(error, OSError) and error.strerror:
        text = error.strerror
    cause = error.__cause__
    if "optuna" in type(error).__module__ and cause is not None:
        text = str(cause.args[0] if cause.args else cause)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".")
