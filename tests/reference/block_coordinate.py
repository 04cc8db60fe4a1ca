"""Block coordinate descent with the greedy update, section 4.2 of the paper, row by row."""

from tests.reference.set_cover import holds


def hamming_objective(A, y, weight, clauses, theta):
    """Objective (3.10): the distance of each row to a rule that is right on it, and the price."""
    total = 0.0
    for row, label, w in zip(A, y, weight, strict=True):
        counts = [1 if c is None else sum(bool(row[j]) for j in c) for c in clauses]
        total += w * (sum(k == 0 for k in counts) if label else min(counts))
    return total + theta * sum(len(c or ()) for c in clauses)


def block_coordinate(A, y, clauses, learn, value, max_iter=100):
    """`value` weighs a list of clauses."""
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
