"""Every rule one move away, and its cost, row by row.

A clause is a tuple of tests, or None when it is switched off. A test is ("column", j), or
("cut", template, k): like column `template`, but cut after the k-th distinct value.
"""


def is_true(test, i, A, side, ranks):
    if test[0] == "column":
        return bool(A[i][test[1]])
    _, template, k = test
    rank = ranks[i]
    if rank < 0:
        return bool(A[i][template])
    return rank <= k if side[template] < 0 else rank > k


def cost(clauses, A, y, weight, theta, side, ranks):
    total = 0.0
    for i in range(len(A)):
        answer = all(
            clause is None or any(is_true(t, i, A, side, ranks) for t in clause)
            for clause in clauses
        )
        total += weight[i] * (answer != y[i])
    return total + theta * sum(len(clause or ()) for clause in clauses)


def neighbours(clauses, d, side, n_values):
    for r, clause in enumerate(clauses):
        if clause is None:
            continue
        for changed in changes(clause, d, side, n_values):
            yield [*clauses[:r], changed, *clauses[r + 1 :]]


def changes(clause, d, side, n_values):
    yield None
    bases = [clause[:k] + clause[k + 1 :] for k in range(len(clause))]
    yield from bases
    for base in (*bases, clause):
        for j in range(d):
            yield (*base, ("column", j))
    for test, base in zip(clause, bases, strict=True):
        template = test[1]
        if side[template]:
            for k in range(n_values - 1):
                yield (*base, ("cut", template, k))
