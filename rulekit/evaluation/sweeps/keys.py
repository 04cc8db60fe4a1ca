"""Keys of stored fits: digests of the data, the folds, and the learner with its setting."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data import Costs
from rulekit.data.digest import digest_of
from rulekit.learners.cluster import code_version


def join_digests(data: str, folds: Sequence[str]) -> str:
    """Return a text that is equal for results that are comparable on one curve."""
    return "-".join((data[:16], *(fold[:8] for fold in folds)))


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
    return _object_form(value, name)


def _object_form(value: Any, name: str) -> dict[str, Any]:
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
    kinds = repr([_kinds(frame.iloc[:, i]) for i in range(frame.shape[1])] + [_kinds(target["y"])])
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


def _kinds(column: Any) -> list[str]:
    """Return the types of values: a digest of text alone would not separate True from "True"."""
    return sorted({type(v).__name__ for v in column}) if column.dtype == object else []


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
