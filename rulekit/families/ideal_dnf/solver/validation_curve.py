"""How many columns to read: the ideal classifier of 1, 2, ... columns, evaluated on held-out rows.

::

    counts   [part, type, class], see `row_types`; part 0 trains, part 1 judges
    K        length of a ranking; k of 1 .. K columns are its first k
    score    one way to rank the columns; its number is its place in the list of rankings

One table of counts a ranking answers for every k: leaving out the last column adds neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rulekit.families.ideal_dnf.solver.row_types import Counts, least_errors, majority, without_last


@dataclass(frozen=True)
class ValidationCurve:
    """Validation results of every number of columns of every ranking.

    Shapes: right (K, number of rankings).
    """

    right: Counts
    errors: Counts
    n_held_out: Any

    @property
    def max_columns(self) -> int:
        """Largest number of columns, K."""
        return len(self.right)

    def best_ranking(self, k: int) -> int:
        """Return the ranking whose first k columns do best; of equally good ones the first."""
        return int(np.argmax(self.right[k - 1]))

    def best_right(self, k: int) -> Any:
        """Count the held-out rows that the best k columns answer rightly."""
        return self.right[k - 1].max()

    def smallest_sufficient(self, tolerance: float, max_columns: int) -> int:
        """Choose the smallest k that is nearly as good as the best."""
        last = min(max_columns, self.max_columns)
        best = max((self.best_right(k) for k in range(1, last + 1)), default=0)
        for k in range(1, last + 1):
            loss = best - self.best_right(k)
            if loss == 0 or _below(loss, tolerance, self.n_held_out):
                return k
        return 0


def validation_curve(counts: Sequence[Counts]) -> ValidationCurve:
    """Evaluate the ideal classifiers of all rankings and numbers of columns.

    Shapes: counts (2, 2**K, 2).

    Notes
    -----
    O(2**K) for each ranking, whatever the number of rows.

    References
    ----------
    .. [1] R. Jaakkola, T. Janhunen, A. Kuusisto, M. F. Rankooh, M. Vilander, "Interpretable
       classifiers for tabular data via feature selection and discretization" (2024), section 3,
       steps 3 to 6.
    """
    right, errors = zip(*(_one_curve(table) for table in counts), strict=True)
    total = counts[0][1].sum().item()
    return ValidationCurve(np.array(right).T, np.array(errors).T, total)


def _one_curve(table: Counts) -> tuple[list[Any], list[Any]]:
    """Evaluate k = 1 .. K columns of one ranking."""
    right, errors = [], []
    for _ in range(int(table.shape[1]).bit_length() - 1):
        training, held_out = table
        # the training part says what each type is answered, the other part how often that is right
        answer = majority(training).astype(int)
        right.append(np.take_along_axis(held_out, answer[:, None], axis=1).sum())
        errors.append(least_errors(training))
        table = without_last(table)
    return right[::-1], errors[::-1]


def _below(loss: Any, tolerance: float, total: Any) -> bool:
    """Compare a loss of rows with a share of all rows; exactly where rows are whole."""
    if isinstance(loss, (int, np.integer)):
        return Fraction(int(loss)) < Fraction(str(tolerance)) * int(total)
    return float(loss) < tolerance * float(total)
