"""Base class of classifiers that end in a rule, and paths: the rules of one search.

A learner has one `fit`, and predicts by the rule that it shows.
"""

# Settings that differ in the parameters `_looked_up` of a learner alone are of one kind: one search
# answers them all, so that comparing settings costs a search for each kind and table.

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Self

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rulekit._notebook import notebook_html
from rulekit._validation import (
    SECONDS,
    Needs,
    StrOptions,
    check_needs,
    check_parameters,
    check_target,
)
from rulekit.binning import Binarizer
from rulekit.binning.encodings import UNIQUE_SHARE
from rulekit.binning.views import TableReader
from rulekit.data import Costs
from rulekit.data.columns.conform import RuleColumns
from rulekit.data.typed import read_labels
from rulekit.exceptions import DataWarning, EmptyRuleWarning, StoppedError
from rulekit.learners.shares import Shares
from rulekit.learners.training import (
    ShouldStop,
    TrainingTable,
    as_constraints,
    positive_code,
    read_like_training,
    read_training_table,
    restore_on_failure,
)
from rulekit.rules import Clause, RuleSet, Schema
from rulekit.rules.condition import take_rows
from rulekit.rules.constraints import Constraints
from rulekit.rules.writer import clause_line, rule_lines
from rulekit.search.machine_code import load

Setting = dict[str, Any]
PLAIN = (str, int, float, type(None))
FIT_ATTRIBUTES = (  # what reading a table sets
    "n_features_in_", "feature_names_in_", "ignored_columns_", "_data_notes", "_schema"
)  # fmt: skip


@dataclass(eq=False, repr=False, kw_only=True)
class SharedParameters:
    """The parameters that all learners have."""

    positive_label: Any = None
    class_weight: Any = None
    costs: Costs | None = None
    constraints: Constraints | Mapping[str, Any] | None = None


class BaseRuleClassifier(
    SharedParameters,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """A classifier that predicts by `rule_set_`, which `_fit_table` of a subclass learns."""

    _multi_class: ClassVar[bool] = False
    _proba_follows_rule: ClassVar[bool] = False  # unless rows are weighted
    #: Parameters that only select a rule of a path, which one search finds.
    _looked_up: ClassVar[tuple[str, ...]] = ()
    _level_share: ClassVar[float] = UNIQUE_SHARE  # of rows, beyond which texts are no levels
    _data_notes: tuple[str, ...] = ()
    # parameters that are refused, not ignored, without certain values of others
    _needs: ClassVar[tuple[Needs, ...]] = ()
    #: Constraints of parameters that learners share; a subclass lists those it adds or changes.
    _own_constraints: ClassVar[dict[str, Any]] = {
        "positive_label": "no_validation",
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": [Costs, None],
        "binarizer": [Binarizer, None],
        "constraints": [Constraints, Mapping, None],
        "random_state": ["random_state"],
        "time_limit": SECONDS,
    }

    rule_set_: RuleSet
    classes_: NDArray[Any]  # (K,)
    n_features_in_: int
    ignored_columns_: list[str]
    positive_label_: Any
    default_label_: Any
    empty_rule_hint_: str | None
    binarizer_: Binarizer
    _schema: Schema  # of all columns, without levels and ranges
    _shares: Shares

    @property
    def _parameter_constraints(self) -> dict[str, Any]:
        """Constraints of the parameters, in the order of inheritance."""
        parts = [vars(each).get("_own_constraints", {}) for each in reversed(type(self).__mro__)]
        merged = {k: v for part in parts for k, v in part.items()}
        return {name: merged[name] for name in self._get_param_names() if name in merged}

    @classmethod
    @cache  # scikit-learn inspects the signature again for each clone
    def _get_param_names(cls) -> list[str]:
        return list(super()._get_param_names())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a rule.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            Numbers, text, categories, truth values, gaps.
        y : array-like of shape (n,)
            Two classes or, where the learner takes them, more.
        sample_weight : array-like of shape (n,), optional
            What a row counts. With `class_weight` or `costs` rescaled to sum to n, so that a price
            in rows keeps its meaning; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        DataError
            If the table or the classes cannot be used; the column or row is named.
        ValueError
            If a parameter is not allowed, or would not be read beside the others.
        SolverError
            If a linear program is not solved.

        Warns
        -----
        DataWarning
            If columns are left out, see `ignored_columns_`, or values that are not of the kind of
            nine in ten values of their column count as missing; column, value and row are named.
        EmptyRuleWarning
            If the rule has no condition; `empty_rule_hint_` has the reason.
        ConvergenceWarning
            If the time limit passed; the best rule so far is kept.
        """
        self._fit_quietly(X, y, sample_weight)._warn()
        return self

    @restore_on_failure
    def _fit_quietly(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit without emitting warnings."""
        self._check()
        table = self._read(X, y, sample_weight)
        self._fit_table(table)
        self._note_schema(table)
        return self

    def _fit_settings(
        self,
        X: Any,
        y: Any,
        settings: Sequence[Mapping[str, Any]],
        sample_weight: Any = None,
        should_stop: ShouldStop | None = None,
    ) -> Iterator[Self]:
        """Yield the model that `fit` learns with each setting, with one search for each kind."""
        # `should_stop` is called before each setting; True ends the work. Only time limits and the
        # table's columns are warned of.
        reader = clone(self)
        table = replace(reader._read(X, y, sample_weight), should_stop=should_stop)
        for sentence in reader._data_notes:
            warnings.warn(DataWarning(sentence), stacklevel=2)
        paths = Paths(reader, table)
        for setting in settings:
            if should_stop is not None and should_stop():
                return
            try:
                model = paths.model(dict(setting))
            except StoppedError:
                return
            model._note_schema(table)
            model._warn(ConvergenceWarning)
            yield model

    @property
    def _kernels(self) -> tuple[str, ...]:
        """Kernel files that learning needs."""
        return ()

    def _check(self) -> None:
        """Check the parameters and reject those that would not be read."""
        check_parameters(self)
        check_needs(self, self._needs)
        if self.costs is not None and self.class_weight is not None:
            raise ValueError(
                f"`costs` and `class_weight` both set class weights; got costs=({self.costs}) and "
                f"class_weight={self.class_weight!r}. Leave one of them None."
            )

    def _class_weight(self, classes: NDArray[Any]) -> Any:
        """Return the weight of each class: `class_weight`, or that implied by `costs`."""
        if self.costs is None:
            return self.class_weight
        return self.costs.class_weight(classes.tolist(), self.positive_label)

    def _weights(self, table: TrainingTable) -> NDArray[np.float64]:
        """Return the weight of each row in learning, shape (n,), with sum n."""
        return table.weights(self._class_weight(table.classes))

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingTable:
        """Check the training table; compile kernels if needed, before a time limit starts."""
        for name in self._kernels if getattr(self, "time_limit", None) is not None else ():
            load(name)
        several = self._multi_class
        reader = TableReader(self._reading_binarizer(), self._level_share)
        table = read_training_table(self, X, y, sample_weight, multi_class=several, reader=reader)
        self.ignored_columns_, self._data_notes = list(table.ignored), table.notes
        self._schema = table.schema
        return table

    def _note_schema(self, table: TrainingTable) -> None:
        """Add what the columns are to the rule."""
        self.rule_set_ = replace(self.rule_set_, schema=table.rule_schema(self.rule_set_))

    def _reading_binarizer(self) -> Any:
        """Return the binarizer that reads words and dates; None takes every text as a level."""
        return (self.binarizer or Binarizer()) if hasattr(self, "binarizer") else None

    def _bin_table(self, table: TrainingTable, *key: Any) -> tuple[Any, Any]:
        """Bin the table or reuse it; return a key of the binning, and the codes."""
        binarizer = self._reading_binarizer()
        key = *key, str(joblib.hash((type(binarizer).__name__, binarizer.get_params())))

        def cut() -> tuple[Binarizer, Any]:
            fitted = table.binarizer(binarizer)
            return fitted, fitted.fit_read(table.frame, table.columns, table.schema, table.y)

        self.binarizer_, encoded = table.once(("cut", key), cut)
        return key, encoded

    @abstractmethod
    def _fit_table(self, table: TrainingTable) -> None:
        """Learn from a checked table; `StoppedError` if it was stopped."""

    def _fit_warnings(self) -> Iterator[Warning]:
        """Collect warnings and emit them after fit (filters are not thread-safe)."""
        yield from map(DataWarning, self._data_notes)
        if self.empty_rule_hint_ is not None:
            yield EmptyRuleWarning(self.empty_rule_hint_)

    def _warn(self, kind: type[Warning] = Warning) -> None:
        """Emit the warnings of a category at the stack level of the caller."""
        for warning in self._fit_warnings():
            if isinstance(warning, kind):
                warnings.warn(warning, stacklevel=3)

    def _path(self, table: TrainingTable) -> "LearnedPath":
        """Search a checked table; the result answers all settings of one kind."""
        self._fit_table(table)
        return LearnedPath(self)

    def _kinds_of(self, settings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the part of each setting that a search depends on."""
        return [{k: v for k, v in one.items() if k not in self._looked_up} for one in settings]

    def _note_classes(self, table: TrainingTable, label: Any) -> int:
        """Store two classes; return the code of the described one."""
        classes = self.classes_ = table.classes
        self._schema = table.schema
        positive = positive_code(label, classes)
        self.positive_label_ = table.labels[positive]
        self.default_label_ = table.labels[1 - positive]
        return positive

    def _note_several(self, table: TrainingTable) -> None:
        """Store more than two classes, all of which are described."""
        self.classes_, self._schema = table.classes, table.schema
        self.positive_label_ = None

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row with the rule.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            Rows. The columns that the rule reads are found by name, in any order, and read as they
            were learned, whatever their type; a frame needs no others. What `read_columns` gave is
            taken, too, and not checked again.

        Returns
        -------
        ndarray of shape (n,)
            A class for each row.

        Raises
        ------
        DataError
            If a column that the rule reads is missing, or no value of it is of its kind.

        Warns
        -----
        DataWarning
            If some values of a column are not of its kind; they count as missing.
        UnseenValuesWarning
            Once, if columns hold levels or gaps that no training row had, or numbers or dates that
            are farther outside the training range than the range is wide.
        """
        columns = self._read_and_warn(X)  # refuses if nothing was learned yet
        return self.rule_set_.predict(columns).astype(self.classes_.dtype)

    def _empty_hint(self, why: str) -> str:
        """Describe a rule without conditions."""
        answer = self.rule_set_.predict({"": np.zeros(1)})[0]
        return f"The rule has no condition and answers {answer!r} to every row: {why}"

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate class probabilities of rows: (n, K) in the order of `classes_`, none of them 0.

        The share of each class among the training rows that meet the same conditions of the rule is
        drawn, as if 30 more rows had it, towards that of a logistic regression on the conditions
        met and the clauses that decide (in a DNF those that hold, in a CNF those that fail).
        Combinations that never occurred in training have the share of the regression.

        Rows count by `sample_weight` alone. `class_weight` and `costs` are left out, as they do not
        make a class more frequent; `decision_function` has them. The class with the greatest
        probability need not be the one that `predict` returns, which is the rule's answer. Only for
        `HyperplaneRuleClassifier` and `ScorecardClassifier` are they the same, unless rows are
        weighted.
        """
        columns = self._read_and_warn(X)  # refuses if nothing was learned yet
        return self._shares.compute(columns)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the natural logarithm of `predict_proba`, shape (n, K)."""
        with np.errstate(divide="ignore"):  # a rule that was given, without a table, is certain
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class in `y` is predicted; rows count by their weight."""
        labels = read_labels(y)
        check_target(labels, len(labels), "score")
        return float(super().score(X, labels, sample_weight))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the evidence for each class of each row, by the weights used in learning.

        For two classes (n,): the logarithm of the odds of the second, its rows and those of the
        first weighed as by `class_weight` or `costs`: above 0 where answering with the second costs
        less. For more (n, K): the logarithm of each one's weighed share, up to a constant.
        """
        columns = self._read_and_warn(X)
        return compute_log_odds(self.predict_log_proba(columns) + np.log(self._shares.factors))

    def read_columns(self, X: Any) -> RuleColumns:
        """Read rows as `predict` does, once for several calls, without its warnings.

        The result is given to `predict` and the others in place of `X`. Columns that the rule does
        not read are converted when they are looked up; `report` has what training rows never had.
        """
        check_is_fitted(self)
        return read_like_training(self, X, self.rule_set_, self._schema)

    def _read_and_warn(self, X: Any) -> RuleColumns:
        """Read rows and warn of what was met, at the stack level of the caller's caller."""
        if (columns := self.read_columns(X)) is not X:
            columns.report.warn(stacklevel=3)
        return columns

    def clauses_fired(self, X: Any) -> NDArray[np.bool_]:
        """Return whether each clause of `rule_set_` matches each row, shape (n, `n_rules_`)."""
        columns = self.read_columns(X)  # checks that the model is fitted
        return self.rule_set_.clauses_fired(columns)

    def get_rules(self) -> pd.DataFrame:
        """List the clauses, one a row.

        `clause` (its number, from 1), `label` (the class given; in a CNF, when all clauses hold),
        `text`, `n_conditions`, `share` (how often the clause was right in training on rows that it
        decides, smoothed; a clause of a CNF decides where it fails), and `weighted_share` (the same
        with rows weighed by `class_weight` or `costs`); a given rule without a table has no shares.
        """
        check_is_fitted(self)
        clauses, labels = self.rule_set_.clauses, self.rule_set_.labels
        columns: dict[str, Any] = {"clause": range(1, len(clauses) + 1)}
        columns |= {"label": list(labels[: len(clauses)]), "text": list(map(clause_line, clauses))}
        columns["n_conditions"] = [clause.n_conditions for clause in clauses]
        frame = pd.DataFrame(columns)
        if not hasattr(self, "_shares"):  # of a rule that was given
            return frame
        share, weighted = self._shares.compute_by_clause(self.rule_set_, self.classes_.tolist())
        return frame.assign(share=share, weighted_share=weighted)

    @property
    def training_counts_(self) -> list[tuple[float, float]]:
        """The weight of the training rows each clause, or none, decides: correct ones and all."""
        check_is_fitted(self)
        return self._shares.count_parts(self.rule_set_, self.classes_.tolist())

    def _html_repr(self) -> str:
        """Return what notebooks show: the rule with counts, or the parameters if not fitted."""
        return notebook_html(self) if hasattr(self, "rule_set_") else str(super()._html_repr())

    def __str__(self) -> str:
        """Return the rule as text, or the parameters if not fitted."""
        return rule_lines(self.rule_set_) if hasattr(self, "rule_set_") else repr(self)

    def __sklearn_tags__(self) -> Tags:
        """Declare the supported classes, missing values, text and categories."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._multi_class
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def _keep_rule(self, rule: RuleSet, table: TrainingTable, weight: NDArray[np.float64]) -> None:
        """Set the attributes that follow from the rule and its training table."""
        self.rule_set_, self.n_rules_, self.n_conditions_ = rule, rule.n_clauses, rule.n_conditions

        def measure() -> tuple[float, Shares]:
            both, n_classes = (table.weights(None), weight), len(self.classes_)
            shares = Shares.from_rows(rule, table.columns, table.codes, both, n_classes)
            return table.error(rule, weight), shares

        self.training_error_, shares = table.once((rule, weight.tobytes()), measure)
        if self._proba_follows_rule and np.ptp(weight) == 0:
            shares = shares.following(rule, self.classes_.tolist())
        self._shares = shares


def identify(settings: Iterable[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Return a key of each setting: plain values by value, other objects by identity."""
    return [
        tuple(
            (name, type(value).__name__, value if isinstance(value, PLAIN) else id(value))
            for name, value in sorted(setting.items())
        )
        for setting in settings
    ]


@dataclass(eq=False)
class LearnedPath:
    """The rules of one search by values of `_looked_up`; this base class has one fitted model."""

    learner: Any

    def rules_for(self, values: Sequence[Mapping[str, Any]]) -> Iterable[RuleSet]:
        """Return the rule for each of several values."""
        return [self.learner.rule_set_] * len(values)

    def fit(self, model: Any) -> None:
        """Set the fitted attributes of a model (here a copy of the fitted one) for its values."""

    def model(self, values: Mapping[str, Any]) -> Any:
        """Return the fitted model for some values."""
        model = copy(self.learner)
        vars(model).update(values)
        model._check()
        self.fit(model)
        return model


@dataclass(eq=False)
class Paths:
    """The paths of a learner on one table, each searched when it is first needed."""

    learner: Any
    table: TrainingTable
    paths: dict[tuple[Any, ...], LearnedPath] = field(default_factory=dict)

    def path(self, setting: Setting) -> LearnedPath:
        """Return the path that has the rule of a setting."""
        (kind,) = self.learner._kinds_of([setting])
        (key,) = identify([kind])
        if key not in self.paths:
            learner = clone(self.learner).set_params(**setting)
            learner._check()
            learner.set_params(**kind)
            read = {k: v for k, v in vars(self.learner).items() if k in FIT_ATTRIBUTES}
            vars(learner).update(read)
            self.paths[key] = learner._path(self.table)
        return self.paths[key]

    def rule(self, setting: Setting) -> RuleSet:
        """Return the rule of a setting."""
        return next(iter(self.path(setting).rules_for([self.values(setting)])))

    def score(
        self,
        settings: Sequence[Setting],
        measure: Callable[[RuleSet], Sequence[float]],
        n_figures: int,
        stop: ShouldStop | None = None,
    ) -> NDArray[np.float64]:
        """Measure the rule of each setting until `stop` is True, shape (settings, figures)."""
        scores = np.full((len(settings), n_figures), np.nan)
        figures: dict[RuleSet, Sequence[float]] = {}  # neighbours mostly end in the same rule
        rules = self._list_rules(settings)
        for _ in settings:
            if stop is not None and stop():
                break
            position, rule = next(rules)
            if rule not in figures:
                figures[rule] = measure(rule)
            scores[position] = figures[rule]
        return scores

    def _list_rules(self, settings: Sequence[Setting]) -> Iterator[tuple[int, RuleSet]]:
        """Yield the position and the rule of each setting, kind by kind."""
        kinds: dict[tuple[Any, ...], list[int]] = {}
        for position, key in enumerate(identify(self.learner._kinds_of(settings))):
            kinds.setdefault(key, []).append(position)
        for positions in kinds.values():
            values = [self.values(settings[k]) for k in positions]
            path = self.path(settings[positions[0]])
            yield from zip(positions, path.rules_for(values), strict=True)

    def model(self, setting: Setting) -> Any:
        """Return the fitted model of a setting."""
        return self.path(setting).model(self.values(setting))

    def values(self, setting: Setting) -> Setting:
        """Return the values that select the rule of a setting from its path."""
        names = self.learner._looked_up
        return {name: setting.get(name, getattr(self.learner, name)) for name in names}


def compute_log_odds(decision: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert log shares of two classes to log odds of the second, (n,); leave those of more."""
    return decision if decision.shape[1] != 2 else decision[:, 1] - decision[:, 0]


#: Learns ANDs that describe one class (its number) among some rows of the table.
Describe = Callable[[NDArray[np.intp], int], Sequence[Clause]]


def refuse_with_several(model: Any, table: TrainingTable) -> None:
    """Reject parameters of two-class rules."""
    n = len(table.classes)
    if model.positive_label is not None:
        raise ValueError(
            f"`positive_label` names the class that a rule of two classes describes; `y` holds {n} "
            f"classes, and a list describes them all. Got positive_label={model.positive_label!r}: "
            "leave it None, or learn from `y == label` for one class against the rest."
        )
    if getattr(model, "form", "dnf") != "dnf":
        raise ValueError(
            f"`form` must be 'dnf' where `y` holds more than two classes ({n} here): the clauses "
            f"of an ordered list are ANDs; got {model.form!r}."
        )
    if directions := as_constraints(getattr(model, "constraints", None)).directions:
        raise ValueError(
            f"`constraints` has a direction for column {dict(directions).popitem()[0]!r}, which "
            f"needs two classes; `y` has {n}. Remove the direction, or learn from `y == label`."
        )


def one_against_rest(
    table: TrainingTable, weight: NDArray[np.float64], describe: Describe
) -> RuleSet:
    """Learn an ordered list class by class; shapes: weight (n,)."""
    mass = np.bincount(table.codes, weight, minlength=len(table.classes))
    clauses: list[Clause] = []
    labels: list[Any] = []
    left, default = np.arange(len(table.codes)), int(mass.argmax())
    for code in np.argsort(mass, kind="stable")[:-1].tolist():
        described = table.codes[left] == code
        if not described.any() or described.all():
            continue
        clauses_of_class = describe(left, code)
        columns = take_rows(table.columns, left)
        held = np.zeros(len(left), dtype=bool)
        for clause in clauses_of_class:
            held |= clause.mask(columns)
        clauses += clauses_of_class
        labels += [table.labels[code]] * len(clauses_of_class)
        left = left[~held]
    if len(left):
        default = int(np.bincount(table.codes[left], weight[left]).argmax())
    return RuleSet(tuple(clauses), tuple(labels), "dnf", table.labels[default])
