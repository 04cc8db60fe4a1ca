"""The learner to start with: it settles everything but the size of the rule by itself."""

import math
import time
import warnings
from collections.abc import Mapping
from itertools import product
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rulekit._validation import HasMethods, Interval
from rulekit.binarize import Binarizer
from rulekit.data import Costs
from rulekit.learners.base import CLASS_PARAMETERS, BaseRuleClassifier
from rulekit.learners.inner_choice import Choice, chosen, inner_folds, search_grid
from rulekit.learners.literal.box_search import BoxSearchClassifier
from rulekit.learners.literal.rule_path import RulePath
from rulekit.learners.training import SharedWork, TrainingTable, generator_of
from rulekit.rules.constraints import Constraints

SHARE_OF_A_SEARCH = 0.1  # of the time limit


class RuleClassifier(BaseRuleClassifier):
    """Learn a short rule; the size allowed is all that has to be said.

    The box search is cross-validated on the training rows for nine prices of a condition, one to
    five clauses, a rule for either class, two levels of robustness, with and without doubt about
    rows that do not look like their class (see `search_grid`). Of these settings the one that
    `rulekit.suggest` names learns the rule from all rows.

    Parameters
    ----------
    max_conditions : int or None, default=8
        Conditions of the rule at most; an interval counts two, required conditions come on top.
        None sets no limit.
    cv : int or splitter, default=5
        Inner folds: how many, stratified and shuffled, or fewer where the rarer class has fewer
        rows; or an object with ``split(X, y)``, as scikit-learn's.
    kicks : int, default=0
        Rounds of disturbance of each search. More find rules that are a little more accurate, and
        longer.
    refine : bool, default=True
        Whether cuts of the rule are moved to any value of the training table where five folds of
        the training rows say that it helps.
    positive_label : label, default=None
        The class the rule describes; None for the one that is described better.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, in learning and in the errors that settings are compared by.
    costs : Costs, default=None
        What wrong answers cost, in place of `class_weight`. Its class that is missed is the last
        one unless it, or `positive_label`, names another.
    binarizer : Binarizer, default=None
        Makes the conditions; None for ``Binarizer()``.
    constraints : Constraints or dict, default=None
        Conditions that must not appear, or must; see `Constraints` and `Constraints.from_dict`.
    random_state : int, RandomState or None, default=0
        For the inner folds, for doubt and for kicks. None learns anew each time.
    n_jobs : int, default=None
        Workers for the inner folds, as joblib counts them; the rule does not depend on it.
    time_limit : float, default=None
        Seconds for the comparison. When they pass, settings are compared as far as they were
        tried, cuts are not refined, and a `ConvergenceWarning` says so; no single search takes
        more than a tenth of the limit. Each fold tries one kind of search at least.

    Attributes
    ----------
    rule_set_ : RuleSet
        The rule.
    choice_ : Choice
        What was compared, which setting was taken, and why.
    best_params_ : dict
        The setting taken, and whether cuts were refined: with these parameters, and those given
        here, the box search learns this rule.
    path_ : RulePath
        The best rule for each number of clauses and conditions allowed, learned from all training
        rows by the kind of search that was taken; its cuts are not refined.
    classes_, positive_label_, default_label_
        Both classes, the one described, and the other one.
    n_features_in_, feature_names_in_
        Number of columns, and their names if they have any.
    n_rules_, n_conditions_ : int
        Size of `rule_set_`; an interval counts two conditions.
    training_error_ : float
        Weighted share of training rows that the rule gets wrong.
    empty_rule_hint_ : str or None
        For a rule without conditions, why.

    Notes
    -----
    How the choice is made was measured on tables it was not made with: ``docs/decisions/0011``.

    Examples
    --------
    >>> from rulekit import load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> columns = ["worst radius", "worst texture", "worst concave points"]
    >>> model = RuleClassifier(max_conditions=3, cv=3).fit(X[columns], y)
    >>> print(model)
    malignant if
           (worst radius > 17.72)
        OR (worst concave points > 0.1327 AND worst texture > 25.83)
    else benign
    >>> round(model.choice_.error, 3), len(model.choice_.table)
    (0.056, 360)
    """

    choice_: Choice
    path_: RulePath
    best_params_: dict[str, Any]

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CLASS_PARAMETERS,
        "max_conditions": [Interval(Integral, 1, None, closed="left"), None],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods("split")],
        "kicks": [Interval(Integral, 0, None, closed="left")],
        "refine": ["boolean"],
        "binarizer": [Binarizer, None],
        "constraints": [Constraints, Mapping, None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        max_conditions: int | None = 8,
        cv: Any = 5,
        kicks: int = 0,
        refine: bool = True,
        positive_label: Any = None,
        class_weight: Any = None,
        costs: Costs | None = None,
        binarizer: Binarizer | None = None,
        constraints: Constraints | Mapping[str, Any] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
    ):
        self.max_conditions = max_conditions
        self.cv = cv
        self.kicks = kicks
        self.refine = refine
        self.positive_label = positive_label
        self.class_weight = class_weight
        self.costs = costs
        self.binarizer = binarizer
        self.constraints = constraints
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit

    def _fit_table(self, table: TrainingTable, shared: SharedWork) -> None:
        self._note_classes(table.classes, table.kinds, self.positive_label)
        learner, limit = self._box_search(table.classes.tolist()), self.time_limit
        until = math.inf if limit is None else time.time() + limit
        self.choice_ = self._chosen(learner, table, until)
        late = time.time() > until
        learner.set_params(
            **self.choice_.setting, refine_thresholds="cv" if self.refine and not late else False
        )
        work = SharedWork()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of a tenth of the time; see below
            learner._fit_table(table, work)
        self.path_ = self._allowed(learner._path_of(table, work))
        self._take(learner, table)
        if late or "stopped" in learner.history_[-1]:
            self._warn_of_time()

    def _box_search(self, classes: list[Any]) -> BoxSearchClassifier:
        """Make the learner whose settings are compared."""
        state = self.random_state
        whole = isinstance(state, Integral)
        limit = self.time_limit
        return BoxSearchClassifier(
            max_conditions=self.max_conditions,
            kicks=self.kicks,
            class_weight=self.class_weight,
            costs=None if self.costs is None else self.costs.settled(classes, self.positive_label),
            binarizer=self.binarizer,
            constraints=self.constraints,
            random_state=int(state) if whole else int(generator_of(state).integers(2**31)),
            time_limit=None if limit is None else SHARE_OF_A_SEARCH * limit,
        )

    def _chosen(self, learner: Any, table: TrainingTable, until: float) -> Choice:
        """Compare the settings and take one."""
        grid = search_grid(table.y)
        if self.positive_label is not None:
            grid["positive_label"] = [self.positive_label]
        settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        folds = inner_folds(self.cv, table, learner.random_state)
        weight = self._weights(table)
        limit = self.time_limit
        return chosen(learner, table, settings, folds, weight, self.n_jobs, limit, until)

    def _allowed(self, path: RulePath) -> RulePath:
        most = math.inf if self.max_conditions is None else self.max_conditions
        return RulePath(tuple(e for e in path if e.n_conditions <= most))

    def _take(self, model: BoxSearchClassifier, table: TrainingTable) -> None:
        """Answer with the rule of a fitted learner."""
        self._note_classes(table.classes, table.kinds, model.positive_label_)
        self._keep_rule(model.rule_set_, table, self._weights(table))
        self.best_params_ = self.choice_.setting | {"refine_thresholds": model.refine_thresholds_}
        self.empty_rule_hint_ = None
        if model.rule_set_.is_constant:
            answer = model.rule_set_.predict({"": np.zeros(1)})[0]
            self.empty_rule_hint_ = (
                f"The rule has no condition and answers {answer!r} to every row: no condition "
                "found is worth its price. See `choice_`; more rows, other columns or more cuts "
                "(`binarizer`) may help."
            )

    def _warn_of_time(self) -> None:
        warnings.warn(
            f"The time limit of {self.time_limit:g} s passed before all was tried that was to be; "
            "the best rule so far is kept in `rule_set_`. Raise `time_limit`, or set `n_jobs`.",
            ConvergenceWarning,
            stacklevel=4,
        )
