"""Alternating minimisation, section 4.3 of the paper, row by row and in exact fractions."""

from fractions import Fraction


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
