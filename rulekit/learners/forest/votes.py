"""The votes of a random forest over cells."""

import numpy as np
from numpy.typing import NDArray

MIN_LEAF = 2  # rows of a leaf: a share of votes, not a copy of single rows


def votes(
    codes: NDArray[np.integer],
    ordered: NDArray[np.bool_],
    classes: NDArray[np.integer],
    weight: NDArray[np.float64],
    n_trees: int,
    seed: int,
    most_rows: int | None = None,
) -> NDArray[np.float64]:
    """Compute the out-of-bag votes of a random forest for each row.

    Shapes: codes (n, p), ordered (p,), classes (n,), weight (n,); result (n, K).

    Notes
    -----
    O(trees * n * (sqrt(p) + 1) * depth); beside the codes, memory for a few numbers a row.
    """
    from rulekit.learners.forest.forest_kernels import Rows, grown_votes

    n, p = codes.shape
    with_weight = classes[weight > 0]
    shares: NDArray[np.float64] = np.zeros((n, int(with_weight.max(initial=0)) + 1))
    if p and len(with_weight):
        by_column = np.ascontiguousarray(codes.T, dtype=np.int32)
        n_cells = int(by_column.max()) + 1
        labels = np.asarray(classes * (weight > 0), dtype=np.int64)
        rows = Rows(
            by_column,
            np.asarray(ordered, dtype=np.bool_),
            labels,
            np.zeros(n, dtype=np.int64),
            np.zeros(n),
            np.zeros((n_cells, shares.shape[1])),
            np.zeros(n_cells, dtype=np.int64),
        )
        draws = len(with_weight) if most_rows is None else min(len(with_weight), most_rows)
        numbers = np.array([n_trees, draws, MIN_LEAF, seed], dtype=np.int64)
        grown_votes(rows, np.ascontiguousarray(weight, dtype=np.float64), numbers, shares)
    total = shares.sum(axis=1, keepdims=True)
    return np.divide(shares, total, out=np.full_like(shares, np.nan), where=total > 0)
