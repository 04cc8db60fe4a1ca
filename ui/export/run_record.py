"""The run record: everything needed to get the same rule again, as plain values."""

import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pandas as pd
from sklearn.base import ClassifierMixin

from rulekit.evaluation.metrics import error_rate
from ui.state import AppState

PACKAGES = ("rulekit-dashboard", "numpy", "pandas", "scipy", "scikit-learn", "highspy", "joblib")


def run_record(state: AppState, model: ClassifierMixin) -> dict[str, Any]:
    """Describe an analysis so that another person can repeat it.

    Parameters
    ----------
    state : AppState
    model : fitted rule classifier

    Returns
    -------
    dict
        Only dictionaries, lists, text, numbers and None: the data's digest (never its rows), the
        settings, the selected point, seeds, sizes, errors and versions.
    """
    train, test = state.rows()
    rule = model.rule_set_
    return {
        "record": 1,
        "data": {
            "name": state.table.name,
            "sha256": state.table.digest,
            "rows": state.table.n_rows,
            "notes": list(state.table.notes),
        },
        "target": state.target,
        "described_class": None if state.several else state.positive,
        "classes": list(state.labels),
        "roles": {c.name: c.role for c in state.table.columns},
        "split": {
            **asdict(state.split),
            "training_rows": len(train),
            "test_rows": len(test),
            "test_rows_looked_at": state.test_looks,
        },
        "binning": _plain(asdict(state.binning)),
        "run": _plain(state.run_settings),
        "setting": _plain(state.setting or {}),
        "random_state": 0,
        "result": {
            "clauses": rule.n_clauses,
            "conditions": rule.n_conditions,
            "training_error": _error(model, *state.training),
            "test_error": _error(model, *state.testing) if len(test) else None,
        },
        "notes": state.notes,
        "reviews": _plain(state.case_notes),
        "versions": _versions(),
    }


def _error(model: ClassifierMixin, X: pd.DataFrame, y: pd.Series) -> float:
    return error_rate(y.to_numpy(), model.predict(X))


def _plain(value: Any) -> Any:
    """Convert tuples to lists and NumPy scalars to Python's, recursively."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value.item() if hasattr(value, "item") else value


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return versions
