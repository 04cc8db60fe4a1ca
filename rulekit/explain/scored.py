"""Scoring of new cases: predictions, deciding clauses, drift, and past and present error."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rulekit.data import DriftNote, Table, compare_tables
from rulekit.data.columns.report import NOTHING, Report
from rulekit.data.matching import describe_numbers, match_units
from rulekit.data.typed import as_pandas
from rulekit.exceptions import DataError
from rulekit.explain.row import Explanation, explain
from rulekit.explain.similar import deciding_clause
from rulekit.explain.subject import columns_for
from rulekit.rules import Columns, RuleSet
from rulekit.rules.condition import ReadColumns, take_rows
from rulekit.rules.rule_set import rule_of
from rulekit.rules.schema import Schema
from rulekit.style.phrases import PLAIN, Wording, join_list
from rulekit.style.scorecard import clause_names
from rulekit.style.wording import percent, plural

LEVEL = 0.01  # share of unchanged rules for which a drop is reported by chance
CHUNK = 500  # cases between two words on how far it is


@dataclass(frozen=True)
class Figures:
    """Error counts in training and on new cases; `chance` is Fisher's one-sided p-value."""

    clause: int
    n_then: int
    right_then: int
    n_now: int
    right_now: int

    @cached_property
    def chance(self) -> float:
        """Probability that chance alone makes the error at least this much worse."""
        from scipy.stats import fisher_exact  # slow to import

        wrong_then, wrong_now = self.n_then - self.right_then, self.n_now - self.right_now
        counts = [[self.right_then, wrong_then], [self.right_now, wrong_now]]
        return float(fisher_exact(counts, alternative="greater").pvalue)

    @property
    def worse(self) -> bool:
        """Whether the error is worse than chance explains."""
        return self.chance < LEVEL

    @property
    def can_be_worse(self) -> bool:
        """Whether the new cases are enough: the error would be worse if all were wrong."""
        return replace(self, right_now=0).chance < LEVEL


@dataclass(frozen=True, eq=False)
class Scored:
    """Predictions of a rule for new cases.

    Attributes
    ----------
    answers : ndarray of object, shape (n,)
    clauses : ndarray of int, shape (n,)
        The deciding clause, from 1; 0 if none holds. In a CNF the first that fails.
    missing : ndarray of int, shape (n,)
        For rows that no clause decides, how many conditions the nearest clause lacks; 0 elsewhere.
    drift : tuple of DriftNote
        How the new table differs from the one the rule was learned from; empty if that was not
        given.
    figures : tuple of Figures
        The whole rule, then its clauses; empty unless outcomes are known for both tables.
    report : Report
        Levels, values out of range and gaps that no training row had, by column.
    """

    model: Any
    X: Any
    answers: NDArray[Any]
    clauses: NDArray[np.intp]
    missing: NDArray[np.intp]
    drift: tuple[DriftNote, ...]
    figures: tuple[Figures, ...]
    report: Report = NOTHING
    _training: Any = None
    wording: Wording = PLAIN
    _immutable: Collection[str] = ()

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def sentence(self) -> str:
        """Whether the rule still holds, in one sentence; empty without known outcomes."""
        if not self.figures:
            return ""
        whole = self.figures[0]
        wrong_now, wrong_then = whole.n_now - whole.right_now, whole.n_then - whole.right_then
        if not whole.can_be_worse:
            counted = f"wrong for {wrong_now:,} of {plural(whole.n_now, 'case')}"
            return f"Too few cases to show whether the rule still holds: {counted}."
        comparison = (
            f"wrong for {percent(wrong_now / max(1, whole.n_now))} of these {whole.n_now:,} cases, "
            f"before for {percent(wrong_then / max(1, whole.n_then))} of {whole.n_then:,}"
        )
        if whole.worse:
            return f"The rule no longer holds as it did: {comparison}, more than chance explains."
        names = clause_names(rule_of(self.model))
        worse = [names[f.clause - 1] for f in self.figures[1:] if f.worse]
        if worse:
            which = f"{join_list(worse)} {'are' if len(worse) > 1 else 'is'}"
            return f"The rule still holds as a whole ({comparison}), but {which} wrong more often."
        return f"The rule still holds: {comparison}, no more than chance explains."

    def explain_rows(self, rows: Sequence[int]) -> list[Explanation]:
        """Explain some rows, by position."""
        part = columns_for(self.model, self.X.iloc[list(rows)])
        options = {"training": self._training, "immutable": self._immutable}
        return explain(self.model, part, wording=self.wording, **options)

    def table(
        self, *, changes: bool = False, progress: Callable[[float], Any] | None = None
    ) -> pd.DataFrame:
        """Return one row per case: prediction, clause, missing conditions, smallest change.

        The index is that of the new table. With `changes` the smallest change of every row is
        computed, equal rows once (about a millisecond each); `progress` receives the share done.
        """
        columns: dict[str, Any] = {"answer": self.answers, "clause": self.clauses}
        columns["missing"] = self.missing
        if changes:
            read = pd.DataFrame(dict(_read(self.model, self.X)))
            alike = pd.util.hash_pandas_object(read, index=False).to_numpy()
            first, places = np.unique(alike, return_index=True, return_inverse=True)[1:]
            sentences: list[str] = []
            for rows in np.array_split(first, -(-len(first) // CHUNK)):
                sentences += [e.counterfactual.sentence for e in self.explain_rows(rows.tolist())]
                if progress is not None:
                    progress(len(sentences) / len(first))
            columns["smallest change"] = [sentences[k] for k in places]
        return pd.DataFrame(columns, index=self.X.index)


def score(  # noqa: PLR0913  all but two by keyword
    model: Any,
    table: Table | pd.DataFrame,
    *,
    reference: Table | pd.DataFrame | None = None,
    outcomes: ArrayLike | None = None,
    before: tuple[Any, ArrayLike] | None = None,
    training: Any = None,
    wording: Wording = PLAIN,
    immutable: Collection[str] = (),
) -> Scored:
    """Apply a rule to new cases.

    Parameters
    ----------
    model : fitted rule model or RuleSet
    table : Table or DataFrame, n rows
        The new cases; columns that the rule does not read are ignored.
    reference : Table or DataFrame, optional
        The table that the rule was learned from; differences are listed in `Scored.drift`.
    outcomes : array-like of shape (n,), optional
        Actual outcomes of the cases; missing where not known yet.
    before : pair of table and outcomes, optional
        Rows to evaluate the rule on, preferably held out; with `outcomes` they yield
        `Scored.figures`.
    training, wording, immutable
        As for `rulekit.explain`.

    Raises
    ------
    DataError
        If there are no rows, a column that the rule reads is missing or has another type than
        before, or `outcomes` has another length.

    Warns
    -----
    UnseenValuesWarning, DataWarning
        As `predict` does; `Scored.report` has the same as data.

    Notes
    -----
    Linear in rows times conditions; smallest changes are computed on first access.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulekit.rules import Clause, Literal, RuleSet
    >>> rule = RuleSet((Clause((Literal("glucose", ">", 126),)),), ("ill",), "dnf", "well")
    >>> found = score(rule, pd.DataFrame({"glucose": [141, 90]}), outcomes=["ill", "ill"])
    >>> found.answers.tolist(), found.clauses.tolist(), found.missing.tolist()
    (['ill', 'well'], [1, 0], [0, 1])
    """
    rule = rule_of(model)
    table = _match_units(table, rule, reference)
    X = table.frame if isinstance(table, Table) else as_pandas(table)
    if not len(X):
        raise DataError("There is nothing to score: the table has no rows.")
    try:
        read = columns_for(model, X)
    except DataError as error:
        raise DataError(f"The rule cannot predict these cases. {error}") from error
    columns = ReadColumns((name, read[name]) for name in rule.features) or read
    drift: tuple[DriftNote, ...] = ()
    if reference is not None:
        names = tuple(name for name in columns if name)
        drift = compare_tables(reference, table, columns=names)
        if retyped := [note.column for note in drift if note.kind == "retyped"]:
            then = as_pandas(reference.frame if isinstance(reference, Table) else reference)
            dated = {n for n in retyped if then[n].dtype.kind == "M"}  # compared as they were read
            cells = {n: pd.to_datetime(columns[n]) if n in dated else columns[n] for n in retyped}
            frame = X.set_axis(list(map(str, X.columns)), axis=1).assign(**cells)
            drift = compare_tables(reference, frame, columns=names)
        if blocking := [note.sentence for note in drift if note.blocks]:
            raise DataError(f"The rule cannot predict these cases. {' '.join(blocking)}")
    read.report.drop({note.column for note in drift}).warn(stacklevel=2)
    deciding = deciding_clause(rule.as_dnf, columns)
    answers = np.asarray(rule.predict(columns), dtype=object)
    figures: tuple[Figures, ...] = ()
    if outcomes is not None:
        truth = np.asarray(outcomes, dtype=object)
        if len(truth) != (n := len(X)):
            raise DataError(f"`outcomes` has {len(truth)} values for {n} rows. Give one a row.")
        if before is not None:
            figures = _figures(model, columns, truth, before)
    lacking = [(~c.condition_masks(columns)).sum(axis=1) for c in rule.as_dnf.clauses]
    missing = np.where(deciding < 0, np.min(lacking, axis=0), 0) if lacking else 0 * deciding
    found, wording = (deciding + 1, missing, drift, figures, read.report), wording.for_rule(rule)
    return Scored(model, X, answers, *found, training, wording, immutable)


def _read(model: Any, X: Any) -> Columns:
    """Return the columns that the rule reads; all of them if it reads none."""
    columns = columns_for(model, X)
    return ReadColumns((name, columns[name]) for name in rule_of(model).features) or columns


def _match_units(table: Any, rule: RuleSet, reference: Any) -> Any:
    """Return a table in the units of the rule and of an earlier table."""
    if not isinstance(table, Table):
        return table
    table = match_units(table, rule.schema or Schema())
    then = describe_numbers(reference, rule.features) if isinstance(reference, Table) else Schema()
    return match_units(table, then)


def _figures(
    model: Any, columns: Columns, truth: NDArray[Any], before: tuple[Any, ArrayLike]
) -> tuple[Figures, ...]:
    """Count errors in training and now; rows with unknown outcome are left out."""
    known, rule, counts = ~pd.isna(truth), rule_of(model), []
    then, y_then = _read(model, before[0]), np.asarray(before[1], dtype=object)
    for c, y in ((then, y_then), (take_rows(columns, known), truth[known])):
        deciding = deciding_clause(rule.as_dnf, c)
        by_clause = ((y[deciding == k], label) for k, label in enumerate(rule.as_dnf.labels))
        pairs = [(y, rule.predict(c)), *by_clause]
        counts.append([(len(actual), int((actual == v).sum())) for actual, v in pairs])
    return tuple(Figures(k, *a, *b) for k, (a, b) in enumerate(zip(*counts, strict=True)))
