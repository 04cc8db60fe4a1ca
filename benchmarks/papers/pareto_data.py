"""Points near and far from the Pareto set of five design problems, by NSGA-II (supplement S4-A).

Needs pymoo, which only this benchmark uses. The truss and the welded beam are pymoo's own
problems; the settings are those of supplement S2-A and Table S2 (200 generations for ZDT, 1000 for
the others).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class DesignData:
    """How one data set of Table S2 is made."""

    problem: str
    population: int
    generations: int
    reference: int  # the earlier generation that is merged with the last one
    rank: int  # first front of the bad class
    n_good: int
    n_bad: int


DESIGNS = {
    "ZDT1": DesignData("zdt1", 100, 200, 200, 10, 100, 5000),
    "ZDT2": DesignData("zdt2", 100, 200, 200, 5, 100, 5000),
    "ZDT3": DesignData("zdt3", 100, 200, 200, 10, 100, 5000),
    "truss-6": DesignData("truss2d", 500, 1000, 1, 6, 200, 200),
    "truss-9": DesignData("truss2d", 500, 1000, 1, 9, 200, 200),
    "beam-1": DesignData("welded_beam", 500, 1000, 1, 3, 200, 200),
    "beam-10": DesignData("welded_beam", 500, 1000, 10, 3, 200, 200),
}


@cache
def design_data(name: str, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Run NSGA-II once and label its points: best of the first front, and from `rank` on."""
    design = DESIGNS[name]
    generations = _run(design.problem, design.population, design.generations, seed)
    if design.n_bad > design.population:  # ZDT: the last generation has too few bad points
        X, F = (np.concatenate([g[k] for g in generations]) for k in (0, 1))
    else:
        pair = (generations[design.reference - 1], generations[-1])
        X, F = (np.concatenate([g[k] for g in pair]) for k in (0, 1))
    first = np.unique(np.round(X, 12), axis=0, return_index=True)[1]
    X, F = X[np.sort(first)], F[np.sort(first)]
    good, bad = _classes(F, design)
    frame = pd.DataFrame(X[np.r_[good, bad]], columns=[f"x{j + 1}" for j in range(X.shape[1])])
    labels = np.array(["good"] * len(good) + ["bad"] * len(bad), dtype=object)
    return frame, labels


@cache
def _run(
    problem: str, population: int, generations: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Feasible points of every generation."""
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.operators.crossover.sbx import SBX
    from pymoo.operators.mutation.pm import PM
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    parts: list[tuple[np.ndarray, np.ndarray]] = []

    def keep(algorithm: object) -> None:
        people = algorithm.pop  # type: ignore[attr-defined]
        feasible = people.get("feasible").ravel().astype(bool)
        parts.append((people.get("X")[feasible], people.get("F")[feasible]))

    algorithm = NSGA2(pop_size=population, crossover=SBX(eta=15, prob=0.9), mutation=PM(eta=20))
    minimize(
        get_problem(problem),
        algorithm,
        ("n_gen", generations),
        seed=seed,
        callback=keep,
        verbose=False,
    )
    return parts


def _classes(F: np.ndarray, design: DesignData) -> tuple[np.ndarray, np.ndarray]:
    """Take the good points from the first front, the bad ones from later fronts, spread widely."""
    from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

    fronts = NonDominatedSorting().do(F)
    good = _by_crowding(F, fronts[0])[: design.n_good]
    bad = np.concatenate([_by_crowding(F, front) for front in fronts[design.rank - 1 :]])
    return good, bad[: design.n_bad]


def _by_crowding(F: np.ndarray, front: np.ndarray) -> np.ndarray:
    """Order a front by crowding distance, loneliest first."""
    values = F[front]
    distance = np.zeros(len(front))
    for k in range(values.shape[1]):
        order = np.argsort(values[:, k], kind="stable")
        spread = max(float(np.ptp(values[:, k])), 1e-300)
        gap = np.full(len(front), np.inf)
        gap[1:-1] = (values[order[2:], k] - values[order[:-2], k]) / spread
        distance[order] += gap
    return np.asarray(front)[np.argsort(-distance, kind="stable")]
