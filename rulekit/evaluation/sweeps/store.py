"""Finished folds on disk (SQLite, JSON text), by keys, so that a sweep can be resumed."""

# A key is a digest of the data, the fold, and the learner with its setting. Each row has a checksum
# of itself and its key: a damaged entry is deleted with a warning.

import contextlib
import dataclasses
import hashlib
import json
import math
import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data import Costs
from rulekit.data.schema import digest_of
from rulekit.exceptions import DataError
from rulekit.learners.cluster import code_version

APPLICATION = 0x52554C45  # "RULE": distinguishes our files from other SQLite files
SCHEMA = 3
PATIENCE = 30.0  # seconds to wait for another process that writes
CREATE = """
CREATE TABLE finished (
    key TEXT PRIMARY KEY,
    measured TEXT NOT NULL,
    checksum TEXT NOT NULL,
    finished_at REAL NOT NULL
) WITHOUT ROWID
"""


class SweepStore:
    """Measurements of finished folds in a file.

    Parameters
    ----------
    path : str or path
        The file; created if it does not exist, readable by its owner only. Several threads and
        processes may use one file at the same time.

    Raises
    ------
    DataError
        If the file cannot be opened, is damaged, belongs to another program, or was written by a
        newer version.

    Notes
    -----
    A row is written once: putting a key again changes nothing. Rows of an older code version are
    never read, as the version is part of the key (`work_key`).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SweepStore(pathlib.Path(folder) / "sweep.sqlite") as store:
    ...         store.put("key", {"test_error": 0.25})
    ...         store.get(["key", "other"])
    {'key': {'test_error': 0.25}}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        with self._using():
            pass

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the path only; the connection is opened again."""
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["path"])  # type: ignore[misc]

    def __enter__(self) -> "SweepStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # __init__ may have rejected the file
            self.close()

    def __len__(self) -> int:
        with self._using() as connection:
            return int(connection.execute("SELECT count(*) FROM finished").fetchone()[0])

    def get(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Read the results for these keys; unknown keys are left out."""
        # Rows that differ from what `put` wrote are left out and deleted with a warning.
        wanted = list(keys)
        stored: dict[str, dict[str, Any]] = {}
        altered = 0
        with self._using() as connection:
            for start in range(0, len(wanted), 500):  # SQLite allows at least 999 parameters
                part = wanted[start : start + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, measured, checksum FROM finished WHERE key IN ({marks})"
                for key, text, checksum in connection.execute(query, part).fetchall():
                    if checksum == _checksum(key, text):
                        stored[key] = json.loads(text)
                    else:
                        connection.execute("DELETE FROM finished WHERE key = ?", (key,))
                        altered += 1
        if altered:
            warnings.warn(
                f"{altered} finished folds in the store {self.path.name!r} were not as they had "
                "been written (the file was altered or damaged); they are computed again.",
                stacklevel=2,
            )
        return stored

    def put(self, key: str, measured: Mapping[str, Any]) -> None:
        """Store one finished fold of JSON values on disk; non-finite numbers become None."""
        finite = {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in measured.items()
        }
        text = json.dumps(finite, allow_nan=False)
        with self._using() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO finished VALUES (?, ?, ?, ?)",
                (key, text, _checksum(key, text), time.time()),
            )

    def close(self) -> None:
        """Close the file; it is opened again at the next use."""
        with self._lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    @contextlib.contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection to one thread at a time; errors become messages."""
        with self._lock:
            try:
                if self._connection is None or self._owner != os.getpid():
                    self._connection = _open_database(self.path)
                    self._owner = os.getpid()
                yield self._connection
            except sqlite3.OperationalError as error:
                raise DataError(
                    f"The store {self.path.name!r} cannot be used ({error}); check that its "
                    "folder exists, may be written and has room, then go on."
                ) from error
            except sqlite3.DatabaseError as error:
                raise DataError(
                    f"The store {self.path.name!r} is damaged or no store ({error}); "
                    "move the file away and start anew, finished folds are then recomputed."
                ) from error


def _checksum(key: str, text: str) -> str:
    return hashlib.sha256(f"{key}\n{text}".encode()).hexdigest()


def _open_database(path: Path) -> sqlite3.Connection:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite would follow the umask
    except OSError as error:
        raise DataError(
            f"The store {path.name!r} cannot be opened ({error.strerror}); "
            "give a file in a folder that exists and may be written."
        ) from error
    connection = sqlite3.connect(
        path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    # A damaged byte causes a different checksum, not an error that quotes the row.
    connection.text_factory = lambda cell: cell.decode("utf-8", "replace")
    try:
        connection.execute("BEGIN IMMEDIATE")
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION and (tables or application):  # nothing is changed yet
            raise DataError(
                f"The file {path.name!r} belongs to another program. Give the store a file of its "
                "own."
            )
        if version > SCHEMA:
            raise DataError(
                f"The store {path.name!r} has schema {version}, this version reads up to {SCHEMA}; "
                "update the program, or give another file."
            )
        if application != APPLICATION or version != SCHEMA:
            # written by older code: never read again
            connection.execute("DROP TABLE IF EXISTS finished")
            connection.execute(CREATE)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
        deadline = time.monotonic() + PATIENCE
        while True:  # another process may hold an exclusive lock
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        connection.execute("PRAGMA synchronous = NORMAL")  # safe against kill -9, not power loss
    except BaseException:
        connection.close()
        raise
    return connection


def plain_form(value: Any, name: str = "value") -> Any:
    """Convert a parameter's value to JSON types."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain_form(v, name) for v in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(json.dumps(plain_form(v, name), sort_keys=True) for v in value)}
    if isinstance(value, Mapping):
        pairs = [[plain_form(k, name), plain_form(v, name)] for k, v in value.items()]
        return {"map": sorted(pairs, key=lambda pair: json.dumps(pair, sort_keys=True))}
    if isinstance(value, np.ndarray):
        return {"array": _sha(str((value.dtype, value.shape)), _bytes_of(value))}
    title = f"{type(value).__module__}.{type(value).__qualname__}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        parts = value.get_params(deep=False)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    else:
        raise ValueError(
            f"A stored sweep needs parameters that can be stored; {name!r} holds a "
            f"{type(value).__name__}. Give plain values, or sweep without `store`."
        )
    return {"class": title, "parts": {k: plain_form(v, k) for k, v in sorted(parts.items())}}


def data_digest(X: Any, y: Any, sample_weight: Any = None, costs: Costs | None = None) -> str:
    """Compute the SHA-256 of a learner's input: X (n, k), y (n,), sample_weight (n,)."""
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    target = pd.DataFrame({"y": np.asarray(y)})
    weight = b"" if sample_weight is None else _bytes_of(np.asarray(sample_weight, dtype=float))
    columns = [*(frame.iloc[:, i] for i in range(frame.shape[1])), target["y"]]
    # of values: a digest of text alone would not separate True from "True"
    types = [{type(v).__name__ for v in c} if c.dtype == object else {} for c in columns]
    kinds = repr([sorted(names) for names in types])
    priced = [] if costs is None else [json.dumps(plain_form(costs, "costs"), sort_keys=True)]
    return _sha(digest_of(frame), digest_of(target), kinds, weight, *priced)


def folds_digest(folds: list[tuple[NDArray[Any], NDArray[Any]]]) -> tuple[str, ...]:
    """Compute a digest for each fold from the positions of its training and test rows."""
    return tuple(_sha(*(np.asarray(p, dtype=np.int64).tobytes() for p in pair)) for pair in folds)


def work_key(data: str, estimator: Any, setting: Mapping[str, Any], fold: str) -> str:
    """Compute the key of one fit of one fold."""
    form = plain_form(estimator, "estimator")
    top = {k: plain_form(v, k) for k, v in sorted(setting.items())}
    form["parts"] = {k: v for k, v in form["parts"].items() if k not in top}
    return _sha(code_version(), data, json.dumps([form, top], sort_keys=True), fold)


def _bytes_of(array: NDArray[Any]) -> bytes:
    if array.dtype == object:
        return repr([(type(v).__name__, v) for v in array.ravel().tolist()]).encode()
    return np.ascontiguousarray(array).tobytes()


def _sha(*parts: str | bytes) -> str:
    sha = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        sha.update(len(raw).to_bytes(8, "little"))
        sha.update(raw)
    return sha.hexdigest()
