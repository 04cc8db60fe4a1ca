"""What a two-level solver hands back: which columns stand in which clause."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClauseSelection:
    """Columns chosen for the clauses of a CNF over the columns of ``A``.

    Attributes
    ----------
    chosen : ndarray of bool, shape (R, d)
        ``chosen[r, j]``: clause r contains column j. A clause without columns is never true.
    disabled : ndarray of bool, shape (R,)
        Clauses that are switched off, hence always true; their row of `chosen` is empty.
    value : float
        The objective of the method that made it; the Hamming objective (3.10) unless said.
    history : tuple of dict
        One dictionary a step.
    lower_bound : float or None
        No selection has a smaller value, where a bound was computed.
    proved : bool
        True when `value` is known to be the optimum.
    """

    chosen: NDArray[np.bool_]
    disabled: NDArray[np.bool_]
    value: float
    history: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    lower_bound: float | None = None
    proved: bool = False

    def __post_init__(self) -> None:
        if self.chosen.ndim != 2 or self.disabled.shape != self.chosen.shape[:1]:
            raise ValueError(
                "`disabled` must hold one flag for each row of `chosen` (clauses by columns); "
                f"their shapes are {self.disabled.shape} and {self.chosen.shape}."
            )
        if self.chosen[self.disabled].any():
            raise ValueError("A disabled clause must not contain columns; clear its row first.")

    @property
    def n_literals(self) -> int:
        """Number of columns over all clauses."""
        return int(self.chosen.sum())
