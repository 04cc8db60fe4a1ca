"""Tables whose classes a short inequality of power laws separates: the paper's controlled problems.

Source: Dhebar and Deb, supplement S3 (DS1 to DS4) and S4-B (m-ZDT, m-DTLZ). What the paper leaves
open is settled here and said in each description: the range of the reference points, one random
number a coordinate, unpaired variables, and no clipping.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CURVES = {
    "DS1": ("2 x1 + x2 = 3", 100, ((100, 0.025, 0.2),)),
    "DS2": ("2 x1 + x2 = 3", 10, ((200, 0.025, 0.2),)),
    "DS3": ("x1^2 + x2 = 1", 100, ((100, 0.025, 0.2),)),
    "DS4": ("2 x1 + x2 = 3", 100, ((50, 0.025, 0.2), (50, -0.015, -0.2))),
}
SPREAD_ON_CURVE = 0.01
PERTURBED_OF_MANY = 28  # variables of m-DTLZ that leave the Pareto set when there are hundreds
MANY = 100


@dataclass(frozen=True)
class Generated:
    """A generated table with features x1 to xd and two classes."""

    frame: pd.DataFrame
    labels: NDArray[np.object_]
    description: str


def curve_table(name: str, *, random_state: int = 0) -> Generated:
    """Make one of the paper's four tables of two features, DS1 to DS4 (Eq. 14)."""
    if name not in CURVES:
        raise ValueError(f"`name` must be one of {tuple(CURVES)}, got {name!r}.")
    equation, n_on, others = CURVES[name]
    rng = np.random.default_rng(random_state)
    points = [_near_curve(name, n_on, 0.0, SPREAD_ON_CURVE, rng)]
    points += [_near_curve(name, n, offset, spread, rng) for n, offset, spread in others]
    labels = ["on"] * n_on + ["off"] * sum(n for n, _, _ in others)
    words = (
        f"Class 'on' lies on {equation} or up to 0.01 beside it, class 'off' further away; x1 of "
        "the reference points is uniform on 0 to 1, and each coordinate has a random number of "
        "its own."
    )
    return _generated(np.concatenate(points), labels, words)


def pareto_table(
    problem: str, n_features: int = 30, *, n_rows: int = 1000, random_state: int = 0
) -> Generated:
    """Make `n_rows` Pareto-optimal and as many other points of the paper's modified test problems.

    Class "pareto" has ``x_i + x_(i+1) = 1`` for every even i from 2 ("m-ZDT") or 4 ("m-DTLZ") on;
    in class "other", "m-ZDT" perturbs all variables by 0.1 to 0.4, "m-DTLZ" those from the third on
    by up to 0.05. The paper's m-ZDT1 and m-ZDT2, and likewise m-DTLZ1 and m-DTLZ2, have one Pareto
    set.
    """
    if problem not in ("m-ZDT", "m-DTLZ"):
        raise ValueError(f"`problem` must be 'm-ZDT' or 'm-DTLZ', got {problem!r}.")
    if n_features < 6:
        raise ValueError(f"`n_features` must be at least 6, got {n_features}.")
    rng = np.random.default_rng(random_state)
    first, offset, spread = (1, 0.1, 0.3) if problem == "m-ZDT" else (3, 0.0, 0.05)
    good = _on_pareto_set(2 * n_rows, n_features, first, rng)
    bad = good[n_rows:]
    start, stop = 0, n_features
    if problem == "m-DTLZ":
        start = 2
        stop = start + PERTURBED_OF_MANY if n_features > MANY else n_features
    shape = (n_rows, stop - start)
    sign = rng.choice([-1.0, 1.0], shape)
    bad[:, start:stop] += sign * (offset + spread * rng.random(shape))
    words = (
        f"Class 'pareto' has x_i + x_(i+1) = 1 for even i from {first + 1} on; a last variable "
        f"without a partner is free. Class 'other' has x{start + 1} to x{stop} moved by "
        f"{offset:g} to {offset + spread:g} either way, and is not clipped."
    )
    return _generated(good, ["pareto"] * n_rows + ["other"] * n_rows, words)


def _near_curve(
    name: str, n: int, offset: float, spread: float, rng: np.random.Generator
) -> Floats:
    x1 = rng.random(n)
    x2 = 1 - x1**2 if name == "DS3" else 3 - 2 * x1
    return np.asarray(np.column_stack([x1, x2]) + offset + spread * rng.random((n, 2)))


def _on_pareto_set(n: int, d: int, first: int, rng: np.random.Generator) -> Floats:
    """Draw points whose pairs of variables, from place `first` on, sum to 1."""
    X = rng.random((n, d))
    pairs = np.arange(first, d - 1, 2)
    X[:, pairs + 1] = 1 - X[:, pairs]
    return X


def _generated(X: Floats, labels: list[str], description: str) -> Generated:
    frame = pd.DataFrame(X, columns=[f"x{j + 1}" for j in range(X.shape[1])])
    return Generated(frame, np.array(labels, dtype=object), description)
