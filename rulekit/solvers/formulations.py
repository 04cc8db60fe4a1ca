"""The one-level problem written out as programs, and when it is worth a literal at all.

Throughout the module, with the paper's equation numbers::

    A       (n, d) bool    A[i, j]: column j is true in row i
    y       (n,)   bool    the rows to be covered
    weight  (n,)   float   what a row counts
    P, m    (g, d), (g,)   the rows to be covered alone, and their weights
    c       (d,)   float   prices of the columns, wrong rows included
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.solvers.lp import LinearProgram

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def printed_program(A: Bools, y: Bools, weight: Floats, theta: float) -> LinearProgram:
    """Write (2.1)-(2.4) as they are printed: a variable and a row for every row of the table.

    Parameters
    ----------
    A, y, weight : ndarray
        See the head of the module.
    theta : float
        Price of a column.

    Returns
    -------
    LinearProgram
        Variables w (d) then xi (n). Its relaxation is solved by `solve_lp`, the integer program
        by `solve_milp`.
    """
    n, d = A.shape
    matrix = sparse.hstack([sparse.csr_matrix(A.astype(float)), _signed_identity(y)], format="csr")
    return LinearProgram(
        np.concatenate([np.full(d, float(theta)), weight]),
        matrix,
        np.where(y, 1.0, 0.0),
        np.where(y, np.inf, 0.0),
        np.zeros(d + n),
        np.concatenate([np.ones(d), np.full(n, np.inf)]),
        np.concatenate([np.ones(d, dtype=bool), np.zeros(n, dtype=bool)]),
    )


def compact_program(P: Floats, m: Floats, c: Floats) -> LinearProgram:
    """Write the same with the rows not to be covered folded into the prices.

    Parameters
    ----------
    P, m, c : ndarray
        See the head of the module; prices must be finite.

    Returns
    -------
    LinearProgram
        Variables w (d) then xi (g), as in `printed_program`.
    """
    g, d = P.shape
    return LinearProgram(
        np.concatenate([c, m]),
        sparse.hstack([sparse.csr_matrix(P), sparse.eye_array(g)], format="csr"),
        np.ones(g),
        np.full(g, np.inf),
        np.zeros(d + g),
        np.concatenate([np.ones(d), np.full(g, np.inf)]),
        np.concatenate([np.ones(d, dtype=bool), np.zeros(g, dtype=bool)]),
    )


def theta_max(A: Bools, y: Bools, weight: Floats | None = None) -> float:
    """Find the price from which no column is worth having in a single clause.

    Parameters
    ----------
    A, y, weight : ndarray
        See the head of the module; None for a weight of 1 each.

    Returns
    -------
    float
        The clause without columns is optimal, in the relaxation and among whole columns, for
        every theta of at least this, and for none below; 0 where no column ever pays.

    Notes
    -----
    The empty clause is optimal as long as every column costs at least all that it covers:
    the dual variables may then all stand at their upper bounds. Takes O(n d) time.

    Examples
    --------
    The only column covers two rows rightly and one wrongly, so that it is worth one row:

    >>> A = np.array([[True], [True], [True]])
    >>> theta_max(A, np.array([True, True, False]))
    1.0
    """
    weight = np.ones(len(y)) if weight is None else weight
    net = np.where(y, weight, -weight) @ A.astype(float)
    return float(max(0.0, net.max(initial=0.0)))


def _signed_identity(y: Bools) -> sparse.dia_array:
    """Let xi be added to rows to be covered and equal the sum of the others."""
    return sparse.dia_array((np.where(y, 1.0, -1.0)[None, :], [0]), shape=(len(y), len(y)))
