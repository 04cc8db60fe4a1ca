"""Where a single column would have to go for a power-law split to change its answer."""

from collections.abc import Mapping

import numpy as np

from rulekit.rules.power_law_split import Factor, PowerLawSplit

IMAGINARY = 1e-7  # imaginary part, relative to the size of a root, that is rounding


def crossings(split: PowerLawSplit, feature: str, values: Mapping[str, float]) -> tuple[float, ...]:
    """Find the values of one column at which the sum meets a bound, all others kept.

    Parameters
    ----------
    split : PowerLawSplit
    feature : str
        One of its columns.
    values : mapping of str to float
        The row's values in the other columns of the split.

    Returns
    -------
    tuple of float
        Ascending, but for rounding; on the flat part below a floor there are none.

    Notes
    -----
    In one column the sum is a polynomial over a power of it, so its roots are eigenvalues.

    Examples
    --------
    >>> from rulekit.rules import PowerLaw
    >>> area = PowerLawSplit((PowerLaw(1.0, (Factor("a", 2), Factor("b"))),), 12.0)
    >>> [round(place, 9) for place in crossings(area, "a", {"b": 3.0})]
    [-2.0, 2.0]
    """
    own = [f for t in split.terms for f in t.factors if f.feature == feature]
    shifts = {f.shift for f in own}
    found: set[float] = set()
    for shift in shifts:  # nearly always one
        for bound in (split.low, split.high):
            if bound is not None and len(shifts) == 1:
                found |= {x + shift for x in _roots(split, feature, values, bound)}
    floor = max((f.floor for f in own if f.floor is not None), default=-np.inf)
    return tuple(sorted(x for x in found if x > floor))


def _roots(
    split: PowerLawSplit, feature: str, values: Mapping[str, float], bound: float
) -> list[float]:
    """Real roots of the sum less a bound, in the column less its shift."""
    coefficients: dict[int, float] = {0: -bound}
    for term in split.terms:
        exponent, rest = 0, term.weight
        for factor in term.factors:
            if factor.feature == feature:
                exponent = factor.exponent
            else:
                rest *= _base(factor, values[factor.feature]) ** factor.exponent
        coefficients[exponent] = coefficients.get(exponent, 0.0) + rest
    lowest, highest = min(coefficients), max(coefficients)
    polynomial = [coefficients.get(k, 0.0) for k in range(highest, lowest - 1, -1)]
    if not np.isfinite(polynomial).all():
        return []
    roots = np.roots(polynomial)
    real = np.abs(roots.imag) <= IMAGINARY * np.maximum(np.abs(roots), 1e-300)
    return [float(x) for x in roots[real].real if x != 0]


def _base(factor: Factor, value: float) -> float:
    return float(factor.base(np.array([value]))[0])
