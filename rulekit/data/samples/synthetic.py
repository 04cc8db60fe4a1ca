"""Generated tables: planted two-level rules, whose right answer is known, and a credit table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Test = tuple[str, str, Any]  # column, operator, value
NEGATED = {"<=": ">", ">": "<=", "==": "!="}


@dataclass(frozen=True)
class Planted:
    """A generated table with the rule that determined its labels; a missing value meets no test."""

    frame: pd.DataFrame
    labels: NDArray[np.object_]  # (n,), some flipped
    truth: NDArray[np.bool_]  # (n,), the rule's predictions, none flipped
    form: str
    clauses: tuple[tuple[Test, ...], ...]  # of (column, operator, value)
    description: str


def plant_two_level(
    form: str = "dnf",
    *,
    n_rows: int = 600,
    n_features: int = 12,
    n_clauses: int = 2,
    n_conditions: int = 2,
    noise: float = 0.05,
    random_state: int = 0,
) -> Planted:
    """Generate a table whose labels follow a two-level rule.

    Parameters
    ----------
    form : {"dnf", "cnf"}, default="dnf"
        OR of ANDs, or AND of ORs.
    n_rows, n_features : int
        Size. Two of three columns are uniform on 0 to 100 with one decimal, every third is a
        truth value.
    n_clauses, n_conditions : int
        Clauses, and literals in each. No column is used twice.
    noise : float, default=0.05
        Share of labels flipped, drawn without regard to the rule.
    random_state : int, default=0
        Seed; the same seed gives the same table.

    Returns
    -------
    Planted
        Labels are "yes" and "no". Cut points are placed so that each clause of a DNF holds for
        about ``1 / (2 * n_clauses)`` of the rows, and a CNF's fails for as many: the classes are
        of like size.

    Raises
    ------
    ValueError
        If the form is unknown, a share is not in [0, 0.5), or there are too few columns.
    """
    if form not in ("dnf", "cnf"):
        raise ValueError(f"`form` must be 'dnf' or 'cnf', got {form!r}.")
    if not 0 <= noise < 0.5:
        raise ValueError(f"`noise` must be in [0, 0.5), got {noise!r}.")
    if n_clauses * n_conditions > n_features:
        raise ValueError(
            f"`n_features` must be at least {n_clauses * n_conditions}, one column a literal; "
            f"got {n_features}."
        )
    rng = np.random.default_rng(random_state)
    values: dict[str, NDArray[Any]] = {}
    for j in range(1, n_features + 1):
        if j % 3:
            values[f"x_{j:02d}"] = np.round(rng.uniform(0, 100, n_rows), 1)
        else:
            values[f"flag_{j:02d}"] = rng.integers(0, 2, n_rows)
    frame = pd.DataFrame(values)
    order = rng.permutation(n_features)[: n_clauses * n_conditions].reshape(n_clauses, n_conditions)
    share = (0.5 / n_clauses) ** (1.0 / n_conditions)
    clauses = tuple(
        tuple(_test(frame, int(j), share, rng) for j in sorted(columns)) for columns in order
    )
    if form == "cnf":
        clauses = tuple(tuple((f, NEGATED[op], v) for f, op, v in clause) for clause in clauses)
    return _add_labels(frame, form, clauses, ("yes", "no"), noise, rng)


def credit(n_rows: int = 1000, *, noise: float = 0.04, random_state: int = 0) -> Planted:
    """Generate a table of loans: numbers, categories, truth values, a date, an id, gaps.

    Parameters
    ----------
    n_rows : int, default=1000
    noise : float, default=0.04
        Share of labels flipped.
    random_state : int, default=0
        Seed; the same seed gives the same table.

    Returns
    -------
    Planted
        The label "risk" is "high" by a DNF of two clauses, see ``description``. It contains no
        person's data.
    """
    rng = np.random.default_rng(random_state)
    jobs = ["permanent", "temporary", "self-employed", "retired", "unemployed"]
    income = np.round(np.exp(rng.normal(10.3, 0.45, n_rows)), -2)
    frame = pd.DataFrame(
        {
            "loan_id": [f"L{number:05d}" for number in rng.permutation(n_rows) + 1],
            "opened_on": pd.Timestamp("2021-01-01")
            + pd.to_timedelta(rng.integers(0, 1400, n_rows), unit="D"),
            "age": rng.integers(19, 76, n_rows),
            "income": _with_gaps(income, 0.08, rng),
            "employment": _with_gaps(
                rng.choice(jobs, n_rows, p=[0.48, 0.17, 0.12, 0.09, 0.14]).astype(object), 0.05, rng
            ),
            "housing": rng.choice(["own", "rent", "with family"], n_rows, p=[0.45, 0.4, 0.15]),
            "purpose": rng.choice(
                ["car", "furniture", "education", "repairs", "business", "holiday"], n_rows
            ),
            "amount": np.round(np.exp(rng.normal(8.5, 0.7, n_rows)), -1),
            "months": rng.choice([6, 12, 18, 24, 36, 48, 60], n_rows),
            "late_payments": rng.poisson(0.9, n_rows),
            "savings": _with_gaps(np.round(rng.gamma(1.2, 2500, n_rows), -1), 0.15, rng),
            "guarantor": rng.choice(["yes", "no"], n_rows, p=[0.3, 0.7]),
            "has_phone": rng.integers(0, 2, n_rows),
        }
    )
    clauses: tuple[tuple[Test, ...], ...] = (
        (("late_payments", ">", 1), ("guarantor", "==", "no")),
        (("employment", "==", "unemployed"), ("amount", ">", 4000)),
    )
    frame["opened_on"] = frame["opened_on"].dt.strftime("%Y-%m-%d")
    return _add_labels(frame, "dnf", clauses, ("high", "low"), noise, rng)


def _test(frame: pd.DataFrame, j: int, share: float, rng: np.random.Generator) -> Test:
    """Draw a test of column j that about `share` of the rows meet (half, for a flag)."""
    name = str(frame.columns[j])
    if name.startswith("flag"):
        return name, "==", int(rng.integers(0, 2))
    if rng.integers(0, 2):
        return name, "<=", float(np.round(100 * share))
    return name, ">", float(np.round(100 * (1 - share)))


def _add_labels(
    frame: pd.DataFrame,
    form: str,
    clauses: tuple[tuple[Test, ...], ...],
    names: tuple[str, str],
    noise: float,
    rng: np.random.Generator,
) -> Planted:
    joined = {"and": np.logical_and.reduce, "or": np.logical_or.reduce}
    inner, outer = ("and", "or") if form == "dnf" else ("or", "and")
    meets = {"<=": pd.Series.le, ">": pd.Series.gt, "==": pd.Series.eq, "!=": pd.Series.ne}
    met = [
        joined[inner]([meets[op](frame[f], v) & frame[f].notna() for f, op, v in clause])
        for clause in clauses
    ]
    truth = np.asarray(joined[outer](met), dtype=bool)
    n_flipped = round(noise * len(frame))
    flipped = np.isin(np.arange(len(frame)), rng.permutation(len(frame))[:n_flipped])
    labels = np.where(truth ^ flipped, names[0], names[1]).astype(object)
    parts = [f" {inner} ".join(f"{f} {op} {v}" for f, op, v in clause) for clause in clauses]
    rule = f") {outer} (".join(parts)
    words = f"{names[0]!r} if ({rule}), else {names[1]!r}; {n_flipped} of {len(frame)} labels are "
    return Planted(frame, labels, truth, form, clauses, words + "flipped at random")


def _with_gaps(values: NDArray[Any], share: float, rng: np.random.Generator) -> pd.Series:
    return pd.Series(values).where(rng.random(len(values)) >= share)
