"""The files of a saved analysis: read whole, compared before they are written, deleted for good."""

# An analysis is a folder, named by its id, in the workspace. A thread or process that writes or
# deletes one locks the workspace. A deleted analysis leaves its id in ``.deleted``, so that no
# other window brings it back.

import hashlib
import json
import os
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from rulekit.data import Table

TABLE, SETTINGS, ABOUT = "table.parquet", "analysis.json", "about.json"
DELETED, LOCK = ".deleted", ".lock"
NEW = ".new"  # suffix of files that are being written
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
WAIT = 60.0  # seconds for another writer, who may be writing a large table


@dataclass(frozen=True)
class Version:
    """One state of an analysis on disk: its settings as plain values, and a name of its own."""

    plain: dict[str, Any]
    name: str = field(default_factory=lambda: secrets.token_hex(8))


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock the workspace that an analysis is in."""
    path = folder.parent / LOCK
    path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
    try:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise OSError(f"another window is saving ({error})") from error
        yield
    finally:
        connection.close()


def is_deleted(folder: Path) -> bool:
    """Whether the analysis of a folder was deleted, by any window."""
    return (folder.parent / DELETED / folder.name).exists()


def delete(folder: Path) -> None:
    """Delete an analysis for good; OSError if the disk refuses it."""
    with lock_folder(folder):
        if folder.exists():
            shutil.rmtree(folder)
        (folder.parent / DELETED).mkdir(mode=0o700, exist_ok=True)
        (folder.parent / DELETED / folder.name).touch(mode=0o600)


def copy(folder: Path, target: Path) -> None:
    """Copy an analysis without the folds of its runs."""
    with lock_folder(folder):
        target.mkdir(mode=0o700)
        for name in (TABLE, SETTINGS, ABOUT):
            shutil.copy(folder / name, target / name)


def read_settings(folder: Path) -> Version:
    """Read the settings of an analysis; ValueError if they were altered."""
    plain = json.loads((folder / SETTINGS).read_text("utf-8"))
    if plain.pop("checksum") != _checksum(plain):
        raise ValueError("The file is not as it was saved: it was altered or damaged.")
    name = plain.pop("saved")
    return Version(plain, name)


def read(folder: Path) -> tuple[Version, Table]:
    """Read an analysis; ValueError if its settings or the cells of its table were altered."""
    try:
        return _read(folder)
    except UNREADABLE:
        with lock_folder(folder):  # between the two files of a writer
            return _read(folder)


def _read(folder: Path) -> tuple[Version, Table]:
    version = read_settings(folder)
    table = Table.from_frame(pd.read_parquet(folder / TABLE), name=version.plain["name"])
    if table.digest != version.plain["digest"]:
        raise ValueError("The table's cells are not those that were saved.")
    return version, table


def stamp(folder: Path) -> tuple[int, int] | None:
    """Return what changes whenever the settings are written; None if they are not there."""
    try:
        status = (folder / SETTINGS).stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


def write(folder: Path, version: Version, table: Table | None) -> None:
    """Write an analysis, with its table if there is a new one; the lock must be held."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for path in folder.glob(f"*{NEW}"):  # of a writer that was killed
        path.unlink()
    if table is not None:
        replace_file(folder / TABLE, lambda path: table.frame.to_parquet(path))
    plain = version.plain | {"saved": version.name}
    text = json.dumps(plain | {"checksum": _checksum(plain)}, indent=1)
    replace_file(folder / SETTINGS, lambda path: path.write_text(text, "utf-8"))


def replace_file(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a temporary file and replace the target by it, readable by its owner only."""
    handle, name = tempfile.mkstemp(NEW, f"{path.name}.", path.parent)
    os.close(handle)
    try:
        write(Path(name))
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _checksum(plain: dict[str, Any]) -> str:
    read_back = json.loads(json.dumps(plain))
    return hashlib.sha256(json.dumps(read_back, sort_keys=True).encode()).hexdigest()
