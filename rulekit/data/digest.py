"""Digest of a table's content, every cell included."""

import hashlib

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def digest_of(frame: pd.DataFrame) -> str:
    """Compute the SHA-256 of names, types and every cell of a data frame, shape (n, k)."""
    sha = hashlib.sha256()
    sha.update(f"{frame.shape[0]}x{frame.shape[1]}".encode())
    for name, column in frame.items():
        _feed_text(sha, str(name))
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            _feed_text(sha, str(column.dtype))
            sha.update(_instants(column).tobytes())
        elif pd.api.types.is_numeric_dtype(column.dtype) and isinstance(column.dtype, np.dtype):
            _feed_text(sha, str(column.dtype))
            sha.update(np.ascontiguousarray(column.to_numpy()).tobytes())
        else:
            _feed_levels(sha, column)
    return sha.hexdigest()


def _instants(column: pd.Series) -> NDArray[np.datetime64]:
    """Convert moments to the column's own unit, time zones to UTC."""
    if column.dt.tz is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return np.asarray(column.to_numpy())


def _feed_levels(sha: "hashlib._Hash", column: pd.Series) -> None:
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred not in ("string", "empty", "boolean"):  # 1, 1.0, True and "1" are four things
        present = column.notna().to_numpy()
        column = column.astype(object)
        column = column.map(lambda v: f"{type(v).__name__} {v!r}").where(present, None)
    codes, levels = pd.factorize(column)
    _feed_text(sha, inferred)
    sha.update(codes.astype(np.int64).tobytes())
    for level in levels:
        _feed_text(sha, str(level))


def _feed_text(sha: "hashlib._Hash", text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    sha.update(len(raw).to_bytes(8, "little"))
    sha.update(raw)
