"""Units of numbers: which ones convert into each other with certainty."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

SHARE = "shares"  # the unit of percentages that are read as 0.12
PERCENT = ("%", SHARE)
#: A line for each quantity, the units with their size; currencies do not convert.
_QUANTITIES = (
    "shares=1 %=1/100 ‰=1/1000 ppm=1e-6 ppb=1e-9 bp=1e-4 bps=1e-4",
    "t=1000 kg=1 g=1e-3 mg=1e-6 µg=1e-9 μg=1e-9 ug=1e-9 ng=1e-12 lb=0.45359237 lbs=0.45359237",
    "km=1000 m=1 cm=1e-2 mm=1e-3 µm=1e-6 μm=1e-6 nm=1e-9",
    "l=1 dl=0.1 cl=0.01 ml=1e-3 µl=1e-6",
    "ms=1e-3 s=1 sec=1 secs=1 min=60 mins=60 h=3600 hr=3600 hrs=3600 d=86400 days=86400 w=604800",
    "W=1 kW=1e3 MW=1e6",
    "Wh=1 kWh=1e3 MWh=1e6",
    "Pa=1 hPa=100 mbar=100 kPa=1000 bar=1e5",
    "y=1 yr=1 yrs=1 years=1",
    "€=1 EUR=1",
)
_SIZES = [
    {unit: Fraction(size) for unit, _, size in (part.partition("=") for part in line.split())}
    for line in _QUANTITIES
]


def unit_ratio(unit: str, other: str) -> Fraction | None:
    """Return what numbers in a unit are multiplied by to be in another; None if not certain."""
    unit, other = (name.replace("L", "l") for name in (unit, other))
    if unit == other:
        return Fraction(1)
    sizes = next((sizes for sizes in _SIZES if unit in sizes and other in sizes), None)
    return None if sizes is None else sizes[unit] / sizes[other]


def multiply(values: ArrayLike, ratio: Fraction) -> NDArray[np.float64]:
    """Return numbers times a ratio, 3 g as the 0.003 kg that a file would have."""
    return np.asarray(values, dtype=np.float64) * ratio.numerator / ratio.denominator
