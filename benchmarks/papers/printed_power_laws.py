"""Figures printed in Dhebar and Deb (2020): Tables I, II, III, V and S4 to S8.

Mean test accuracy in per cent, splits (the paper's #Rules) and rule length, over its 50 runs; None
where the paper prints none. CART's and the SVM's accuracy are the paper's own, too.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperRow:
    """One problem of the paper."""

    table: str
    accuracy: float
    splits: float
    length: float
    cart: float | None
    svm: float | None


PAPER = {
    "DS1": PaperRow("I", 99.55, 1.0, 2.3, 90.32, 98.50),
    "DS2": PaperRow("I", 99.44, 1.0, 2.3, 95.43, 95.24),
    "DS3": PaperRow("I", 99.77, 1.0, 2.2, 95.00, 98.38),
    "DS4": PaperRow("I", 98.88, 1.2, 3.1, 88.68, 97.28),
    "breast_cancer_wisconsin": PaperRow("II", 96.50, 1.0, 6.4, 94.34, 96.64),
    "wdbc": PaperRow("III", 96.20, 1.0, 9.2, 92.11, 97.39),
    "m-ZDT-30": PaperRow("V", 98.96, 1.80, 8.0, 94.78, 82.84),
    "m-DTLZ-30": PaperRow("V", 96.65, 3.12, 19.2, 71.74, 45.86),
    "m-ZDT-500": PaperRow("V", 98.93, 1.78, 10.1, 93.48, 100.00),
    "m-DTLZ-500": PaperRow("V", 93.77, 3.00, 22.8, 58.26, 47.13),
    "truss-6": PaperRow("S5", 99.54, 1.2, 3.3, 98.33, 99.46),
    "truss-9": PaperRow("S4", 99.92, 1.36, 3.1, None, None),
    "beam-1": PaperRow("S6", 99.38, 1.0, 2.6, 99.50, 99.40),
    "beam-10": PaperRow("S6", 98.58, 1.0, 3.9, 97.72, 98.97),
    "ZDT1": PaperRow("S7", 99.66, 1.0, 3.6, 99.59, 99.72),
    "ZDT2": PaperRow("S7", 99.08, 1.6, 21.6, 99.04, 99.21),
    "ZDT3": PaperRow("S7", 99.60, 1.1, 9.7, 99.47, 98.02),
    "iris": PaperRow("S8", 94.80, 2.0, 3.92, 93.69, 96.13),
}
