"""All exceptions and warnings of the library.

::

    RulekitError
    ├── DataError        the table cannot be used as it is: file, row or column is named
    │   └── WideTableError   it has more columns than are read at once; it lists their names
    ├── RuleError        a rule is malformed, or does not fit the columns it is given
    ├── ExportError      a rule cannot be written in the requested format
    ├── StoppedError     the caller stopped long work
    └── SolverError      a program is infeasible, unbounded or failed numerically
        └── TimeLimitError   a program was not solved in the time it was given

Wrong parameters stay `ValueError`. A message says what must hold, what was found, and
what to do.
"""

from collections.abc import Sequence


class RulekitError(Exception):
    """Base of every error this library raises on purpose."""


class DataError(RulekitError, ValueError):
    """The table cannot be used in its present form."""


class WideTableError(DataError):
    """A file has more columns than can be read at once; some can be selected from `names`."""

    def __init__(self, sentence: str, names: Sequence[str] = ()):
        super().__init__(sentence)
        self.names = tuple(names)


class RuleError(RulekitError, ValueError):
    """A rule is malformed, or does not fit the given columns."""


class ExportError(RulekitError, ValueError):
    """A rule cannot be written in the requested format."""


class StoppedError(RulekitError):
    """Long work was stopped at the caller's request."""


class SolverError(RulekitError, RuntimeError):
    """A linear or integer program could not be solved."""


class TimeLimitError(SolverError):
    """A program was not solved within its time limit."""


class DataWarning(UserWarning):
    """Columns of a table are not used, or values that do not fit their column count as missing."""


class UnseenValuesWarning(UserWarning):
    """A table has levels, gaps or values far out of range that no training row had."""


class EmptyRuleWarning(UserWarning):
    """A learned rule has no condition and predicts one class for every row."""


class MonotonicityWarning(UserWarning):
    """A learned rule omits a column because its monotonicity could not be proved."""
