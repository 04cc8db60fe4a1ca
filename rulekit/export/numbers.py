"""Counts that stand beside clauses in the formats people read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ClauseNumbers:
    """What one clause is worth on one set of rows.

    Attributes
    ----------
    n : int
        Rows that the clause matches.
    n_right : int
        How many of these truly have the label it stands for.
    low, high : float
        95 % Wilson interval of the share, from 0 to 1.
    where : str
        Which rows were counted: "training" or "test".
    """

    n: int
    n_right: int
    low: float
    high: float
    where: str = "training"

    @property
    def sentence(self) -> str:
        """The counts in words."""
        if self.n == 0:
            return f"no {self.where} row matches"
        share = 100 * self.n_right / self.n
        span = f"95 % interval {100 * self.low:.0f}-{100 * self.high:.0f} %"
        return f"right for {self.n_right} of {self.n} {self.where} rows ({share:.0f} %, {span})"
