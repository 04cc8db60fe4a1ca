"""Few columns for a plane, and where along its normal it may be placed."""

#   Z        rows in standard units, shape (n, p)
#   signed   (n,) the weight of each row, above 0 for class 1 and below 0 for class 0
#
# Columns are added one after the other, those whose plane gets least wrong: the plane of a set of
# columns is Fisher's discriminant, placed where the weight of wrong rows is least. The path of the
# 1-norm machine (`half_space.LPSVMProgram`) gives one more set of each size, since Fisher's
# discriminant is blind to classes that differ in spread alone.

import numpy as np

from rulekit._sums import solve_systems
from rulekit.families.hyperplane.solver.half_space import Floats, LPSVMProgram

Columns = tuple[int, ...]
WIDTH = 3  # sets of one size that are continued
RIDGE = 1e-6  # of the variance of a column, so that the covariance of equal columns has an inverse
PATH = np.geomspace(0.3, 30.0, 25)  # prices, as multiples of 1 / weight of the smaller class
PLACES = 7  # of a plane along its normal,
REACH = 0.08  # as far as this share of the rows from where least is wrong


def column_sets(Z: Floats, signed: Floats, size: int) -> list[Columns]:
    """List sets of `size` columns whose planes separate the classes well, without repetition."""
    sets = dict.fromkeys(_forward(Z, signed, size))
    program = LPSVMProgram(Z, np.sign(signed), np.abs(signed))
    least = min(signed[signed > 0].sum(), -signed[signed < 0].sum())
    for price in PATH / least:
        columns = tuple(np.flatnonzero(program.solve(float(price)).w).tolist())
        if len(columns) > size:
            break
        if len(columns) == size:
            sets[columns] = None
    return list(sets)


def _forward(Z: Floats, signed: Floats, size: int) -> list[Columns]:
    """Add columns one after the other, keeping the `WIDTH` best sets of each size."""
    within, apart = _moments(Z, signed)
    best: list[Columns] = [()]
    for _ in range(min(size, Z.shape[1])):
        longer = {tuple(sorted({*s, j})) for s in best for j in range(Z.shape[1]) if j not in s}
        sets = np.array(sorted(longer))
        normals = solve_systems(within[sets[:, :, None], sets[:, None, :]], apart[sets][:, :, None])
        wrong = [
            least_wrong((Z[:, s] * normal).sum(axis=1), signed)
            for s, normal in zip(sets, normals[:, :, 0], strict=True)
        ]
        order = np.argsort(np.round(wrong, 9), kind="stable")[:WIDTH]
        best = [tuple(s) for s in sets[order].tolist()]
    return best


def _moments(Z: Floats, signed: Floats) -> tuple[Floats, Floats]:
    """Compute the pooled covariance of columns (p, p) and the difference of class means (p,)."""
    share = np.abs(signed) / np.abs(signed).sum()
    means, within = [], RIDGE * np.eye(Z.shape[1])
    for rows in (signed > 0, signed < 0):
        part, weight = Z[rows], share[rows]
        means.append(np.einsum("n,nj->j", weight, part) / weight.sum())
        centred = part - means[-1]
        within = within + np.einsum("ni,nj->ij", centred * weight[:, None], centred)
    return within, means[0] - means[1]


def least_wrong(values: Floats, signed: Floats) -> float:
    """Return the least weight of wrong rows if class 1 is where values exceed some bound."""
    return float(_wrong_above(values, signed)[1].min())


def _wrong_above(values: Floats, signed: Floats) -> tuple[Floats, Floats]:
    """Return bounds between different values, and the weight of wrong rows for each."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    wrong = np.cumsum(signed[order]) - signed[signed < 0].sum()
    last = np.flatnonzero(ordered[:-1] < ordered[1:])
    if not len(last):
        return ordered[:1], np.array([np.inf])
    return ordered[last] / 2 + ordered[last + 1] / 2, wrong[last]


def places(values: Floats, signed: Floats) -> list[float]:
    """List bounds along a plane's normal, around the one with the least weight of wrong rows."""
    bounds, wrong = _wrong_above(values, signed)
    centre, ordered = bounds[wrong.argmin()], np.sort(values)
    at = np.searchsorted(ordered, centre)
    steps = np.round(np.linspace(-REACH, REACH, PLACES) * len(values)).astype(int)
    near = ordered[np.clip(at + steps, 0, len(values) - 1)]
    positions = np.clip(np.searchsorted(bounds, near), 0, len(bounds) - 1)
    return list(dict.fromkeys(bounds[[int(wrong.argmin()), *positions]].tolist()))


def standardise(rows: Floats) -> Floats:
    """Bring columns to mean 0 and standard deviation 1; constant ones to 0."""
    spread = rows.std(axis=0)
    return np.asarray((rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
