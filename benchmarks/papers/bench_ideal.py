"""The ideal DNF: accuracy beside the paper's and beside forests, speed beside the plain way.

``accuracy``: mean over seeds of a shuffled stratified 10-fold cross-validation (leave-one-out
below 100 rows), in percent, rows with gaps left out as in the paper; reference is the paper's
figure where its text has one. Its ten test parts were no partition of the rows, so one or two
points of difference mean nothing. ``features``: conditions of the final formula. ``seconds a
split``: CPU seconds of one fit, beside the paper's laptop on several cores. ``forest``,
``boosting``: scikit-learn with its defaults on the same folds, untuned. ``plain``: CPU seconds of
the method told step by step, in the same run, with mutual information from counts, and from
nearest neighbours as in the paper.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from threadpoolctl import threadpool_limits

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit import IdealDNFClassifier
from rulekit.data import make_folds
from rulekit.exceptions import EmptyRuleWarning

#: The paper's accuracy in percent (from its text), features (Table 1), seconds a split (6.3).
PAPER: dict[str, tuple[float | None, float, float]] = {
    "breast_cancer_wisconsin": (95.9, 3.8, 13.0),
    "congressional_voting": (None, 1.0, 10.0),
    "german_credit": (None, 3.9, 26.0),
    "heart_cleveland": (81.2, 3.9, 11.0),
    "bank_marketing": (None, 1.3, 90.0),
    "student_dropout": (None, 5.8, 86.0),
    "electricity": (None, 7.5, 714.0),
    "covertype": (None, 2.5, 2710.0),
}
SAMPLES = ["breast_cancer", "credit"]
SMALL = 100  # rows below which each row is left out in turn
PLAIN_ON = ("electricity", "breast_cancer")  # in a folder; among the samples
COVERTYPE_SHAPE = (423_680, 54)
REPEATS = 3


@dataclass(frozen=True)
class Measured:
    """One learner on one split."""

    accuracy: float
    seconds: float
    features: float


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table."""
    names = list(PAPER) if arguments.data else SAMPLES
    seeds = range(arguments.seeds or (1 if arguments.quick else 3))
    rows: list[Row] = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        for table in tables(arguments, names):
            whole = as_in_paper(table, arguments)
            rows += accuracy(whole, seeds, references=not arguments.quick)
            if table.name in PLAIN_ON:
                rows += beside_plain(whole, kinds=(True,) if arguments.quick else (True, False))
            if table.name == "covertype":
                rows += tiled(whole)
    return rows


def as_in_paper(table: BenchTable, arguments: argparse.Namespace) -> BenchTable:
    """Take all columns, codes as categories, and the rows without gaps."""
    X = table.X
    if arguments.data is not None:
        text = (arguments.data / "datasets.json").read_text(encoding="utf-8")
        facts = json.loads(text)[table.name]
        frame = pd.read_csv(arguments.data / facts["file"])
        X = frame.drop(columns=[facts["target"]])
        codes = facts.get("numeric_coded_categorical", [])
        X = X.assign(**{name: X[name].astype(str) for name in codes})
    complete = X.notna().all(axis=1).to_numpy()
    return replace(table, X=X[complete].reset_index(drop=True), y=table.y[complete])


def learners(table: BenchTable, seed: int) -> dict[str, Callable[[], Any]]:
    """List ours and those of the paper's comparison, by name."""
    encode = make_column_transformer(
        (
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
            make_column_selector(dtype_exclude=np.number),
        ),
        remainder="passthrough",
    )
    return {
        "ideal": lambda: IdealDNFClassifier(
            selection="ranking", positive_label=table.positive, random_state=seed
        ),
        "forest": lambda: make_pipeline(encode, RandomForestClassifier(random_state=seed)),
        "boosting": lambda: make_pipeline(
            encode, HistGradientBoostingClassifier(random_state=seed)
        ),
    }


def accuracy(table: BenchTable, seeds: range, *, references: bool = True) -> list[Row]:
    """Cross-validate all learners on the same folds."""
    measured: dict[str, list[Measured]] = {"ideal": []}
    if references:
        measured |= {"forest": [], "boosting": []}
    for seed in seeds:
        splits = LeaveOneOut().split(table.X) if len(table.y) < SMALL else None
        for train, test in splits or make_folds(table.y, 10, random_state=seed):
            for name, make in learners(table, seed).items():
                if name in measured:
                    measured[name].append(_one(make(), table, train, test))
    paper = PAPER.get(table.name, (None, None, None))
    setting = {"rows": len(table.y), "folds": len(measured["ideal"]) // len(seeds)}
    shared = {"table": table.name, "setting": setting | {"seeds": len(seeds)}}
    ours = {key: _mean(measured["ideal"], key) for key in ("accuracy", "features", "seconds")}
    majority = 100 * max(np.mean(table.y == table.positive), np.mean(table.y != table.positive))
    rows = [
        {"what": "accuracy", "ours": 100 * ours["accuracy"], "reference": paper[0], "unit": "%"},
        {"what": "majority", "ours": 100 * ours["accuracy"], "reference": majority, "unit": "%"},
        {"what": "features", "ours": ours["features"], "reference": paper[1]},
        {"what": "seconds a split", "ours": ours["seconds"], "reference": paper[2], "unit": "s"},
    ]
    rows += [
        {
            "what": name,
            "ours": 100 * ours["accuracy"],
            "reference": 100 * _mean(measured[name], "accuracy"),
            "unit": "%",
        }
        for name in measured
        if name != "ideal"
    ]
    return [report(row | shared) for row in rows]


def _one(model: Any, table: BenchTable, train: Any, test: Any) -> Measured:
    start = time.process_time()
    model.fit(table.X.iloc[train], table.y[train])
    seconds = time.process_time() - start
    right = float(np.mean(model.predict(table.X.iloc[test]) == table.y[test]))
    return Measured(right, seconds, float(len(getattr(model, "conditions_", ()))))


def _mean(measured: list[Measured], key: str) -> float:
    return float(np.mean([getattr(m, key) for m in measured]))


def beside_plain(table: BenchTable, kinds: tuple[bool, ...]) -> list[Row]:
    """Time one fit on all rows, ours and the plain way, in turn."""
    from benchmarks.papers import reference_ideal

    described = table.y == table.positive
    rows = []
    model = IdealDNFClassifier(selection="ranking", positive_label=True, random_state=0)
    fit = partial(model.fit, table.X, described)
    for discrete in kinds:
        learn = partial(reference_ideal.learn, table.X, described, discrete=discrete)
        pairs = [(_cpu(fit), _cpu(learn)) for _ in range(REPEATS if discrete else 1)]
        ours, plain = zip(*pairs, strict=True)
        mine, theirs = float(np.median(ours)), float(np.median(plain))
        name = "counts" if discrete else "neighbours"
        rows.append(
            report(
                {
                    "what": f"plain, {name}",
                    "table": table.name,
                    "setting": {"rows": len(table.y), "columns": table.X.shape[1]},
                    "ours": mine,
                    "reference": theirs,
                    "ratio": theirs / mine,
                    "unit": "s of one core",
                }
            )
        )
    return rows


def tiled(table: BenchTable, shape: tuple[int, int] = COVERTYPE_SHAPE) -> list[Row]:
    """Time one fit of covertype, one-hot, its rows and columns repeated to the paper's shape."""
    frame = pd.get_dummies(table.X, dtype=float)
    rows = np.arange(shape[0]) % len(frame)
    columns = np.arange(shape[1]) % frame.shape[1]
    values = np.asfortranarray(frame.to_numpy()[np.ix_(rows, columns)])
    X = pd.DataFrame({f"c{j:02d}": values[:, j] for j in range(shape[1])})
    y = (table.y == table.positive)[rows].astype(int)
    model = IdealDNFClassifier(selection="ranking", random_state=0)
    ours = float(np.median([_cpu(lambda: model.fit(X, y)) for _ in range(REPEATS)]))
    median = float(np.median([_cpu(lambda: np.median(values, axis=0)) for _ in range(REPEATS)]))
    row = {
        "what": "tiled fit",
        "table": table.name,
        "setting": {"rows": shape[0], "columns": shape[1], "reference": "numpy.median"},
        "ours": ours,
        "reference": median,
        "ratio": ours / median,
        "unit": "s of one core",
    }
    return [report(row)]


def _cpu(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    run(measure, __doc__ or "")
