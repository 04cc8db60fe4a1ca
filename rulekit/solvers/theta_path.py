"""Along theta: which clause is optimal where, for one sub-problem."""

from dataclasses import dataclass, field, replace

import numpy as np

from rulekit.solvers.cover_program import Vertex


@dataclass
class ThetaPath:
    """The optimal clauses of one sub-problem known so far, each with its interval of theta.

    The cost of a fixed clause is linear in theta, so the optimal value is concave, and a clause
    that is optimal at two values of theta is optimal between them. The perturbation makes the
    optimum unique, so that it is also *the* optimum there, and intervals of equal clauses may be
    joined.
    """

    pieces: list[Vertex] = field(default_factory=list)

    def at(self, theta: float) -> Vertex | None:
        """Return the clause known to be optimal at this theta, if there is one."""
        return next((p for p in self.pieces if p.lower <= theta <= p.upper), None)

    def add(self, theta: float, vertex: Vertex) -> None:
        """Remember a clause solved at `theta`, whose interval is relative to that theta."""
        lower, upper = theta + vertex.lower, theta + vertex.upper
        for k, piece in enumerate(self.pieces):
            if _same_clause(piece, vertex):
                self.pieces[k] = replace(
                    piece, lower=min(lower, piece.lower), upper=max(upper, piece.upper)
                )
                return
        self.pieces.append(replace(vertex, lower=lower, upper=upper))


def _same_clause(a: Vertex, b: Vertex) -> bool:
    return np.array_equal(a.columns, b.columns) and np.array_equal(a.weights, b.weights)
