"""Set covering row by row, section 2.2 of the paper.

A clause is a set of columns, or None when it is switched off. `learn` takes one flag a row.
"""


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
