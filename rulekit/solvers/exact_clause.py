"""The best single clause, with a proof: branch and bound on sets of rows kept as bits.

A clause is an AND of literals. Its value is the weight of the described rows it holds for, minus
the weight of the other rows it holds for, minus θ a literal; the rule without clauses is worth
nothing. Maximising the value is minimising training errors plus θ times literals over rules of one
clause.

Legend::

    P, N   rows of the described and of the other class that the clause holds for, each set as the
           bits of one integer
    loss   weight that a literal takes from P
    gain   weight that it takes from N
    slot   literals of one slot exclude each other: of nested half-lines one is enough
    own    what a literal alone takes from N: rows that no other literal of the clause takes
    step   rows of N between a literal and the next looser one of its slot

Every subset of literals has a literal of largest loss. A node branches over which one that is, and
leaves to the branch only literals of smaller loss: each subset is met once, and ``P - loss`` bounds
what is left of P at once.

Two searches visit the same nodes in the same order: `rulekit.solvers.exact_bits` on Python's
integers, and `rulekit.solvers.exact_kernel`, compiled by Numba where that is there.
"""

from collections.abc import Sequence

import numpy as np

from rulekit.solvers.exact_bits import search_bits
from rulekit.solvers.exact_task import Bools, ClauseLimits, ExactClause, Floats, clause_task
from rulekit.solvers.exact_words import search_words

__all__ = ["ClauseLimits", "ExactClause", "best_clause"]


def best_clause(
    holds: Bools,
    y: Bools,
    theta: float,
    *,
    slots: Sequence[int] | None = None,
    weight: Floats | None = None,
    incumbent: float = 0.0,
    limits: ClauseLimits | None = None,
) -> ExactClause:
    """Find the clause of the highest value among all subsets of the literals.

    Parameters
    ----------
    holds : ndarray of bool, shape (n, d)
        Whether each literal holds for each row.
    y : ndarray of bool, shape (n,)
        True for the described class.
    theta : float
        Price of a literal, positive, in the unit of `weight`.
    slots : sequence of int, length d, optional
        Literals of one slot are nested, so that no clause needs two of them. By default each has
        its own.
    weight : ndarray of float, shape (n,), optional
        Non-negative weight of each row; one each by default.
    incumbent : float, default=0.0
        Value already reached elsewhere; only better clauses are returned.
    limits : ClauseLimits, optional
        When to give up on the proof.

    Returns
    -------
    ExactClause

    Raises
    ------
    ValueError
        If `theta` is not positive: ties between rules of different length are then not broken, and
        the prunes are not safe.

    Notes
    -----
    Exponential in the worst case. Prunes, all safe: what P, less a literal, can still be worth; a
    literal must take at least θ from N that no other one takes (else dropping it is better), and
    this share only shrinks; some of it must lie in the literal's step (else the next looser literal
    is no worse); another literal must be able to take θ from N; the best of each slot bounds what
    all smaller-loss literals together can take. The rule without clauses is a candidate of its own.
    """
    if theta <= 0:
        raise ValueError(f"`theta` must be positive for an exact search, got {theta!r}.")
    y = np.asarray(y, dtype=bool)
    weights = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    slot_of = range(holds.shape[1]) if slots is None else slots
    task = clause_task(holds, y, weights, theta, slot_of, incumbent, limits or ClauseLimits())
    return search_words(task) or search_bits(task)
