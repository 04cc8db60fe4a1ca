"""The methods of the two-level paper, row by row and in exact fractions (sections 2.2, 4.2, 4.3).

A clause is a set of columns, or None when it is switched off. `learn` takes one flag a row, and
`value` weighs a list of clauses.
"""

from fractions import Fraction


def holds(clause, row):
    return clause is None or any(row[j] for j in clause)


def set_cover(A, learn, n_clauses):
    undecided = [True] * len(A)
    clauses = []
    for _ in range(n_clauses):
        clause = learn(undecided) if any(undecided) else frozenset()
        clauses.append(clause)
        undecided = [u and holds(clause, row) for u, row in zip(undecided, A, strict=True)]
    return clauses


def hamming_objective(A, y, weight, clauses, theta):
    """Objective (3.10): the distance of each row to a rule that is right on it, and the price."""
    total = 0.0
    for row, label, w in zip(A, y, weight, strict=True):
        counts = [1 if c is None else sum(bool(row[j]) for j in c) for c in clauses]
        total += w * (sum(k == 0 for k in counts) if label else min(counts))
    return total + theta * sum(len(c or ()) for c in clauses)


def block_coordinate(A, y, clauses, learn, value, max_iter=100):
    clauses = list(clauses)
    for _ in range(max_iter):
        candidates = []
        for r in range(len(clauses)):
            others = clauses[:r] + clauses[r + 1 :]
            kept = [
                bool(label) or all(holds(c, row) for c in others)
                for row, label in zip(A, y, strict=True)
            ]
            candidates.append([*clauses[:r], learn(kept), *clauses[r + 1 :]])
        best = min(candidates, key=lambda c: round(value(c), 9))
        if value(best) >= value(clauses) - 1e-9:
            break
        clauses = best
    return clauses


def row_owner(A, y, weight, clauses, i):
    """Clause that is to reject row i (3.9), ties by the nearest centre; None for rows with y."""
    if y[i]:
        return None
    tied = smallest(A[i], clauses)
    if len(tied) == 1:
        return tied[0]
    distance = {r: l1(A[i], centre(A, y, weight, clauses, r)) for r in tied}
    return min(tied, key=lambda r: (distance[r], r))


def smallest(row, clauses):
    counts = [1 if c is None else sum(bool(row[j]) for j in c) for c in clauses]
    return [r for r, k in enumerate(counts) if k == min(counts)]


def centre(A, y, weight, clauses, r):
    rows = [i for i in range(len(A)) if not y[i] and r in smallest(A[i], clauses)]
    total = sum(Fraction(int(weight[i])) for i in rows)
    return [
        sum(Fraction(int(weight[i])) * int(A[i][j]) for i in rows) / total for j in range(len(A[0]))
    ]


def l1(row, point):
    return sum(abs(int(a) - c) for a, c in zip(row, point, strict=True))


def alternating(A, y, weight, clauses, learn, value, max_iter=100):
    best, current, seen = clauses, clauses, set()
    for _ in range(max_iter):
        owner = tuple(row_owner(A, y, weight, current, i) for i in range(len(A)))
        if owner in seen:
            break
        seen.add(owner)
        current = [
            learn([y[i] or owner[i] == r for i in range(len(A))]) for r in range(len(clauses))
        ]
        if value(current) < value(best) - 1e-9:
            best = current
    return best
