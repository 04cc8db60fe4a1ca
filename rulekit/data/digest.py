"""Digest of a table's content, every cell included."""

import hashlib

import numpy as np
import pandas as pd


def digest_of(frame: pd.DataFrame) -> str:
    """Compute the SHA-256 of names, types and every cell of a data frame, shape (n, k)."""
    sha = hashlib.sha256()
    sha.update(f"{frame.shape[0]}x{frame.shape[1]}".encode())
    for name, column in frame.items():
        _feed_text(sha, str(name))
        kind = column.dtype
        is_moment = pd.api.types.is_datetime64_any_dtype(kind)
        if is_moment and column.dt.tz is not None:
            column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        if is_moment or (isinstance(kind, np.dtype) and pd.api.types.is_numeric_dtype(kind)):
            _feed_text(sha, str(kind))
            sha.update(column.to_numpy().tobytes())
        else:
            _feed_levels(sha, column)
    return sha.hexdigest()


def _feed_levels(sha: "hashlib._Hash", column: pd.Series) -> None:
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred not in ("string", "empty", "boolean"):  # 1, 1.0, True and "1" are four things
        described = column.astype(object).map(lambda v: f"{type(v).__name__} {v!r}")
        column = described.where(column.notna().to_numpy(), None)
    codes, levels = pd.factorize(column)
    _feed_text(sha, inferred)
    sha.update(codes.astype(np.int64).tobytes())
    for level in levels:
        _feed_text(sha, str(level))


def _feed_text(sha: "hashlib._Hash", text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    sha.update(len(raw).to_bytes(8, "little"))
    sha.update(raw)
