"""The best possible Boolean rule over a few chosen conditions, by counting."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from math import ceil, log, sqrt
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rulekit._validation import Interval, StrOptions, class_factors
from rulekit.binning import Binarizer
from rulekit.exceptions import DataError
from rulekit.families.family import Family, state_errors
from rulekit.families.ideal_dnf.search import (
    FORWARD,
    MODES,
    SELECTIONS,
    CountPlan,
    IdealFormula,
    count_types,
    search_table,
)
from rulekit.families.ideal_dnf.solver.prime_implicants import MAX_COLUMNS
from rulekit.families.ideal_dnf.solver.row_types import least_errors
from rulekit.learners.base import BaseRuleClassifier
from rulekit.learners.from_table.fit import check_limits
from rulekit.learners.from_table.rows import Parts, TableRows
from rulekit.learners.training import (
    TrainingTable,
    as_constraints,
    constraints_for,
    generator_of,
    restore_on_failure,
)
from rulekit.rules import Literal, RuleSet
from rulekit.rules.constraints import Constraints
from rulekit.style.wording import plural

SAMPLE_ROWS = 2**18
CONDITIONS = tuple(range(1, 11))
DEPTH = 10  # conditions that are always ranked, so that settings can share one search


@dataclass(frozen=True)
class SampleGuarantee:
    """Guarantees that follow from the numbers of rows and conditions.

    All statements together hold with probability `confidence`; `margins` are, for each type that
    occurs, by how many rows one class leads.

    >>> known = SampleGuarantee(n_rows=38_474, n_conditions=3)
    >>> round(known.separation, 4), round(known.excess_error, 3)
    (0.0183, 0.147)
    >>> known.rows_for(0.1)
    82707
    """

    n_rows: int
    n_conditions: int
    confidence: float = 0.95
    margins: tuple[int, ...] = ()

    @property
    def n_types(self) -> int:
        """Number of types that k conditions can distinguish."""
        return int(2**self.n_conditions)

    @property
    def separation(self) -> float:
        """Epsilon: a type whose two shares of all rows differ by this much is decided correctly."""
        return sqrt(2 * self._log / self.n_rows)

    @property
    def margin(self) -> int:
        """Rows by which one class must lead in a type for the lead to be beyond chance."""
        return ceil(self.separation * self.n_rows)

    @property
    def n_settled(self) -> int:
        """Number of types that occur with such a lead."""
        return sum(lead >= self.margin for lead in self.margins)

    @property
    def excess_error(self) -> float:
        """Upper bound on the excess error over the ideal formula, at most 1."""
        return min(1.0, self.separation * self.n_types)

    def rows_for(self, excess_error: float) -> int:
        """Return the number of rows that would lower `excess_error` to a value (Corollary 3.2)."""
        if not 0 < excess_error <= 1:
            raise ValueError(f"`excess_error` must lie in (0, 1], got {excess_error!r}.")
        return ceil(2 * self._log * (self.n_types / excess_error) ** 2)

    @property
    def _log(self) -> float:
        return log(2 ** (self.n_conditions + 2) / (1 - self.confidence))

    def sentences(self) -> list[str]:
        """Return what is guaranteed, what is not, and what it would take, as sentences."""
        sentences = [
            f"{self.n_conditions} condition{'s' if self.n_conditions != 1 else ''} tell apart "
            f"{self.n_types:,} types of cases. With {self.n_rows:,} rows, and with "
            f"{100 * self.confidence:g} % confidence for all types at once, a type is decided as "
            "the best possible formula would decide it wherever one class leads by at least "
            f"{self.margin:,} rows ({100 * self.separation:.3g} % of all)."
        ]
        if self.margins:
            all_settled = self.n_settled == len(self.margins)
            sentences.append(
                f"{self.n_settled} of the {len(self.margins)} types in this table have such a lead"
                + ("." if all_settled else "; for the others it does not settle which is right.")
            )
        if self.excess_error < 1:
            sentences.append(
                f"The formula errs at most {100 * self.excess_error:.3g} percentage points more "
                "often than the best possible formula over these conditions."
            )
        else:
            sentences.append(
                "About the error as a whole nothing is guaranteed: the bound is above 100 %. "
                f"For 10 percentage points it would take {self.rows_for(0.1):,} rows."
            )
        sentences.append(
            "This holds for conditions and cuts fixed before looking; here they were selected from "
            "the same rows, by what each adds to the formula, so the held-out accuracy says more "
            "about this selection."
        )
        return sentences


@dataclass(eq=False, repr=False)
class IdealDNFClassifier(BaseRuleClassifier):
    """Select a few conditions, and build the best formula over them by counting.

    For 1, 2, ... conditions the best formula is counted and evaluated on held-out rows. The
    smallest number of conditions that is nearly as good as any is used, and counted on all rows.
    The rule is the shortest disjunctive normal form of the result.

    Parameters
    ----------
    max_variables : int, default=10
        Largest number of conditions, at most 12.
    tolerance : float, default=0.01
        Share of held-out rows by which a smaller number of conditions may be worse than the best.
    selection : {"forward", "ranking"}, default="forward"
        "forward" adds one condition after another, by what each adds to the formula of all, and
        may exchange an earlier one after each. "ranking" ranks conditions by how well each alone
        predicts the class, as in the paper.
    mode : {"compact", "paper"}, default="compact"
        Prediction for types of cases that do not occur, or occur with both classes equally often:
        whatever makes the formula shorter, or always `default_label_`. The training error is the
        same.
    positive_label, class_weight, costs
        As in `TwoLevelRuleClassifier`; two classes only.
    binarizer : Binarizer, default=None
        Makes the conditions, from rows that are not held out. None is `Binarizer()`, and with
        ``selection="ranking"`` one condition for each numeric column, "above the median", as in the
        paper.
    constraints : Constraints or dict, default=None
        Columns that must not appear; other constraints raise an error.
    random_state : int, RandomState or None, default=None
        Seed of the split.
    time_limit : float, default=None
        Seconds for shortening the formula; None is 3. The shortest formula so far is then kept,
        with a `ConvergenceWarning`; its predictions are the same.

    Attributes
    ----------
    rule_set_ : RuleSet
    classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, \
n_rules_, n_conditions_, training_error_, empty_rule_hint_
        As in `TwoLevelRuleClassifier`.
    conditions_ : tuple of Literal
        The conditions, in the order of their selection.
    score_ : str or None
        Their ranking, or "forward".
    validation_curve_ : DataFrame
        A row for each number of conditions `k`: `accuracy` on the held-out rows (of the best
        ranking), its `score`, the accuracy of each ranking, `training_errors` (on the rows not held
        out), `chosen`.
    n_held_out_ : int or float
        Held-out rows: each of five parts in turn, or with "ranking" 30 % once.
    types_ : DataFrame
        A row for each type of cases that occurs: its answers to `conditions_`, the rows of
        `positive_label_` and of the other class, and the prediction.
    objective_, lower_bound_ : float
        Training errors, in rows; no formula over `conditions_` has fewer.
    proved_optimal_ : bool
        Always True, by counting.
    proved_shortest_ : bool
        Whether no formula with the same predictions has fewer clauses and literals together.
    history_ : list of dict
        The rows of `validation_curve_`.

    Notes
    -----
    The parts follow from a hash of the row's number and the seed. Ties between conditions go to the
    alphabetically first column. If a column has no missing values in training, a missing value
    meets neither a condition on it nor its negation. With ``selection="ranking"`` and no binarizer,
    a column is cut at its lower middle value; a column of two values is not cut; a missing value is
    a condition of its own.

    The cost is O(n d k**2) for n rows (at most 10 000), d conditions and k selected ones; with
    "ranking" O(n d). `fit_table` learns from tables in a database.

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
           (smoker == 1)
        OR (age > 35)
    else well
    """

    history_: list[dict[str, Any]] = field(init=False)
    n_rows_: int = field(init=False)
    conditions_: tuple[Literal, ...] = field(init=False)
    positive_label_: Any = field(init=False)
    _formula: IdealFormula = field(init=False)

    _own_constraints: ClassVar[dict[str, Any]] = {
        "max_variables": [Interval(Integral, 1, MAX_COLUMNS, closed="both")],
        "tolerance": [Interval(Real, 0, 1, closed="left")],
        "mode": [StrOptions(set(MODES))],
        "selection": [StrOptions(set(SELECTIONS))],
    }

    max_variables: int = 10
    tolerance: float = 0.01
    mode: str = "compact"
    _: KW_ONLY
    selection: str = FORWARD
    binarizer: Binarizer | None = None
    random_state: Any = None
    time_limit: float | None = None

    @restore_on_failure
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

        Arguments as in `BoxSearchClassifier.fit_table`; a `key` draws the rows of one value
        together. Conditions and their cuts are chosen on about `sample_rows` rows; a smaller table
        is read whole. The model is as after `fit` on the sample, but the formula is the best one
        over `conditions_` for all rows: `types_`, `objective_`, `training_error_` and the
        probabilities count the whole table. Three scans: the classes, the sample, the types of the
        chosen conditions. DataError, with the column, if the table cannot be used or counted;
        ValueError if a parameter is not allowed.
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
        frame, codes, _ = rows.draw(1, np.full(2, min(1.0, sample_rows / rows.n_rows)))
        if len(np.unique(codes)) < 2:
            raise DataError(
                f"All {len(frame):,} rows of the sample are of one class of {target!r}; it holds "
                f"{int(rows.sizes.sum(axis=0).min()):,} rows of the other. Raise `sample_rows`."
            )
        report(0.5, f"Choosing conditions on {len(frame):,} rows")
        self._fit_quietly(frame, rows.classes[codes])
        report(0.7, "Counting the types of cases on all rows")
        formula, labels = self._formula, rows.classes.tolist()
        order = [labels.index(self.default_label_), labels.index(self.positive_label_)]
        pairs, counts = count_types(rows, formula.pairs)
        sizes = rows.sizes.sum(axis=0).tolist()
        factors = class_factors(self._class_weight(rows.classes), rows.classes, sizes)
        seen = counts[:, order]
        weights = (1.0, 1.0) if factors is None else (factors[order[0]], factors[order[1]])
        weighed = seen if factors is None else seen * np.array(weights)
        self._formula = replace(
            formula, pairs=pairs, counts=weighed, rows=seen, factors=weights, _forms={}
        )
        self.n_rows_ = rows.n_rows
        self._keep_formula()
        report(1.0, "Counted")
        self._warn()
        return self

    def _check(self) -> None:
        super()._check()
        constraints = as_constraints(self.constraints)
        only_names = all(isinstance(item, str) for item in constraints.forbidden)
        if replace(constraints, forbidden=()) != Constraints() or not only_names:
            raise ValueError(
                "`constraints` of an ideal DNF can only forbid whole columns. Remove the other "
                "constraints, or use `TwoLevelRuleClassifier`."
            )

    def _reading_binarizer(self) -> Binarizer | None:
        default = Binarizer() if self.selection == FORWARD else None
        return default if self.binarizer is None else self.binarizer

    def _fit_table(self, table: TrainingTable) -> None:
        positive = self._note_classes(table, self.positive_label)
        forbidden = constraints_for(self.constraints, table, self.positive_label_).forbidden
        depth = DEPTH if self.max_variables <= DEPTH else MAX_COLUMNS
        seed = int(table.generator(self.random_state).integers(2**32))
        settings = self._class_weight(table.classes), self.binarizer
        left_out = tuple(str(name) for name in forbidden if name in table.columns)
        plan = CountPlan(positive, depth, seed, *settings, left_out, self.selection)
        cutting = self.binarizer and (type(self.binarizer).__name__, self.binarizer.get_params())
        key = joblib.hash((replace(plan, binarizer=None), cutting))
        search = table.once(key, lambda: search_table(table, plan))
        self.score_, chosen = search.select_conditions(self.tolerance, self.max_variables)
        labels = self.positive_label_, self.default_label_
        self._formula = search.formula(chosen, labels, time_limit=self.time_limit)
        self.n_rows_ = search.source.n_rows
        self.n_held_out_ = search.curve.n_held_out
        self.history_ = search.history(self.max_variables, len(chosen))
        self._keep_formula()

    def has_seen(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows are of a type that occurred in training: bool, shape (n,).

        Elsewhere the formula's answer rests on no row; so too where a value is missing, or a level
        new, that training rows never lacked or had. `X` is as in `predict`.
        """
        codes, met = self._formula.types_of(self.read_columns(X))
        return np.asarray(met & (self._formula.counts[codes].sum(axis=1) > 0))

    def rule_in_mode(self, mode: str) -> RuleSet:
        """Write the formula in mode "paper" or "compact", whatever `mode` is set to."""
        check_is_fitted(self)
        if mode not in MODES:
            raise ValueError(f"`mode` must be one of {MODES}, got {mode!r}.")
        return self._formula.rule(mode)

    def guarantee(self) -> SampleGuarantee:
        """Return what the number of rows guarantees about the formula.

        The `sentences` of the result are for reading; every number in them is an attribute.
        """
        check_is_fitted(self)
        rows = self._formula.rows
        leads = [] if rows is None else np.abs(rows[rows.any(axis=1)] @ [-1, 1]).tolist()
        return SampleGuarantee(self.n_rows_, len(self.conditions_), margins=tuple(map(int, leads)))

    def _keep_formula(self) -> None:
        """Set the attributes that follow from the counts."""
        formula, mode = self._formula, self.mode
        self.rule_set_ = formula.rule(mode)
        self.n_rules_ = self.rule_set_.n_clauses
        self.n_conditions_ = self.rule_set_.n_conditions
        self._shares = formula.shares(mode)
        self.conditions_ = tuple(yes for yes, _ in formula.pairs)
        self.objective_ = float(least_errors(formula.counts))
        self.training_error_ = self.objective_ / float(formula.counts.sum())
        self.lower_bound_, self.proved_optimal_ = self.objective_, True
        self.proved_shortest_ = formula.minimise(mode).proved
        self.empty_rule_hint_ = None
        if self.rule_set_.is_constant:
            why = "no column of this table takes two values among the rows learned from."
            if self.conditions_:
                why = (
                    "whatever the answers to the chosen conditions, no other class is more "
                    "frequent. A smaller `tolerance` may choose more conditions."
                )
            self.empty_rule_hint_ = self._empty_hint(why)

    @property
    def validation_curve_(self) -> pd.DataFrame:
        """Held-out accuracy of each number of conditions."""
        check_is_fitted(self, "history_")
        return pd.DataFrame(self.history_)

    @property
    def types_(self) -> pd.DataFrame:
        """The types of cases that occur."""
        check_is_fitted(self, "history_")
        formula = self._formula
        occurring = np.flatnonzero(formula.counts.sum(axis=1) > 0)
        answers = formula.answers_of(occurring) == 1
        counts = (formula.counts if formula.rows is None else formula.rows)[occurring]
        predicted = np.where(formula.minimise(self.mode).holds()[occurring], 0, 1)
        labels = np.array([formula.positive, formula.default], dtype=object)
        return pd.DataFrame(answers, columns=list(map(str, self.conditions_))).assign(
            rows_positive=counts[:, 1], rows_default=counts[:, 0], answer=labels[predicted]
        )

    def _fit_warnings(self) -> Iterator[Warning]:
        yield from super()._fit_warnings()
        if not self.proved_shortest_:
            yield ConvergenceWarning(
                "The time limit passed before the formula was proved the shortest. The shortest "
                "one found is kept in `rule_set_` and predicts the same for every type of case "
                "that occurs; raise `time_limit` to continue."
            )


FAMILY = Family(
    key="ideal",
    model=IdealDNFClassifier(),
    title="ideal DNF",
    default_grid=lambda y: {"max_variables": list(CONDITIONS)},
    command="combinations",
    question="Every combination of a few conditions (ideal DNF, truth table)",
    name="Every combination",
    sentence=(
        "Chooses a few conditions by what each adds, and counts the best formula over them: the "
        "ideal DNF."
    ),
    good_for=(
        "a first answer at once, on tables of any size: the most a few conditions can do. "
        + state_errors(14.2, 4.2)
    ),
    ways=(
        "The combination of conditions is learned with 1 to 10 of them; shape, clauses, prices and "
        "rounding do not apply to it, and of the constraints it keeps “must not appear” alone."
    ),
    shape_words=lambda s: [f"at most {plural(s['max_variables'], 'chosen condition')}"],
    at_once=True,
    many_classes=False,
    keeps_monotonic_constraints=False,
)
