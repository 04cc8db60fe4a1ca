"""Kernels of the search for integer points: row types, logistic fits, gains of columns, rounding.

Legend: n rows, p sources (columns of the table), d candidate conditions, k conditions of a card, P
row types (rows alike in all k conditions), T totals. A row's weight is split into ``yes`` and
``no``, what it counts for either class. Sums over rows add multiples of one power of two, so that
their order does not matter; `exp` and `log` are series, the same bits on every processor.
"""

import numpy as np

from rulekit.solvers.machine_code import machine_code
from rulekit.solvers.sums import LN2_HIGH, LN2_LOW, LOG2E

STEPS, HALVINGS = 40, 30  # of Newton's method
ENOUGH = 1e-11  # a step that promises less than this share of the loss is the last
RIDGE = 1e-9  # of a diagonal, so that conditions that are alike share their weight
POWERS = np.ldexp(1.0, np.arange(-1022, 1024))
INVERSE_FACTORIALS = np.array([1.0 / np.prod(np.arange(1.0, k + 1.0)) for k in range(14)])
ODD = np.array([1.0 / (2 * i + 1) for i in range(17)])


@machine_code()
def _exp(x):  # type: ignore[no-untyped-def]
    x = min(max(x, -700.0), 700.0)
    whole = np.rint(x * LOG2E)
    rest = (x - whole * LN2_HIGH) - whole * LN2_LOW
    found = INVERSE_FACTORIALS[13]
    for k in range(12, -1, -1):
        found = found * rest + INVERSE_FACTORIALS[k]
    return found * POWERS[np.int64(whole) + 1022]


@machine_code()
def _log1p(z):  # type: ignore[no-untyped-def]
    """Logarithm of ``1 + z`` for z from 0 to 1."""
    s = z / (2.0 + z)
    square, found = s * s, 0.0
    for i in range(16, -1, -1):
        found = found * square + ODD[i]
    return 2.0 * s * found


@machine_code()
def _chance(logit):  # type: ignore[no-untyped-def]
    z = _exp(-abs(logit))
    return 1.0 / (1.0 + z) if logit >= 0 else z / (1.0 + z)


@machine_code()
def _loss(logit, yes, no):  # type: ignore[no-untyped-def]
    tail = _log1p(_exp(-abs(logit)))
    return yes * (tail - min(logit, 0.0)) + no * (tail + max(logit, 0.0))


@machine_code()
def _holds(spans, j, cell):  # type: ignore[no-untyped-def]
    first = spans[j, 0] <= cell and cell < spans[j, 1]
    return first or (spans[j, 2] <= cell and cell < spans[j, 3])


@machine_code()
def _row_types(codes, source, spans, chosen, types):  # type: ignore[no-untyped-def]
    """Number the rows' types in `types`; return what holds in each, shape (P, k)."""
    n, count = codes.shape[1], 1
    types[:] = 0
    for s in range(len(chosen)):
        j = chosen[s]
        cells = codes[source[j]]
        there = np.zeros(2 * count, dtype=np.int64)
        for i in range(n):
            new = 2 * types[i] + (1 if _holds(spans, j, cells[i]) else 0)
            types[i] = new
            there[new] = 1
        count = 0
        for t in range(len(there)):
            if there[t]:
                there[t] = count
                count += 1
        for i in range(n):
            types[i] = there[types[i]]
    holds = np.zeros((count, len(chosen)), dtype=np.int64)
    one_row = np.zeros(count, dtype=np.int64)
    for i in range(n):
        one_row[types[i]] = i
    for s in range(len(chosen)):
        for t in range(count):
            holds[t, s] = _holds(spans, chosen[s], codes[source[chosen[s]], one_row[t]])
    return holds


@machine_code()
def _masses(types, weights, count):  # type: ignore[no-untyped-def]
    """Sum the rows' weights by type: shape (P, 2)."""
    mass = np.zeros((count, 2))
    for i in range(len(types)):
        mass[types[i], 0] += weights[i, 0]
        mass[types[i], 1] += weights[i, 1]
    return mass


@machine_code()
def _solved(A, b):  # type: ignore[no-untyped-def]
    """Solve a positive definite system in place; the answer stands in `b`."""
    m = len(b)
    for i in range(m):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = np.sqrt(max(total, 1e-300)) if i == j else total / A[j, j]
    for i in range(m):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]


@machine_code()
def _value(design, mass, beta):  # type: ignore[no-untyped-def]
    m, total = design.shape[1], 0.0
    for t in range(len(mass)):
        logit = beta[m]
        for s in range(m):
            logit += design[t, s] * beta[s]
        total += _loss(logit, mass[t, 0], mass[t, 1])
    return total


@machine_code()
def _derivatives(design, mass, beta, gradient, hessian):  # type: ignore[no-untyped-def]
    """Write the loss's derivatives, downhill, at `beta`; its last part is the intercept's."""
    m = design.shape[1]
    gradient[:] = 0.0
    hessian[:] = 0.0
    for t in range(len(mass)):
        logit = beta[m]
        for s in range(m):
            logit += design[t, s] * beta[s]
        chance, both = _chance(logit), mass[t, 0] + mass[t, 1]
        r, q = mass[t, 0] - both * chance, both * chance * (1.0 - chance)
        gradient[m] += r
        hessian[m, m] += q
        for s in range(m):
            x = design[t, s]
            if x:
                gradient[s] += r * x
                hessian[m, s] += q * x
                for u in range(s + 1):
                    hessian[s, u] += q * x * design[t, u]
    for s in range(m + 1):
        hessian[s, s] += RIDGE * (hessian[s, s] + hessian[m, m])


@machine_code()
def _fitted(design, mass, beta, hessian):  # type: ignore[no-untyped-def]
    """Descend on the logistic loss from `beta`, by Newton's steps; return the loss."""
    m = design.shape[1] + 1
    step, factor, trial = np.zeros(m), np.zeros((m, m)), np.zeros(m)
    loss = _value(design, mass, beta)
    for _ in range(STEPS):
        _derivatives(design, mass, beta, step, hessian)
        factor[:] = hessian
        promised = step.copy()
        _solved(factor, step)
        gain = 0.0
        for s in range(m):
            gain += promised[s] * step[s]
        if gain <= ENOUGH * loss:
            break
        better = False
        for _ in range(HALVINGS):
            for s in range(m):
                trial[s] = beta[s] + step[s]
            value = _value(design, mass, trial)
            if value < loss:
                better = True
                break
            step *= 0.5
        if not better:
            break
        beta[:] = trial
        loss = value
    return loss


@machine_code()
def _card(holds, mass, points, line):  # type: ignore[no-untyped-def]
    """Fit slope and intercept of a logit that is linear in the total; return the loss."""
    low, high = 0, 0
    for s in range(len(points)):
        low += min(points[s], 0)
        high += max(points[s], 0)
    by_total = np.zeros((high - low + 1, 2))
    for t in range(len(holds)):
        total = -low
        for s in range(len(points)):
            total += points[s] * holds[t, s]
        by_total[total, 0] += mass[t, 0]
        by_total[total, 1] += mass[t, 1]
    there = np.flatnonzero(by_total[:, 0] + by_total[:, 1])
    design, kept = np.empty((len(there), 1)), np.empty((len(there), 2))
    for i in range(len(there)):
        design[i, 0] = there[i] + low
        kept[i] = by_total[there[i]]
    return _fitted(design, kept, line, np.zeros((2, 2)))


@machine_code()
def _explained(along, size):  # type: ignore[no-untyped-def]
    """How much of the loss points explain whose scale is free, by the quadratic at the optimum."""
    return along * along / size if along > 0 and size > 0 else 0.0


@machine_code()
def _parts(curve, pull, points, skipped):  # type: ignore[no-untyped-def]
    """Return ``pull'x`` and ``x'curve x`` without one condition, and its row of the latter."""
    along, size, joint = 0.0, 0.0, 0.0
    for s in range(len(points)):
        if s == skipped:
            continue
        along += pull[s] * points[s]
        if skipped >= 0:
            joint += curve[s, skipped] * points[s]
        for u in range(len(points)):
            if u != skipped:
                size += points[s] * curve[s, u] * points[u]
    return along, size, joint


@machine_code()
def _rounded(curve, pull, beta, scale, limits, points):  # type: ignore[no-untyped-def]
    """Round weights at a scale, then change single points while the quadratic gets better."""
    k = len(points)
    for s in range(k):
        whole = int(np.rint(beta[s] * scale))
        if whole == 0:
            whole = 1 if beta[s] >= 0 else -1
        whole = min(max(whole, limits[s, 0]), limits[s, 1])
        if whole == 0:
            whole = 1 if limits[s, 1] > 0 else -1
        points[s] = whole
    along, size, _ = _parts(curve, pull, points, -1)
    best = _explained(along, size)
    moved = True
    while moved:
        moved = False
        for s in range(k):
            along, size, joint = _parts(curve, pull, points, s)
            for v in range(limits[s, 0], limits[s, 1] + 1):
                found = _explained(along + pull[s] * v, size + v * (2.0 * joint + curve[s, s] * v))
                if v != 0 and found > best * (1.0 + 1e-9):
                    best, points[s], moved = found, v, True
    return best


@machine_code()
def _polished(holds, mass, limits, points, line, loss):  # type: ignore[no-untyped-def]
    """Change single points while the loss itself falls; return it."""
    k = len(points)
    trial, moved = line.copy(), True
    while moved:
        moved = False
        for s in range(k):
            kept = points[s]
            for value in range(limits[s, 0], limits[s, 1] + 1):
                if value == 0 or value == kept:
                    continue
                points[s] = value
                trial[:] = line
                found = _card(holds, mass, points, trial)
                if found < loss - 1e-9 * (1.0 + loss) and trial[0] > 0:
                    loss, kept, moved = found, value, True
                    line[:] = trial
            points[s] = kept
    return loss


@machine_code(
    "float64(int32[:,::1], int64[::1], int64[:,::1], int64[:,::1], float64[:,::1], int64[::1],"
    " float64, boolean, int64[::1], float64[::1])"
)
def settle(codes, source, spans, limits, weights, chosen, enough, polish, points, line):  # type: ignore[no-untyped-def]
    """Give conditions their points, and the line of the logit over the total; return the loss.

    The weights are fitted freely first. If that loss, which no points are below, is not less than
    `enough`, infinity is returned. Then they are rounded at each scale, from
    the one at which the greatest is 1 to that at which it is the most allowed.
    """
    k = len(chosen)
    types = np.zeros(codes.shape[1], dtype=np.int64)
    holds = _row_types(codes, source, spans, chosen, types)
    mass = _masses(types, weights, len(holds))
    beta, hessian = np.zeros(k + 1), np.zeros((k + 1, k + 1))
    free = _fitted(holds.astype(np.float64), mass, beta, hessian)
    if free >= enough:
        return np.inf
    if k == 0:
        line[0], line[1] = 0.0, beta[0]
        return free
    own, curve, pull, most = np.empty((k, 2), dtype=np.int64), np.empty((k, k)), np.zeros(k), 1
    greatest = 0.0
    for s in range(k):
        own[s] = limits[chosen[s]]
        most = max(most, own[s, 1], -own[s, 0])
        greatest = max(greatest, abs(beta[s]))
        for u in range(k):
            inner = hessian[max(s, u), min(s, u)]
            curve[s, u] = inner - hessian[k, s] * hessian[k, u] / hessian[k, k]
    for s in range(k):
        for u in range(k):
            pull[s] += curve[s, u] * beta[u]
    best, trial, trial_line = np.inf, np.zeros(k, dtype=np.int64), np.zeros(2)
    worth, tried = np.zeros(most), np.zeros((most, k), dtype=np.int64)
    for v in range(most):
        worth[v] = _rounded(curve, pull, beta, (v + 1) / max(greatest, 1e-12), own, tried[v])
    top = worth.max()
    for v in range(most):
        again = False
        for u in range(v):
            again |= np.all(tried[u] == tried[v])
        if again or (free + 0.5 * (top - worth[v]) > best and v > 0):
            continue
        trial[:] = tried[v]
        along, size, _ = _parts(curve, pull, trial, -1)
        trial_line[0] = max(along, 0.0) / max(size, 1e-12)
        trial_line[1] = beta[k]
        found = _card(holds, mass, trial, trial_line)
        if trial_line[0] > 0 and found < best - 1e-9 * (1.0 + found):
            best = found
            points[:] = trial
            line[:] = trial_line
    if polish and best < np.inf:
        best = _polished(holds, mass, own, points, line, best)
    return best


@machine_code(
    "float64[::1](int32[:,::1], int64[::1], int64[:,::1], int64[:,::1], float64[:,::1],"
    " int64[::1], int64[::1], float64)"
)
def gains(codes, source, spans, limits, weights, n_codes, chosen, unit):  # type: ignore[no-untyped-def]
    """Say for each candidate how much the loss falls with it, by one step of Newton's: shape (d,).

    The weights of the chosen conditions are fitted, and may then change together by one factor.
    """
    n = codes.shape[1]
    types = np.zeros(n, dtype=np.int64)
    holds = _row_types(codes, source, spans, chosen, types)
    mass = _masses(types, weights, len(holds))
    k = len(chosen)
    beta = np.zeros(k + 1)
    _fitted(holds.astype(np.float64), mass, beta, np.zeros((k + 1, k + 1)))
    of_type, of_row = np.zeros((len(holds), 2)), np.zeros((n, 3))
    for t in range(len(holds)):
        logit = beta[k]
        for s in range(k):
            logit += holds[t, s] * beta[s]
        of_type[t, 0], of_type[t, 1] = logit, _chance(logit)
    flat, tilt, bend = 0.0, 0.0, 0.0
    for i in range(n):
        logit, chance = of_type[types[i], 0], of_type[types[i], 1]
        both = weights[i, 0] + weights[i, 1]
        q = both * chance * (1.0 - chance)
        of_row[i, 0] = np.rint((weights[i, 0] - both * chance) / unit) * unit
        of_row[i, 1] = np.rint(q / unit) * unit
        of_row[i, 2] = np.rint(q * logit / unit) * unit
        flat += of_row[i, 1]
        tilt += of_row[i, 2]
        bend += np.rint(q * logit * logit / unit) * unit
    middle = tilt / flat
    bend -= tilt * middle
    found = np.zeros(len(source))
    begin = 0
    for f in range(len(codes)):
        end = begin
        while end < len(source) and source[end] == f:
            end += 1
        if end == begin:
            continue
        cells = np.zeros((n_codes[f] + 1, 3))
        for i in range(n):
            c = codes[f, i] + 1
            cells[c, 0] += of_row[i, 0]
            cells[c, 1] += of_row[i, 1]
            cells[c, 2] += of_row[i, 2]
        for c in range(n_codes[f]):
            for part in range(3):
                cells[c + 1, part] += cells[c, part]
        for j in range(begin, end):
            pulled, own, joint = 0.0, 0.0, 0.0
            for e in (0, 2):
                a, b = spans[j, e], spans[j, e + 1]
                pulled += cells[b, 0] - cells[a, 0]
                own += cells[b, 1] - cells[a, 1]
                joint += cells[b, 2] - cells[a, 2]
            joint -= middle * own
            curvature = own - own * own / flat
            if bend > 1e-9 * flat:
                curvature -= joint * joint / bend
            if (pulled > 0 and limits[j, 1] < 1) or (pulled < 0 and limits[j, 0] > -1):
                continue
            if curvature > 1e-7 * flat:
                found[j] = pulled * pulled / (2.0 * curvature)
        begin = end
    return found
