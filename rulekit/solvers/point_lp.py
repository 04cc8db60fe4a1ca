"""The box that holds many points, as a linear program: (17), with one slack a point.

::

    minimise    sum of c_k s_k
    subject to  s_k >= y_ki - x_i  for every point k and feature i,  w~'x <= 1,  m <= x <= 1, s >= 0

in the unit box. The paper prints one slack a *feature*; then the cheapest features are opened and
the rest get boxes of width zero, which hold no point. `m` are the least coordinates of the points,
without which the box may lie below all of them.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.exceptions import SolverError
from rulekit.solvers.half_space import Floats, Region
from rulekit.solvers.lp import LinearProgram, solve_lp

NEAR = 1e-8  # of the side of the unit box; what the solver's tolerance may move a corner by


def point_corner(
    region: Region, points: Floats, counts: NDArray[np.intp], *, engine: str = "auto"
) -> Floats:
    """Find the corner of the box that leaves out the least sum of excesses.

    Parameters
    ----------
    region : Region
    points : ndarray of shape (m, n)
        At least one; in the region and on its side of the plane, in oriented coordinates.
    counts : ndarray of int, shape (m,)
        How many rows each point stands for.
    engine : {"auto", "scipy", "highs"}, default="auto"
        As in `rulekit.solvers.lp.solve_lp`.

    Returns
    -------
    ndarray of shape (n,)
        The upper corner. Points within the solver's tolerance of it are taken in exactly where the
        plane allows.

    Raises
    ------
    SolverError
        If the program is not solved.
    """
    weights, least = region.unit_weights(), points.min(axis=0)
    if weights is None:
        return least
    m, n = points.shape
    unit = np.array([region.to_unit(p) for p in points])
    rows = np.arange(m * n)
    excess = sparse.hstack(
        [
            sparse.csr_array((np.ones(m * n), (rows, np.tile(np.arange(n), m))), shape=(m * n, n)),
            sparse.csr_array((np.ones(m * n), (rows, np.repeat(np.arange(m), n)))),
        ]
    )
    plane = sparse.csr_array(np.concatenate([weights, np.zeros(m)])[None, :])
    program = LinearProgram(
        c=np.concatenate([np.zeros(n), counts.astype(float)]),
        A=sparse.vstack([excess, plane], format="csc"),
        lower=np.concatenate([unit.ravel(), [-np.inf]]),
        upper=np.concatenate([np.full(m * n, np.inf), [1.0]]),
        x_lower=np.concatenate([unit.min(axis=0), np.zeros(m)]),
        x_upper=np.concatenate([np.ones(n), np.full(m, np.inf)]),
    )
    solution = solve_lp(program, engine=engine)
    if solution.x is None:
        raise SolverError(
            f"The linear program over {m} points must have a solution; the solver says "
            f"{solution.message!r}. Take `criterion='peel'`."
        )
    corner = solution.x[:n]
    return region.to_faces(corner, _snapped(region, points, unit, corner, least))


def _snapped(region: Region, points: Floats, unit: Floats, corner: Floats, least: Floats) -> Floats:
    """Find the least corner above all points that the program took in, within its tolerance."""
    for tolerance in (NEAR, 0.0):
        taken = (unit <= corner + tolerance).all(axis=1)
        if taken.any():
            above = np.maximum(points[taken].max(axis=0), least)
            if region.half.value(above) <= region.half.cap:
                return above
    return least
