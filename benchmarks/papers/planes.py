"""The tables and planes of the paper on rules from linear classifiers, as we rebuild them.

Run as a command, this writes `planes.json`: ``python -m benchmarks.papers.planes --data DIR``. The
file holds the planes only (weights, threshold, scaling, column names); several planes are optimal
for one program, so bars stand on stored ones.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rulekit.families.hyperplane.solver.half_space import HalfSpace, LPSVMProgram

STORED = Path(__file__).with_name("planes.json")
CODES: dict[str, dict[str, float]] = {
    "sex": {"female": 0, "male": 1},
    "chest_pain_type": {
        "typical angina": 1, "atypical angina": 2, "non-anginal pain": 3, "asymptomatic": 4,
    },
    "fasting_blood_sugar_above_120": {"no": 0, "yes": 1},
    "exercise_induced_angina": {"no": 0, "yes": 1},
    "resting_ecg": {
        "normal": 0, "ST-T wave abnormality": 1, "left ventricular hypertrophy": 2,
    },
    "st_slope": {"upsloping": 1, "flat": 2, "downsloping": 3},
    "thal": {"normal": 3, "fixed defect": 6, "reversible defect": 7},
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """One of the paper's tables: the larger class is above the plane."""

    file: str
    target: str
    nu: float
    standardize: bool
    confidence_nu: float


SETTINGS = {
    "breast_cancer_wisconsin": Setting("breast_cancer_wisconsin", "class", 0.005, False, 0.005),
    "ionosphere": Setting("ionosphere", "class", 0.03, True, 0.03),
    "heart_cleveland_num": Setting("heart_cleveland_num", "num", 0.026, True, 0.05),
}


def table(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Read the complete rows of a table as numbers, with "smaller" and "larger" as classes."""
    setting = SETTINGS[name]
    frame = pd.read_csv(folder / f"{setting.file}.csv")
    for column, codes in CODES.items():
        if column in frame:
            frame[column] = frame[column].map(codes)
    frame = frame.dropna()
    y = frame[setting.target].to_numpy()
    y = np.where(y >= 2, 2, 1) if setting.target == "num" else y  # of Cleveland
    values, counts = np.unique(y, return_counts=True)
    larger = values[counts.argmax()]
    X = frame.drop(columns=setting.target).astype(float)
    return X, np.where(y == larger, "larger", "smaller").astype(object)


def learned(folder: Path, name: str) -> dict[str, Any]:
    """Learn a plane by the linear program."""
    setting = SETTINGS[name]
    X, y = table(folder, name)
    rows = X.to_numpy()
    centre, scale = np.zeros(rows.shape[1]), np.ones(rows.shape[1])
    if setting.standardize:
        centre, scale = rows.mean(axis=0), rows.std(axis=0)
        scale[scale == 0] = 1.0
    signs = np.where(y == "larger", 1.0, -1.0)
    solution = LPSVMProgram((rows - centre) / scale, signs).solve(setting.nu)
    used = np.flatnonzero(solution.w)
    return {
        "nu": setting.nu,
        "features": [str(X.columns[j]) for j in used],
        "w": solution.w[used].tolist(),
        "gamma": solution.gamma,
        "centre": centre[used].tolist(),
        "scale": scale[used].tolist(),
    }


@dataclass(frozen=True, eq=False)
class Side:
    """One class of a table, on its side of the stored plane."""

    half: HalfSpace
    points: np.ndarray
    all_rows: np.ndarray
    n_class: int


def stored_plane(name: str, X: pd.DataFrame) -> tuple[np.ndarray, float]:
    """Return a stored plane in the table's units, a weight for each column."""
    plane = json.loads(STORED.read_text(encoding="utf-8"))[name]
    w, centre, scale = (np.array(plane[k]) for k in ("w", "centre", "scale"))
    weights = pd.Series(0.0, index=X.columns)
    weights[plane["features"]] = w / scale
    return weights.to_numpy(), float(plane["gamma"] + (w / scale) @ centre)


def sides(w: np.ndarray, gamma: float, X: pd.DataFrame, y: np.ndarray) -> dict[str, Side]:
    """Split a table by a plane: for each class the rows of it that are on its side."""
    rows = X.to_numpy()
    of_sides = {}
    for label in ("smaller", "larger"):
        half = HalfSpace.from_plane(
            w, gamma, rows.min(axis=0), rows.max(axis=0), above=label == "larger"
        )
        of_class = half.orient(rows[y == label])
        inside = of_class[half.contains(of_class)]
        of_sides[label] = Side(half, inside, half.orient(rows), len(of_class))
    return of_sides


def main() -> None:
    """Write `planes.json`."""
    parser = argparse.ArgumentParser(description="Learn the planes of the benchmark.")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    folder = parser.parse_args().data
    planes = {name: learned(folder, name) for name in SETTINGS}
    STORED.write_text(json.dumps(planes, indent=1) + "\n", encoding="utf-8")
    for name, plane in planes.items():
        print(f"{name}: {len(plane['features'])} features")


if __name__ == "__main__":
    main()
