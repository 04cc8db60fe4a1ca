"""Boxes from planes: the paper's Tables 1 and 2 beside ours, exactness, speed, and the confidence.

``problems``, ``rules``, ``coverage``: on the stored planes (`planes.json`), for the class of fewer
and of more rows; rules hold at least two rows, and coverage is their share of the rows of the class
that the plane gets right. The paper's planes are unknown: it has 214 / 435, 70 / 224 and 53 / 195
such rows, ours have 220 / 435, 84 / 224 and 36 / 206. ``coverage, all boxes`` counts single rows,
too. ``worst corner`` is how far a box crosses the plane, of the plane's scale.

Needs ``--data``. The first 19 020 rows of electricity.csv are all of one class, so "19 020 rows"
are the first 9 510 of each class here. Times are CPU seconds, ratios are from one run.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._cli import Row, report, run
from benchmarks.papers import planes
from rulekit import LPSVM, HyperplaneRuleClassifier
from rulekit.families.hyperplane import explain_with_hyperplane
from rulekit.families.hyperplane.plane_work import plane_of
from rulekit.families.hyperplane.solver.half_space import LPSVMProgram
from rulekit.families.hyperplane.solver.hypercubes import CRITERIA, PlaneBoxes, extract_boxes
from tests.reference.lp_svm import primal_value
from tests.strategies.half_spaces import scale_of

PAPER = {  # problems, rules, coverage in percent, seconds; smaller class, then larger
    ("breast_cancer_wisconsin", "volume"): ((53, 28, 100.0, 0.23), (12, 9, 100.0, 0.11)),
    ("ionosphere", "volume"): ((46, 19, 100.0, 0.17), (29, 11, 100.0, 0.19)),
    ("heart_cleveland_num", "volume"): ((102, 10, 79.3, 0.30), (68, 22, 98.4, 0.20)),
    ("breast_cancer_wisconsin", "points"): ((10, 7, 98.1, 0.17), (3, 3, 99.8, 0.14)),
    ("ionosphere", "points"): ((11, 7, 87.2, 0.17), (5, 2, 98.2, 0.09)),
    ("heart_cleveland_num", "points"): ((32, 7, 81.1, 0.33), (11, 11, 97.44, 0.19)),
}
KIND = {"peel": "points", "point_lp": "points", "volume_paper": "volume"}
ROWS = 19_020
PRICES = (0.03, 0.01, 0.003)


def measure(arguments: argparse.Namespace) -> list[Row]:
    if arguments.data is None:
        print("left out: it needs real tables, --data DIR")
        return []
    requested = [n for n in planes.SETTINGS if not arguments.only or n in arguments.only]
    rows = [report(row) for name in requested for row in extraction_rows(arguments.data, name)]
    if not arguments.only:
        rows += [report(row) for row in exact_rows(arguments.data)]
        rows += [report(peel_ratio(rows))]
        rows += [report(row) for row in large_rows(arguments.data)]
    rows += [report(row) for name in requested for row in explanation_rows(arguments.data, name)]
    return rows


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return a call's result and its CPU seconds."""
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def row(
    quantity: str, table: str, ours: float, reference: float | None = None, **setting: Any
) -> Row:
    unit = setting.pop("unit", "")
    ratio = setting.pop("ratio", None)
    return {
        "what": quantity,
        "table": table,
        "setting": setting,
        "ours": ours,
        "reference": reference,
        "ratio": ratio,
        "unit": unit,
    }


def extraction_rows(folder: Any, name: str) -> Iterator[Row]:
    """Set the paper's Tables 1 and 2 beside ours."""
    X, y = planes.table(folder, name)
    parts = planes.sides(*planes.stored_plane(name, X), X, y)
    for criterion in CRITERIA:
        for side_index, (label, side) in enumerate(parts.items()):
            boxes, seconds = timed(
                lambda s=side, c=criterion: extract_boxes(s.half, s.points, criterion=c)
            )
            rules, paper = boxes.drop_small(2), PAPER[name, KIND[criterion]][side_index]
            setting = {"class": label, "criterion": criterion}
            yield row("problems", name, boxes.n_problems, paper[0], **setting)
            yield row("rules", name, len(rules), paper[1], **setting)
            share = 100 * rules.coverage
            yield row("coverage", name, share, paper[2], unit="%", **setting)
            yield row("coverage, all boxes", name, 100 * boxes.coverage, unit="%", **setting)
            yield row("extraction", name, seconds, paper[3], unit="s", **setting)


def exact_rows(folder: Any) -> Iterator[Row]:
    """Look for boxes that cross the plane, hold a row of the other side, or overlap."""
    for name, w, gamma, X, y in _exact_cases(folder):
        worst, wrong, overlaps, n_boxes = 0.0, 0, 0, 0
        for side in planes.sides(w, gamma, X, y).values():
            for criterion in CRITERIA:
                boxes = extract_boxes(side.half, side.points, criterion=criterion).drop_small(2)
                worst = max(worst, worst_corner(boxes))
                outside = ~side.half.contains(side.all_rows)
                wrong += int(boxes.members(side.all_rows[outside]).sum())
                overlaps += overlapping(boxes)
                n_boxes += len(boxes)
        yield row("worst corner", name, worst, boxes=n_boxes)
        yield row("wrong-side rows", name, wrong, boxes=n_boxes)
        yield row("overlapping pairs", name, overlaps, boxes=n_boxes)


def _exact_cases(folder: Any) -> Iterator[tuple[str, np.ndarray, float, pd.DataFrame, np.ndarray]]:
    for name in planes.SETTINGS:
        X, y = planes.table(folder, name)
        yield (name, *planes.stored_plane(name, X), X, y)
    frame = pd.read_csv(folder / "banknote.csv")
    X = frame.drop(columns="class")
    y = np.where(frame["class"] == 0, "larger", "smaller").astype(object)
    model = LPSVM().fit(X, y == "larger")
    yield ("banknote", model.coef_[0], float(-model.intercept_[0]), X, y)


def worst_corner(boxes: PlaneBoxes) -> float:
    """Return how far upper corners exceed the plane, relative to its scale; at most 0 if none."""
    if not len(boxes):
        return 0.0
    return float((boxes.half.values(boxes.upper) - boxes.half.cap).max() / scale_of(boxes.half))


def overlapping(boxes: PlaneBoxes) -> int:
    """Count pairs of boxes that share a point, by exact comparison."""
    n_pairs = 0
    for i in range(len(boxes)):
        low = np.maximum(boxes.lower[i], boxes.lower[i + 1 :])
        high = np.minimum(boxes.upper[i], boxes.upper[i + 1 :])
        n_pairs += int((low < high).all(axis=1).sum())
    return n_pairs


def peel_ratio(rows: list[Row]) -> Row:
    """Compare the time of peeling with the point LP's, over all cases."""
    spent = {
        criterion: sum(
            r["ours"]
            for r in rows
            if r["what"] == "extraction" and r["setting"]["criterion"] == criterion
        )
        for criterion in ("peel", "point_lp")
    }
    ratio = spent["point_lp"] / spent["peel"]
    return row("peel, point LP", "all six", spent["peel"], spent["point_lp"], unit="s", ratio=ratio)


def large_rows(folder: Any) -> Iterator[Row]:
    """Time extraction and the linear program on electricity."""
    frame = pd.read_csv(folder / "electricity.csv").drop(columns="date")
    part = pd.concat([frame[frame["class"] == c].head(ROWS // 2) for c in ("DOWN", "UP")])
    X = part.drop(columns="class")
    y = np.where(part["class"] == "UP", "larger", "smaller").astype(object)
    dense = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y == "larger")
    sparse_model = LPSVM(nu=0.003).fit(X, y == "larger")
    learned = {
        "LPSVM, nu 0.003": (sparse_model.coef_[0], float(-sparse_model.intercept_[0])),
        "logistic": plane_of(dense, X),
    }
    for learner, (w, gamma) in learned.items():
        for label, side in planes.sides(w, gamma, X, y).items():
            boxes, seconds = timed(lambda s=side: extract_boxes(s.half, s.points))
            setting = {
                "class": label,
                "plane": learner,
                "features": int(np.count_nonzero(w)),
                "rules": len(boxes.drop_small(2)),
                "top_10": f"{100 * boxes.drop_small(2, 10).coverage:.1f}%",
            }
            yield row("extraction", "electricity", seconds, unit="s", **setting)
    A = ((X - X.mean()) / X.std(ddof=0)).to_numpy()
    signs = np.where(y == "larger", 1.0, -1.0)
    _, seconds = timed(lambda: LPSVMProgram(A, signs).solve(0.003))
    yield row("LP-SVM, all rows", "electricity", seconds, unit="s", nu=0.003)
    yield from dual_rows(A, signs)


def dual_rows(A: np.ndarray, signs: np.ndarray) -> Iterator[Row]:
    """Compare the dual with the primal at 2 000 rows at most."""
    half = min(1000, len(A) // 2)
    some = np.r_[:half, len(A) - half : len(A)]
    A, signs, gap, spent = A[some], signs[some], 0.0, [0.0, 0.0]
    LPSVMProgram(A[::10], signs[::10]).solve(PRICES[0])  # the first call loads the solver
    primal_value(A[::10], signs[::10], PRICES[0])
    for nu in PRICES:
        ours, fast = timed(lambda nu=nu: LPSVMProgram(A, signs).solve(nu))
        theirs, slow = timed(lambda nu=nu: primal_value(A, signs, nu))
        spent = [spent[0] + fast, spent[1] + slow]
        gap = max(gap, abs(ours.objective - theirs))
    yield row(
        "LP-SVM dual, primal",
        "electricity",
        *spent,
        unit="s",
        ratio=spent[1] / spent[0],
        rows=len(A),
        prices=len(PRICES),
    )
    yield row("objective gap", "electricity", gap, rows=len(A))


def explanation_rows(folder: Any, name: str) -> Iterator[Row]:
    """Check explanations on all rows, and the confidence on rows left out."""
    setting = planes.SETTINGS[name]
    X, y = planes.table(folder, name)
    model = _model(setting, setting.nu).fit(X, y)
    many = pd.concat([X] * (20_000 // len(X)))
    explanations, seconds = timed(lambda: explain_with_hyperplane(model, many))
    yield row(
        "explanations", name, len(explanations) / seconds, unit="a second", rows=len(explanations)
    )
    inside = [((e.lower < e.values) & (e.values <= e.upper)).all() for e in explanations[: len(X)]]
    yield row("in their box", name, 100 * float(np.mean(inside)), unit="%")
    right = np.zeros(len(explanations[: len(X)]), dtype=bool)
    for e in explanations[: len(X)]:
        half = model.plane_.half(list(model.boxes_).index(e.prediction))
        right[e.row] = half.value(e.upper) <= half.cap
    yield row("on their side", name, 100 * float(right.mean()), unit="%")
    empty = np.mean([e.n_covered == 0 for e in explanations[: len(X)]])
    yield row("box without row", name, 100 * float(empty), unit="%")
    median = float(np.median([e.n_covered for e in explanations[: len(X)]]))
    yield row("median rows in box", name, median)
    yield from confidence_rows(name, X, y)


def confidence_rows(name: str, X: pd.DataFrame, y: np.ndarray) -> Iterator[Row]:
    """Check out of sample that the confidence ranks correct predictions first and is calibrated."""
    setting = planes.SETTINGS[name]
    sure, right, purity = [], [], []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        model = _model(setting, setting.confidence_nu).fit(X.iloc[train], y[train])
        explanations = explain_with_hyperplane(model, X.iloc[test])
        sure += [e.confidence for e in explanations]
        purity += [0.5 if e.purity is None else e.purity for e in explanations]
        right += [e.prediction == v for e, v in zip(explanations, y[test], strict=True)]
    by = {"nu": setting.confidence_nu, "folds": 10}
    yield row("AUC of confidence", name, roc_auc_score(right, sure), **by)
    yield row("AUC of purity", name, roc_auc_score(right, purity), **by)
    error = calibration_error(np.array(sure), np.array(right))
    yield row("calibration error", name, error, accuracy=f"{np.mean(right):.3f}", **by)


def calibration_error(sure: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """Average over ten equal bins the gap between mean confidence and share of right answers."""
    bin_index = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = [
        abs(sure[bin_index == b].mean() - right[bin_index == b].mean()) * (bin_index == b).mean()
        for b in np.unique(bin_index)
    ]
    return float(sum(gaps))


def _model(setting: planes.Setting, nu: float) -> HyperplaneRuleClassifier:
    return HyperplaneRuleClassifier(LPSVM(nu=nu, standardize=setting.standardize))


if __name__ == "__main__":
    run(measure, __doc__ or "")
