"""Column generation: rule, linear program, proof and time, beside AIX360's where that is installed.

Priced Hamming loss of a DNF of the positive class: a missed row 1, a row of the other class 1 for
every clause that holds for it, and lambda times the training rows for each clause and each literal.
Stratified shuffled 3-fold cross-validation; nine deciles of the training rows a numeric column
(all its values but the last where there are ten at most), every level of the others, both
directions. AIX360's `BooleanRuleCG` (solver CLARABEL, 30 s at most) is given the same columns; its
rule is priced here, by the same count. Figures are means over folds and seeds:

``objective``: of the rule found by local search, over training rows (ours over AIX360's; below 1
is better). ``linear program``: value over the generated clauses, and the gap of the rule to it.
``literals``, ``accuracy`` (test rows, %), ``time`` (CPU seconds from the binned table to the rule;
AIX360's over ours). ``proved``: share of folds where exact pricing solved the linear program over
all clauses, the proved bound beside the program's value, and the CPU seconds it took.

Compiled functions and AIX360's modelling layer are used once before the clock runs.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit.data import make_folds
from rulekit.search.box_search.problem import Boxes, BoxRows, evaluate_boxes
from rulekit.search.clause_generation.column_generation import (
    GeneratedRule,
    GenerationPlan,
    generate_boxes,
)
from rulekit.search.clause_generation.exact_clause import ClauseLimits, half_lines
from rulekit.search.machine_code import warm_up
from tests.strategies.boxes import box_rows

try:
    from aix360.algorithms.rbm import BooleanRuleCG
except ImportError:
    BooleanRuleCG = None

TABLES = (
    "breast_cancer_wisconsin", "heart_cleveland", "congressional_voting", "banknote", "pima",
    "wdbc", "ionosphere", "breast_cancer",
)  # fmt: skip
PRICES = (0.001, 0.005, 0.01)
PROOF_PRICES = (0.02, 0.01)
DECILES = np.arange(1, 10) / 10
PROOF = ClauseLimits(max_tests=20_000_000)


@dataclass(frozen=True)
class Fold:
    """A binned training fold with its test rows."""

    codes: np.ndarray
    n_bins: np.ndarray
    y: np.ndarray
    test_codes: np.ndarray
    test_y: np.ndarray

    def problem(self) -> BoxRows:
        """Merge equal rows."""
        return box_rows(self.codes, self.n_bins, self.y)


@dataclass(frozen=True)
class Priced:
    """A rule's figures."""

    objective: float
    literals: float
    accuracy: float
    seconds: float


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on the tables asked for."""
    prices = PRICES[1:] if arguments.quick else PRICES
    proofs = PROOF_PRICES[:1] if arguments.quick else PROOF_PRICES
    seeds = range(1 if arguments.seeds is None else arguments.seeds)
    if BooleanRuleCG is None:
        print("AIX360 is not installed: no comparison with it.", flush=True)
    rows: list[Row] = []
    with threadpool_limits(limits=1):
        warm_up()
        _warm_up_reference()
        for table in tables(arguments, TABLES):
            folds = [fold for seed in seeds for fold in folds_of(table, seed)]
            for price in prices:
                rows += compare(table.name, folds, price, {"seeds": len(seeds)})
            for price in proofs:
                rows += prove(table.name, folds, price, {"seeds": len(seeds)})
    return rows


def folds_of(table: BenchTable, seed: int, n: int = 3) -> Iterator[Fold]:
    """Bin each training fold by itself."""
    y = table.y == table.positive
    for train, test in make_folds(table.y, n, random_state=seed):
        columns: list[tuple[np.ndarray, int]] = []
        for name in table.X:
            columns += _binned(table.X[name], train)
        codes = np.column_stack([code for code, _ in columns])
        n_bins = np.array([bins for _, bins in columns])
        yield Fold(codes[train], n_bins, y[train], codes[test], y[test])


def _binned(column: pd.Series, train: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Bin a column: a number by cuts of its training rows, anything else level by level."""
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=float)
        present = values[train][~np.isnan(values[train])]
        distinct = np.unique(present)
        few = len(distinct) <= len(DECILES) + 1
        cuts = distinct[:-1] if few else np.unique(np.quantile(present, DECILES))
        code = np.searchsorted(cuts, values, side="left")
        return [(np.where(np.isnan(values), len(cuts) + 1, code), len(cuts) + 1)]
    values = column.astype(object).where(column.notna(), "(missing)").astype(str).to_numpy()
    levels = sorted(set(values[train]))
    named = levels[1:] if len(levels) == 2 else levels
    return [((values == level).astype(np.int64), 2) for level in named]


def compare(name: str, folds: Sequence[Fold], price: float, setting: dict[str, Any]) -> list[Row]:
    """Learn from each fold by both, and set their figures side by side."""
    found = [_ours(fold, price) for fold in folds]
    ours, generated = [f[0] for f in found], [f[1] for f in found]
    theirs = [_theirs(fold, price) for fold in folds] if BooleanRuleCG else None
    shared = {"table": name, "setting": {"lambda": price, "folds": len(folds)} | setting}

    def row(quantity: str, figure: str, rules: list[Priced], **more: Any) -> Row:
        a = _mean(getattr(r, figure) for r in rules)
        b = None if theirs is None else _mean(getattr(r, figure) for r in theirs)
        ratio = a / b if b else None
        return report({"what": quantity, "ours": a, "reference": b, "ratio": ratio} | more | shared)

    rows = [row("objective", "objective", ours)]
    master = _mean(g.master_value / len(f.y) for g, f in zip(generated, folds, strict=True))
    gap = rows[0]["ours"] / master - 1 if master else None
    rows.append(
        report({"what": "linear program", "ours": master, "unit": f"gap {_percent(gap)}"} | shared)
    )
    rows.append(row("literals", "literals", ours))
    rows.append(row("accuracy", "accuracy", ours, unit="%"))
    clock = row("time", "seconds", ours, unit="s of one core")
    clock["ratio"] = clock["reference"] / clock["ours"] if clock["reference"] else None
    rows.append(clock)
    return rows


def prove(name: str, folds: Sequence[Fold], price: float, setting: dict[str, Any]) -> list[Row]:
    """Price exactly on every fold."""
    shared = {"table": name, "setting": {"lambda": price, "folds": len(folds)} | setting}
    solved, bounds, masters, seconds = [], [], [], []
    for fold in folds:
        rate, start = price * len(fold.y), time.process_time()
        proof = generate_boxes(fold.problem(), GenerationPlan(rate, rate, exact_limits=PROOF))
        seconds.append(time.process_time() - start)
        solved.append(proof.solved)
        bounds.append((proof.lower_bound or 0.0) / len(fold.y))
        masters.append(proof.master_value / len(fold.y))
    bound = {"what": "proved bound", "ours": _mean(bounds), "reference": _mean(masters)}
    return [
        report({"what": "proved", "ours": _mean(solved), "unit": "of the folds"} | shared),
        report(bound | {"ratio": bound["ours"] / bound["reference"]} | shared),
        report({"what": "time, proof", "ours": _mean(seconds), "unit": "s of one core"} | shared),
    ]


def _ours(fold: Fold, price: float) -> tuple[Priced, GeneratedRule]:
    rate, start = price * len(fold.y), time.process_time()
    plan = GenerationPlan(rate, rate, prove=False)
    generated = generate_boxes(fold.problem(), plan)
    seconds = time.process_time() - start
    accuracy = _accuracy(fold, generated.boxes)
    sizes = fold.problem().count_literals(generated.boxes)
    objective = generated.objective / len(fold.y)
    return Priced(objective, float(sizes.sum()), accuracy, seconds), generated


def _accuracy(fold: Fold, boxes: Boxes) -> float:
    taken = evaluate_boxes(boxes, fold.test_codes, fold.n_bins).any(axis=1)
    return 100 * float((taken == fold.test_y).mean())


def _theirs(fold: Fold, price: float) -> Priced:
    """Fit AIX360's learner on the same literals, and price its rule by the same count."""
    literals, _ = half_lines(fold.problem())
    X, y = _frame(literals, fold.codes, fold.n_bins), fold.y.astype(int)
    model = BooleanRuleCG(
        lambda0=price, lambda1=price, timeMax=30, solver="CLARABEL", silent=True
    )  # fmt: skip
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    chosen = np.asarray(model.w) > 0.5
    size = np.asarray(model.z)[:, chosen].sum(axis=0)
    taken = np.asarray(model.compute_conjunctions(X))[:, chosen].astype(bool)
    loss = (~taken[fold.y].any(axis=1)).sum() + taken[~fold.y].sum()
    objective = loss / len(y) + price * (size.sum() + (size > 0).sum())
    test = _frame(literals, fold.test_codes, fold.n_bins)
    accuracy = 100 * float((model.predict(test) == fold.test_y).mean())
    return Priced(float(objective), float(size.sum()), accuracy, seconds)


def _frame(
    literals: list[tuple[int, int, int, bool]], codes: np.ndarray, n_bins: np.ndarray
) -> pd.DataFrame:
    """Write what each literal holds for as a table of zeros and ones, its columns named."""
    holds, names = [], []
    for f, low, high, absent in literals:
        code = codes[:, f]
        inside = (code >= low) & (code <= high)
        holds.append(np.where(code == n_bins[f], absent, inside).astype(int))
        names.append((str(f), "in", f"{low}..{high} {absent}"))
    columns = pd.MultiIndex.from_tuples(names, names=["feature", "operation", "value"])
    return pd.DataFrame(np.array(holds).T, columns=columns)


def _warm_up_reference() -> None:
    if BooleanRuleCG is None:
        return
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, size=(40, 3))
    _theirs(Fold(codes, np.full(3, 3), codes[:, 0] > 1, codes, codes[:, 0] > 1), 0.01)


def _mean(values: Any) -> float:
    return float(np.mean(list(values)))


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.2g} %"


if __name__ == "__main__":
    run(measure, __doc__ or "")
