"""The dual of a small one-level program, over all its columns and rows at once.

The program is defined in `generated_dual`. For few entries the compiled simplex method
(`simplex_kernels`) is faster than a call of HiGHS.
"""

import time

import numpy as np
from numpy.typing import NDArray

from rulekit.search.columns.rounding import default_perturbation
from rulekit.search.lp import LPSolution

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
SMALL = 200_000  # entries: rows times columns
STEPS = 100  # between two looks at the clock
MOST = 4  # steps, for each row and column
EXACT = 1e-9


def solve_small_dual(
    P: Bools, c: Floats, m: Floats, time_limit: float | None = None
) -> LPSolution | None:
    """Solve for mu; return None unless a check shows that the solution is optimal to 1e-9.

    Shapes: P (g, d), c (d,), m (g,).
    """
    from rulekit.search.columns.simplex_kernels import OPTIMAL, UNFINISHED, Tableau, optimise

    end = np.inf if time_limit is None else time.monotonic() + time_limit
    g, d = P.shape
    matrix = np.ascontiguousarray(P.T, dtype=float)
    t = Tableau(
        matrix.copy(),
        c - matrix @ m,
        np.ones(g),
        1.0 + default_perturbation(g),
        np.append(m, np.full(d, np.inf)),
        np.ones(d),
        np.arange(g, g + d, dtype=np.int64),
        np.arange(g, dtype=np.int64),
        np.ones(g, dtype=bool),
    )
    ended, left = UNFINISHED, MOST * (g + d)
    while ended == UNFINISHED and left > 0:
        if time.monotonic() > end:
            return LPSolution(None, None, None, None, "time limit", None)
        ended, left = optimise(t, STEPS), left - STEPS
    if ended != OPTIMAL:
        return None
    x, slope, basic = np.zeros(g + d), np.zeros(g + d), np.zeros(g + d, dtype=bool)
    x[t.other] = np.where(t.at_upper, t.cap[t.other], 0.0)
    x[t.basic], slope[t.other], basic[t.basic] = t.value, t.slope, True
    mu, duals = np.clip(x[:g], 0.0, m), np.minimum(slope[g:], 0.0)
    value = float(mu.sum())
    primal = -float(c @ duals) + float(m @ np.maximum(0.0, 1.0 + duals @ matrix))
    overdrawn = (matrix @ mu - c).max(initial=0.0)
    # written so that NaN fails the check
    if not (overdrawn <= EXACT and abs(primal - value) <= EXACT * max(1.0, value)):
        return None
    return LPSolution(mu, value, duals, None, "optimal", value, "", basic[:g], basic[g:])
