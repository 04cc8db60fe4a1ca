"""Kernels of the search for integer points: row types, gains of conditions, fits, rounding."""

# Legend: n rows, p sources (columns of the table), d candidate conditions, k conditions of a card,
# P row types (rows alike in all k conditions), T totals. Sums over rows add multiples of one power
# of two, so that their order does not matter. `exp` and `log` are series, so that a fit ends in the
# same bits on every processor.

from typing import NamedTuple

import numpy as np
from numba import types as nb
from numpy.typing import NDArray

from rulekit._sums import LN2_HIGH, LN2_LOW, LOG2E
from rulekit.search.machine_code import machine_code
from rulekit.search.records import record

STEPS, HALVINGS = 40, 30  # of Newton's method
ENOUGH = 1e-11  # a step that promises less than this share of the loss is the last
RIDGE = 1e-9  # of a diagonal, so that conditions that are alike share their weight
POWERS = np.ldexp(1.0, np.arange(-1022, 1024))
INVERSE_FACTORIALS = np.array([1.0 / np.prod(np.arange(1.0, k + 1.0)) for k in range(14)])
ODD = np.array([1.0 / (2 * i + 1) for i in range(17)])
FLAT = 1e-9  # slope of a card whose totals carry no information
F1, F2 = nb.float64[::1], nb.float64[:, ::1]
I1, I2 = nb.int64[::1], nb.int64[:, ::1]


@machine_code()
def copy(values, target):  # type: ignore[no-untyped-def]
    """Copy numbers by a plain loop: NumPy's assignment takes a second to compile."""
    for s in range(len(target)):
        target[s] = values[s]


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
def chance_of(logit):  # type: ignore[no-untyped-def]
    """Turn a logit into a probability."""
    z = _exp(-abs(logit))
    return 1.0 / (1.0 + z) if logit >= 0 else z / (1.0 + z)


@machine_code(inline=True)
def _loss(logit, yes, no):  # type: ignore[no-untyped-def]
    z = _exp(-abs(logit))
    s = z / (2.0 + z)
    square, found = s * s, 0.0
    for i in range(16, -1, -1):  # the logarithm of 1 + z
        found = found * square + ODD[i]
    tail = 2.0 * s * found
    return yes * (tail - min(logit, 0.0)) + no * (tail + max(logit, 0.0))


@machine_code(inline=True)
def _solved(A, b):  # type: ignore[no-untyped-def]
    """Solve a positive definite system in place; `b` becomes the solution."""
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


@machine_code(inline=True)
def _derivatives(design, mass, beta, gradient, hessian):  # type: ignore[no-untyped-def]
    """Write the loss's derivatives, downhill, at `beta`; its last part is the intercept's."""
    m = design.shape[1]
    for s in range(m + 1):
        gradient[s] = 0.0
        for u in range(m + 1):
            hessian[s, u] = 0.0
    for t in range(len(mass)):
        logit = beta[m]
        for s in range(m):
            logit += design[t, s] * beta[s]
        chance, both = chance_of(logit), mass[t, 0] + mass[t, 1]
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
def fitted(design, mass, beta, hessian):  # type: ignore[no-untyped-def]
    """Descend on the logistic loss from `beta`, by Newton's steps; return the loss."""
    m = design.shape[1] + 1
    step, factor, trial = np.zeros(m), np.zeros((m, m)), np.zeros(m)
    promised = np.zeros(m)
    loss = _value(design, mass, beta)
    for _ in range(STEPS):
        _derivatives(design, mass, beta, step, hessian)
        copy(step, promised)
        for s in range(m):
            copy(hessian[s], factor[s])
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
            for s in range(m):
                step[s] *= 0.5
        if not better:
            break
        copy(trial, beta)
        loss = value
    return loss


@machine_code(nb.float64(F2, F2, F1))
def line_through(values, weights, line):  # type: ignore[no-untyped-def]
    """Fit slope and intercept of a logit over one value a row; return the loss."""
    return fitted(values, weights, line, np.zeros((2, 2)))


class Cells(NamedTuple):
    """The table, see `PointsProblem`."""

    codes: NDArray[np.int32]
    n_codes: NDArray[np.int64]
    source: NDArray[np.int64]
    spans: NDArray[np.int64]
    limits: NDArray[np.int64]
    weights: NDArray[np.float64]


CELLS = record(Cells, nb.int32[:, ::1], I1, I1, I2, I2, F2)


@machine_code()
def _holds(spans, j, cell):  # type: ignore[no-untyped-def]
    first = spans[j, 0] <= cell and cell < spans[j, 1]
    return first or (spans[j, 2] <= cell and cell < spans[j, 3])


@machine_code()
def _row_types(cells, chosen, types):  # type: ignore[no-untyped-def]
    """Write each row's type into `types`, zeros so far; return what holds in each, shape (P, k)."""
    codes, source, spans = cells.codes, cells.source, cells.spans
    n, count = codes.shape[1], 1
    for s in range(len(chosen)):
        j = chosen[s]
        own = codes[source[j]]
        there = np.zeros(2 * count, dtype=np.int64)
        for i in range(n):
            new = 2 * types[i] + (1 if _holds(spans, j, own[i]) else 0)
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
    count = 0
    for total in range(len(by_total)):
        count += by_total[total, 0] + by_total[total, 1] != 0.0
    design, kept, i = np.empty((count, 1)), np.empty((count, 2)), 0
    for total in range(len(by_total)):
        if by_total[total, 0] + by_total[total, 1] != 0.0:
            design[i, 0] = total + low
            copy(by_total[total], kept[i])
            i += 1
    return fitted(design, kept, line, np.zeros((2, 2)))


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


@machine_code(inline=True)
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


@machine_code(inline=True)
def _polished(holds, mass, limits, points, line, loss):  # type: ignore[no-untyped-def]
    """Change single points while the loss itself falls; return it."""
    k = len(points)
    trial, moved = np.zeros(2), True
    while moved:
        moved = False
        for s in range(k):
            kept = points[s]
            for value in range(limits[s, 0], limits[s, 1] + 1):
                if value == 0 or value == kept:
                    continue
                points[s] = value
                copy(line, trial)
                found = _card(holds, mass, points, trial)
                if found < loss - 1e-9 * (1.0 + loss) and trial[0] > 0:
                    loss, kept, moved = found, value, True
                    copy(trial, line)
            points[s] = kept
    return loss


@machine_code(inline=True)
def _scaled(curve, pull, beta, limits, tried):  # type: ignore[no-untyped-def]
    """Round at each scale; return how much each explains, 0 for what came before, and the most."""
    worth, greatest, most = np.zeros(len(tried)), 1e-12, 0.0
    for s in range(len(pull)):
        greatest = max(greatest, abs(beta[s]))
    for v in range(len(tried)):
        worth[v] = _rounded(curve, pull, beta, (v + 1) / greatest, limits, tried[v])
        most = max(most, worth[v])
        for u in range(v):
            different = False
            for s in range(len(pull)):
                different |= tried[u, s] != tried[v, s]
            if not different:
                worth[v] = 0.0
    return worth, most


@machine_code()
def _as_numbers(holds):  # type: ignore[no-untyped-def]
    numbers = np.zeros(holds.shape)
    for t in range(len(holds)):
        copy(holds[t], numbers[t])
    return numbers


@machine_code(inline=True)
def _limits_of(cells, chosen):  # type: ignore[no-untyped-def]
    """Return the limits of the chosen conditions, and the largest."""
    limits, most = np.zeros((len(chosen), 2), dtype=np.int64), 0
    for s in range(len(chosen)):
        for end in range(2):
            limits[s, end] = cells.limits[chosen[s], end]
            most = max(most, abs(limits[s, end]))
    return limits, most


@machine_code(nb.float64(CELLS, I1, nb.float64, nb.boolean, I1, F1))
def settle(cells, chosen, enough, polish, points, line):  # type: ignore[no-untyped-def]
    """Set integer points and the logit's line; return the loss, infinity if not below `enough`."""
    # The free fit is rounded at each scale; roundings that its quadratic rules out are not fitted.
    k = len(chosen)
    types = np.zeros(cells.codes.shape[1], dtype=np.int64)
    holds = _row_types(cells, chosen, types)
    mass = _masses(types, cells.weights, len(holds))
    beta, hessian = np.zeros(k + 1), np.zeros((k + 1, k + 1))
    free = fitted(_as_numbers(holds), mass, beta, hessian)
    if free >= enough:
        return np.inf
    if k == 0:
        line[1] = beta[0]
        return free
    curve, pull = np.empty((k, k)), np.empty(k)
    limits, most = _limits_of(cells, chosen)
    for s in range(k):  # the curvature, the intercept free, and its product with the weights
        pull[s] = 0.0
        for u in range(k):
            inner = hessian[max(s, u), min(s, u)]
            curve[s, u] = inner - hessian[k, s] * hessian[k, u] / hessian[k, k]
            pull[s] += curve[s, u] * beta[u]
    tried = np.zeros((most, k), dtype=np.int64)
    worth, greatest = _scaled(curve, pull, beta, limits, tried)
    best, trial = np.inf, np.zeros(2)
    for v in range(len(tried)):
        if worth[v] > 0 and free + 0.5 * (greatest - worth[v]) <= best:
            along, size, _ = _parts(curve, pull, tried[v], -1)
            trial[0], trial[1] = along / size, beta[k]
            found = _card(holds, mass, tried[v], trial)
            if trial[0] > 0 and found < best - 1e-9 * (1.0 + found):
                best = found
                copy(tried[v], points)
                copy(trial, line)
    if best == np.inf:  # a condition that is required though it carries no information
        copy(tried[0], points)
        line[0] = FLAT
        return fitted(np.zeros((len(holds), 0)), mass, line[1:], np.zeros((1, 1)))
    if polish:
        best = _polished(holds, mass, limits, points, line, best)
    return best


@machine_code(inline=True)
def _row_derivatives(cells, types, logits, unit):  # type: ignore[no-untyped-def]
    """Compute residual, curvature, and curvature times logit of each row: shape (n, 3)."""
    found, sums = np.zeros((len(types), 3)), np.zeros(3)
    chances = np.zeros(len(logits))
    for t in range(len(logits)):
        chances[t] = chance_of(logits[t])
    for i in range(len(types)):
        logit, chance = logits[types[i]], chances[types[i]]
        both = cells.weights[i, 0] + cells.weights[i, 1]
        q = both * chance * (1.0 - chance)
        found[i, 0] = np.rint((cells.weights[i, 0] - both * chance) / unit) * unit
        found[i, 1] = np.rint(q / unit) * unit
        found[i, 2] = np.rint(q * logit / unit) * unit
        sums[0] += found[i, 1]
        sums[1] += found[i, 2]
        sums[2] += np.rint(q * logit * logit / unit) * unit
    return found, sums


@machine_code(inline=True)
def _running_sums(codes, rows, n_codes):  # type: ignore[no-untyped-def]
    """Sum rows up to each cell of a source: shape (n_codes + 1, 3)."""
    found = np.zeros((n_codes + 1, 3))
    for i in range(len(codes)):
        for part in range(3):
            found[codes[i] + 1, part] += rows[i, part]
    for c in range(n_codes):
        for part in range(3):
            found[c + 1, part] += found[c, part]
    return found


@machine_code()
def _in_span(running, span, part):  # type: ignore[no-untyped-def]
    """Sum one part of the rows in the two stretches of cells of a condition."""
    first = running[span[1], part] - running[span[0], part]
    return first + running[span[3], part] - running[span[2], part]


@machine_code(F1(CELLS, I1, nb.float64))
def gains(cells, chosen, unit):  # type: ignore[no-untyped-def]
    """Compute how much the loss falls with each candidate, by one step of Newton's: shape (d,)."""
    types = np.zeros(cells.codes.shape[1], dtype=np.int64)
    holds = _row_types(cells, chosen, types)
    mass, beta = _masses(types, cells.weights, len(holds)), np.zeros(len(chosen) + 1)
    fitted(_as_numbers(holds), mass, beta, np.zeros((len(beta), len(beta))))
    logits = np.zeros(len(holds))
    for t in range(len(holds)):
        logits[t] = beta[len(chosen)]
        for s in range(len(chosen)):
            logits[t] += beta[s] * holds[t, s]
    rows, sums = _row_derivatives(cells, types, logits, unit)
    found, known = np.zeros(len(cells.source)), -1
    running = np.zeros((1, 3))
    for j in range(len(found)):
        f = cells.source[j]
        if f != known:
            running, known = _running_sums(cells.codes[f], rows, cells.n_codes[f]), f
        span, limits = cells.spans[j], cells.limits[j]
        residual, curved = _in_span(running, span, 0), _in_span(running, span, 1)
        if (residual > 0 and limits[1] < 1) or (residual < 0 and limits[0] > -1):
            continue
        middle = sums[1] / sums[0]
        bend, joint = sums[2] - sums[1] * middle, _in_span(running, span, 2) - middle * curved
        curvature = curved - curved * curved / sums[0]
        if bend > 1e-9 * sums[0]:
            curvature -= joint * joint / bend
        if curvature > 1e-7 * sums[0]:
            found[j] = residual * residual / (2.0 * curvature)
    return found
