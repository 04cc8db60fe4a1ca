"""The best possible Boolean rule over a few chosen conditions, by counting."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rulekit._validation import Interval, StrOptions, class_factors
from rulekit.binning import Binarizer
from rulekit.data import Costs
from rulekit.exceptions import DataError
from rulekit.families.family import Family
from rulekit.families.ideal_dnf.counts import counted_types
from rulekit.families.ideal_dnf.formula import MODES, IdealFormula
from rulekit.families.ideal_dnf.model import CountedRuleClassifier
from rulekit.families.ideal_dnf.search import CountPlan, Search, search_table
from rulekit.families.ideal_dnf.solver.prime_implicants import MAX_COLUMNS
from rulekit.learners.base import CLASS_PARAMETERS
from rulekit.learners.from_table.fit import check_limits
from rulekit.learners.from_table.rows import Parts, TableRows
from rulekit.learners.training import (
    SharedWork,
    TrainingTable,
    as_constraints,
    generator_of,
    unchanged_on_failure,
)
from rulekit.rules.constraints import Constraints
from rulekit.style.wording import plural

SAMPLE_ROWS = 2**18
DEPTH = 10  # conditions that are always ranked, so that settings can share one search


class IdealDNFClassifier(CountedRuleClassifier):
    """Select a few conditions, count, and write the best formula over them.

    Numeric columns become one condition each, "above the median". Conditions are ranked by how well
    each alone predicts the class; for the first 1, 2, ... of each ranking the best formula is
    counted and evaluated on held-out rows; the fewest conditions that do nearly as well as any are
    counted again on all rows. The rule is the shortest disjunctive normal form of the result.

    Parameters
    ----------
    max_variables : int, default=10
        Conditions the formula may read, at most 12.
    tolerance : float, default=0.01
        Share of held-out rows that may be lost against the best number of conditions.
    mode : {"compact", "paper"}, default="compact"
        Prediction for types of cases that do not occur, or occur with both classes equally
        often: whatever makes the formula shorter, or always `default_label_`. The training error
        is the same.
    positive_label : label, default=None
        The class the rule describes; None for the last of `classes_`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : Costs, default=None
        What wrong answers cost, in place of `class_weight`.
    binarizer : Binarizer, default=None
        Makes the conditions, from the rows that are not held out; None cuts at medians.
    constraints : Constraints or dict, default=None
        Columns that must not appear. Other constraints raise an error, since the formula uses
        its conditions and their negations as the counts require.
    random_state : int, RandomState or None, default=None
        Seed of the split.
    time_limit : float, default=None
        Seconds for writing the formula short; None is 3. When they pass, the shortest found so
        far is kept, with a `ConvergenceWarning`; it answers the same.

    Attributes
    ----------
    rule_set_ : RuleSet
        The formula.
    classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, \
n_rules_, n_conditions_, training_error_
        As in `TwoLevelRuleClassifier`.
    conditions_ : tuple of Literal
        The chosen conditions, the most telling first.
    score_ : str or None
        The ranking they come from.
    validation_curve_ : DataFrame
        A row for each number of conditions `k`: `accuracy` on the held-out rows of the best
        ranking, its `score`, the accuracy of each ranking, `training_errors`, `chosen`.
    n_held_out_ : int or float
        Rows held out.
    types_ : DataFrame
        A row for each type of cases that occurs: its answers to `conditions_`, the rows of
        `positive_label_` and of the other class, and what the formula answers.
    objective_, lower_bound_ : float
        Training errors, in rows: no formula over `conditions_` has fewer.
    proved_optimal_ : bool
        True: that is what counting shows.
    proved_shortest_ : bool
        Whether no formula of the same answers has fewer clauses and literals together.
    history_ : list of dict
        The rows of `validation_curve_`.
    empty_rule_hint_ : str or None
        For a rule without conditions, why.

    Notes
    -----
    The split is a hash of the row's number and the seed. A column
    is cut at its lower middle value, ``x > median``; a column of two values is Boolean and is not
    cut; a missing value is a condition of its own. Where a column had no gaps in training, a gap
    meets neither a condition on it nor its negation.

    O(n p) for n rows and p columns, whatever `max_variables`. `fit_table` learns from tables that
    stay in a database.

    References
    ----------
    .. [1] R. Jaakkola, T. Janhunen, A. Kuusisto, M. F. Rankooh, M. Vilander, "Interpretable
       classifiers for tabular data via feature selection and discretization" (2024).

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [30, 34, 32, 70, 35, 65] * 5, "smoker": [1, 1, 0, 0, 0, 0] * 5})
    >>> y = ["ill", "ill", "well", "ill", "well", "ill"] * 5
    >>> print(IdealDNFClassifier(positive_label="ill", random_state=0).fit(X, y))
    ill if
           (age > 34)
        OR (smoker == 1)
    else well
    """

    _renamed: ClassVar[dict[str, str]] = {"max_features": "max_variables"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_variables": [Interval(Integral, 1, MAX_COLUMNS, closed="both")],
        "tolerance": [Interval(Real, 0, 1, closed="left")],
        "mode": [StrOptions(set(MODES))],
        **CLASS_PARAMETERS,
        "binarizer": [Binarizer, None],
        "constraints": [Constraints, Mapping, None],
        "random_state": ["random_state"],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        max_variables: int = 10,
        tolerance: float = 0.01,
        mode: str = "compact",
        positive_label: Any = None,
        class_weight: Any = None,
        costs: Costs | None = None,
        binarizer: Binarizer | None = None,
        constraints: Constraints | Mapping[str, Any] | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ):
        self.max_variables = max_variables
        self.tolerance = tolerance
        self.mode = mode
        self.positive_label = positive_label
        self.class_weight = class_weight
        self.costs = costs
        self.binarizer = binarizer
        self.constraints = constraints
        self.random_state = random_state
        self.time_limit = time_limit

    @unchanged_on_failure
    def fit_table(
        self,
        table: Any,
        target: str,
        features: Sequence[str] | None = None,
        *,
        key: str | None = None,
        sample_rows: int = SAMPLE_ROWS,
        on_progress: Callable[[float, str], None] | None = None,
    ) -> Self:
        """Choose conditions on a sample of a table of any size, and count them on every row.

        Parameters
        ----------
        table : ibis.Table
            The table, in any engine that ibis speaks to; see `rulekit.data.tables.open_table` for
            files.
        target : str
            The column of the class; no cell of it may be missing.
        features : sequence of str, optional
            The columns to learn from; None for all others but `key`.
        key : str, optional
            A column whose hash draws the rows: rows of one value are drawn together. None hashes
            the whole row.
        sample_rows : int, default=262144
            About how many rows the conditions and their cuts are chosen on. A smaller table is
            read whole.
        on_progress : callable, optional
            Called with the share done, from 0 to 1, and what is being done. An error it raises,
            such as `StoppedError`, ends the work between two questions to the engine.

        Returns
        -------
        self
            As after `fit` on the sample, but the formula is the best one over `conditions_` for all
            rows: `types_`, `objective_`, `training_error_` and the probabilities are counts of the
            whole table.

        Raises
        ------
        DataError
            If the table cannot be used, or its engine cannot count it; the column is named.
        ValueError
            If a parameter is not allowed.

        Notes
        -----
        Three scans of the table: the classes, the sample, and the types of the chosen conditions.
        """
        self._check()
        check_limits(sample_rows=sample_rows)
        report = on_progress or (lambda share, message: None)
        seed = int(generator_of(self.random_state).integers(2**31))
        report(0.0, "Counting the classes")
        rows = TableRows(table, target, features, Parts(key, 0.0, seed))
        if len(rows.classes) != 2:
            shown = ", ".join(repr(label) for label in rows.classes[:5].tolist())
            raise DataError(
                f"The class {target!r} must take two values; it takes {len(rows.classes)} "
                f"({shown}). Add a column that marks one class against the rest."
            )
        report(0.3, "Drawing a sample")
        frame, codes, _ = rows.drawn(1, np.full(2, min(1.0, sample_rows / rows.n_rows)))
        if len(np.unique(codes)) < 2:
            raise DataError(
                f"All {len(frame):,} rows of the sample are of one class of {target!r}; it holds "
                f"{int(rows.sizes.sum(axis=0).min()):,} rows of the other. Raise `sample_rows`."
            )
        report(0.5, f"Choosing conditions on {len(frame):,} rows")
        self._fit_quietly(frame, rows.classes[codes])
        report(0.7, "Counting the types of cases on all rows")
        self._formula = self._counted(rows)
        self.n_rows_ = rows.n_rows
        self._keep_formula(self.mode)
        report(1.0, "Counted")
        self._warn()
        return self

    def _counted(self, rows: TableRows) -> IdealFormula:
        """Count the types of the chosen conditions on all rows of a table, by one GROUP BY."""
        formula, labels = self._formula, rows.classes.tolist()
        order = [labels.index(self.default_label_), labels.index(self.positive_label_)]
        pairs, counts = counted_types(rows, formula.pairs)
        factors = class_factors(
            self._class_weight(rows.classes), rows.classes, rows.sizes.sum(axis=0).tolist()
        )
        seen = counts[:, order]
        weights = (1.0, 1.0) if factors is None else (factors[order[0]], factors[order[1]])
        weighed = seen if factors is None else seen * np.array(weights)
        return replace(formula, pairs=pairs, counts=weighed, rows=seen, factors=weights, _forms={})

    def _check(self) -> None:
        super()._check()
        constraints = as_constraints(self.constraints)
        if replace(constraints, forbidden=()) != Constraints() or not _are_names(
            constraints.forbidden
        ):
            raise ValueError(
                "`constraints` of an ideal DNF can only forbid whole columns. Remove the other "
                "constraints, or use `TwoLevelRuleClassifier`."
            )

    def _plan(self, shared: SharedWork) -> CountPlan:
        """Store the classes, and return how to count the rows."""
        positive = self._note_classes(self.classes_, self._kinds, self.positive_label)
        seed = int(shared.generator(self.random_state).integers(2**32))
        return CountPlan(
            positive,
            DEPTH if self.max_variables <= DEPTH else MAX_COLUMNS,
            seed,
            self._class_weight(self.classes_),
            self.binarizer,
            self._forbidden(),
        )

    def _forbidden(self) -> tuple[str, ...]:
        """List the forbidden columns; an unknown one is rejected."""
        names = tuple(str(name) for name in as_constraints(self.constraints).forbidden)
        unknown = [name for name in names if name not in self._kinds]
        if unknown:
            raise DataError(
                f"`constraints` names column {unknown[0]!r}, which the table does not have; "
                "correct the name, or remove the constraint."
            )
        return names

    def _reading_binarizer(self) -> Binarizer | None:
        return self.binarizer

    def _fit_table(self, table: TrainingTable, shared: SharedWork) -> None:
        self.classes_, self._kinds = table.classes, table.kinds
        plan = self._plan(shared)
        cutting = self.binarizer
        cutting_key = None if cutting is None else (type(cutting).__name__, cutting.get_params())
        key = joblib.hash((replace(plan, binarizer=None), cutting_key))
        self._choose(shared.once(key, lambda: search_table(table, plan)))

    def _choose(self, search: Search) -> None:
        """Select the number of conditions, count them on all rows, write the rule."""
        self.score_, chosen = search.chosen(self.tolerance, self.max_variables)
        labels = self.positive_label_, self.default_label_
        self._formula = search.formula(chosen, labels, time_limit=self.time_limit)
        self.n_rows_ = search.source.n_rows
        self.n_held_out_ = search.curve.n_held_out
        self.history_ = search.history(self.max_variables, len(chosen))
        self._keep_formula(self.mode)

    def _fit_warnings(self) -> Iterator[Warning]:
        yield from super()._fit_warnings()
        if not self.proved_shortest_:
            yield ConvergenceWarning(
                "The time limit passed before the formula was proved the shortest. The shortest "
                "one found is kept in `rule_set_` and predicts the same for every type of case "
                "that occurs; raise `time_limit` to continue."
            )


def _are_names(items: Sequence[Any]) -> bool:
    return all(isinstance(item, str) for item in items)


CONDITIONS = tuple(range(1, 11))

FAMILY = Family(
    key="ideal",
    model=IdealDNFClassifier(),
    title="ideal DNF",
    default_grid=lambda y: {"max_variables": list(CONDITIONS)},
    command="combinations",
    question="Every combination of a few conditions (ideal DNF, truth table)",
    name="Every combination of a few conditions",
    sentence=(
        "Chooses a few conditions, one for each number, and counts the best formula over them: the "
        "ideal DNF."
    ),
    good_for="a first answer at once, on tables of any size: the most a few conditions can do.",
    ways=(
        "The combination of conditions is learned with 1 to 10 of them; shape, clauses, prices and "
        "rounding do not apply to it, and of the constraints it keeps “must not appear” alone."
    ),
    shape_words=lambda s: [f"at most {plural(s['max_variables'], 'chosen condition')}"],
    at_once=True,
    keeps_monotonic_constraints=False,
)
