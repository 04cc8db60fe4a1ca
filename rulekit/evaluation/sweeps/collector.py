"""Results of a sweep: collected from all threads, each stored under the key of its fit."""

import dataclasses
import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data import Costs
from rulekit.data.digest import digest_of
from rulekit.evaluation.sweeps.result import SweepResult, table_of
from rulekit.evaluation.sweeps.store import SweepStore
from rulekit.learners.cluster import code_version
from rulekit.learners.paths import Setting
from rulekit.rules import RuleSet
from rulekit.rules.codec import rule_from_dict


@dataclass(frozen=True)
class Work:
    """All fits of a sweep."""

    estimator: Any
    settings: tuple[Setting, ...]
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    costs: Costs | None = None


class Collector:
    """Stores each result once and reports it to the caller."""

    def __init__(
        self,
        work: Work,
        store: SweepStore | None,
        on_result: Callable[[dict[str, Any]], None] | None,
    ) -> None:
        self._work, self._store, self._on_result = work, store, on_result
        self._lock = threading.RLock()
        self._rows: dict[tuple[int, int], dict[str, Any]] = {}
        self._total = len(work.settings) * len(work.folds)
        self.data = data_digest(work.X, work.y, work.weights, work.costs)
        self.folds = folds_digest(work.folds)
        self._rules: dict[int, tuple[Any, RuleSet]] = {}
        self._names = {} if store is None else self._names_of_work()

    def has(self, setting: int, fold: int) -> bool:
        """Return whether this result is known."""
        return (setting, fold) in self._rows

    def look_up(self) -> None:
        """Load all stored results, fold by fold."""
        if self._store is None:
            return
        stored = self._store.get(self._names.values())
        for (setting, fold), name in sorted(self._names.items(), key=lambda item: item[0][::-1]):
            if name in stored:
                self._land(setting, fold, stored[name], from_store=True)

    def land(self, setting: int, fold: int, measured: dict[str, Any]) -> None:
        """Record a fresh result; a duplicate is ignored."""
        self._land(setting, fold, measured, from_store=False)

    def kept(self) -> str:
        """Return a sentence on what is kept if the sweep is interrupted now."""
        done = f"{len(self._rows)} of {self._total} fits were finished"
        return f"{done}, and are kept in the store." if self._names else f"{done}. Give a `store`."

    def result(self) -> SweepResult:
        """Return all recorded results as one table."""
        with self._lock:
            rows = list(self._rows.values())
        names = list(dict.fromkeys(k for s in self._work.settings for k in s))
        n_settings = len(self._work.settings)
        return SweepResult(
            table=table_of(rows, names),
            settings=self._work.settings,
            estimators=(self._work.estimator,) * n_settings,
            n_folds=len(self.folds),
            complete=len(rows) == self._total,
            folds_digest=_joined(self.data, self.folds),
        )

    def _land(self, setting: int, fold: int, measured: dict[str, Any], *, from_store: bool) -> None:
        with self._lock:
            if self.has(setting, fold):
                return
            estimator = self._work.estimator
            row = {
                "setting": setting,
                "learner": str(getattr(estimator, "name", type(estimator).__name__)),
                **self._work.settings[setting],
                "fold": fold,
                **measured,
                "rule": self._rule(measured.get("rule")),
            }
            self._rows[setting, fold] = row
            if self._store is not None and not from_store:
                self._store.put(self._names[setting, fold], self.data, measured)
            if self._on_result is not None:
                progress = {"done": len(self._rows), "total": self._total, "from_store": from_store}
                self._on_result(row | progress)

    def _rule(self, plain: Any) -> RuleSet | None:
        """Read a rule; settings of one fold often share the same dictionary."""
        if plain is None:
            return None
        if id(plain) not in self._rules:
            # kept alive, so that its id stays valid
            self._rules[id(plain)] = plain, rule_from_dict(plain)
        return self._rules[id(plain)][1]

    def _names_of_work(self) -> dict[tuple[int, int], str]:
        """Compute the key of every fit; the learner is serialised once per setting."""
        return {
            (number, fold): work_key(self.data, self._work.estimator, setting, digest)
            for number, setting in enumerate(self._work.settings)
            for fold, digest in enumerate(self.folds)
        }


def fingerprint(X: Any, y: Any, weights: Any, folds: Any, costs: Costs | None = None) -> str:
    """Return a text that is equal for results that are comparable on one curve."""
    return _joined(data_digest(X, y, weights, costs), folds_digest(folds))


def _joined(data: str, folds: Sequence[str]) -> str:
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
