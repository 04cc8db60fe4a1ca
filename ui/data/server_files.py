"""Tables on the server's own disk: only Parquet files, only below the folder the operator names.

The environment variable ``RULEKIT_DATA_ROOT`` names the folder; without it nothing is offered. A
path is resolved, links and all, and refused where it leads out of the folder.
"""

import os
from pathlib import Path

from rulekit.exceptions import DataError

VARIABLE = "RULEKIT_DATA_ROOT"
MAX_LISTED = 500


def root() -> Path | None:
    """Return the folder that the operator allows, resolved; None where there is none."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return None
    folder = Path(named).resolve()
    return folder if folder.is_dir() else None


def listed() -> list[str]:
    """List the Parquet files below the folder, as paths relative to it, sorted; at most 500."""
    folder = root()
    if folder is None:
        return []
    found = []
    for path in sorted(folder.rglob("*.parquet")):
        name = path.relative_to(folder).as_posix()
        if _allowed(folder, name) is not None:
            found.append(name)
        if len(found) == MAX_LISTED:
            break
    return found


def resolved(name: str) -> Path:
    """Return the file that a relative path names.

    Raises
    ------
    DataError
        If no folder is allowed, or the path leads out of it, or to no Parquet file.
    """
    folder = root()
    if folder is None:
        raise DataError(
            f"No folder of this server is open to the dashboard; its operator can name one in "
            f"{VARIABLE}."
        )
    path = _allowed(folder, name)
    if path is None:
        raise DataError(
            f"There is no Parquet file {name[:120]!r} in the folder that this server opens to the "
            "dashboard. Choose one of the list."
        )
    return path


def _allowed(folder: Path, name: str) -> Path | None:
    """Resolve a path below a folder; None where it leads elsewhere."""
    try:
        path = (folder / name).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    inside = path.is_relative_to(folder) and path.suffix == ".parquet" and path.is_file()
    return path if inside else None
