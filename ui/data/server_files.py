"""Tables on the server's disk: files and folders of Parquet, and CSV, below one folder.

The environment variable ``RULEKIT_DATA_ROOT`` names the folder; without it nothing is offered. A
path is resolved, including links, and rejected if it is outside the folder; the same applies to
every file of a folder that is read as one table.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from rulekit.exceptions import DataError

VARIABLE = "RULEKIT_DATA_ROOT"
MAX_LISTED = 500
MAX_FILES = 20_000  # number of files of one table
SUFFIXES = (".parquet", ".csv")
PART = "="  # a folder called year=2024 is a part of the table above it


def root() -> Path | None:
    """Return the folder that the operator allows, resolved; None without one."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return None
    folder = Path(named).resolve()
    return folder if folder.is_dir() else None


def listed() -> list[str]:
    """List the tables below the folder, as paths relative to it, sorted; at most 500.

    A folder with Parquet files, directly or in parts called ``name=value``, is a table, too; it
    ends in a slash.
    """
    folder = root()
    if folder is None:
        return []
    files: set[str] = set()
    for path in _walked(folder):
        name = path.relative_to(folder)
        if path.suffix not in SUFFIXES or _allowed(folder, name.as_posix()) is None:
            continue
        files.add(name.as_posix())
        whole = name.parent
        while PART in whole.name:
            whole = whole.parent
        if path.suffix == ".parquet" and whole != Path():
            files.add(f"{whole.as_posix()}/")
        if len(files) >= MAX_LISTED:
            break
    return sorted(files)[:MAX_LISTED]


def resolved(name: str) -> list[Path]:
    """Return the files of a table: one, or those of a folder, sorted."""
    folder = root()
    if folder is None:
        raise DataError(
            f"No folder of this server is open to the dashboard; its operator can name one in "
            f"{VARIABLE}."
        )
    path = _allowed(folder, name)
    if path is None:
        raise DataError(
            f"There is no table {name[:120]!r} in the folder that this server opens to the "
            "dashboard. Choose one of the list."
        )
    if path.is_file():
        return [path]
    files = []
    for part in _walked(path):
        if part.suffix != ".parquet":
            continue
        if _allowed(folder, part.relative_to(folder).as_posix()) is None:
            raise DataError(
                f"The folder {name[:120]!r} holds a file that leads out of what this server opens "
                "to the dashboard; its operator can take it away."
            )
        files.append(part)
        if len(files) > MAX_FILES:
            raise DataError(
                f"The folder {name[:120]!r} holds more than {MAX_FILES:,} files; choose one of its "
                "parts."
            )
    return files


def _walked(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder in order; links to folders are not followed."""
    for path, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            yield Path(path) / name


def _allowed(folder: Path, name: str) -> Path | None:
    """Resolve a path below a folder; None if it is outside or not a table."""
    try:
        path = (folder / name).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    if not path.is_relative_to(folder) or path == folder:
        return None
    if name.endswith("/"):
        return path if any(part.suffix == ".parquet" for part in _walked(path)) else None
    return path if path.suffix in SUFFIXES and path.is_file() else None
