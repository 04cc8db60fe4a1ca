"""The learner to start with: it selects all settings except the size of the rule."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rulekit._validation import JOBS, HasMethods, Interval, Needs, check_needs
from rulekit.binning import Binarizer
from rulekit.data import Costs
from rulekit.families.scorecard.scorecard import ScorecardClassifier
from rulekit.learners.base import FIT_ATTRIBUTES, BaseRuleClassifier, refuse_with_several
from rulekit.learners.choice import FOREST_SHARE, GroupGaps, Loss, check_gaps
from rulekit.learners.from_table.fit import LearnsFromTables
from rulekit.learners.inner_choice import (
    Choice,
    ForestLoss,
    Form,
    InnerComparison,
    compare_losses,
    form_of_points,
    form_of_rules,
    inner_folds,
    simplest,
    single_row_class,
)
from rulekit.learners.literal.base import RulePath
from rulekit.learners.literal.box_search import BoxSearchClassifier
from rulekit.learners.training import TrainingTable, as_constraints, generator_of
from rulekit.search.machine_code import POINTS, QUICK

SHARE_OF_A_SEARCH = 0.1  # of the time limit
FORMS = ("rule", "points")  # the first of two that are as good is taken
RULE_PARAMETERS = tuple(
    Needs(name, "forms", (("rule",), ("rule", "points"))) for name in ("n_perturbations", "refine")
)


@dataclass(eq=False, repr=False)
class RuleClassifier(LearnsFromTables, BaseRuleClassifier):
    """Learn a short rule; its largest size is the only parameter that usually needs a value.

    The learner compares settings of a box search by cross-validation on the training rows: nine
    prices of a condition, one to five clauses, rules for either class, two levels of robustness,
    with and without label noise. The estimated error of a setting has two parts. One third is its
    error on the folds. Two thirds are the error of its rule for all rows, measured by the
    out-of-bag votes of a random forest. The selected setting learns the rule from all rows.

    With more than two classes the rule is an ordered list; nine prices and one to three clauses
    for each class are compared. `forms` adds scorecards to the comparison.

    Parameters
    ----------
    max_conditions : int or None, default=8
        Largest number of conditions. An interval counts as two, required conditions do not count.
        None means no limit for rules, and 10 for scorecards.
    forms : tuple of {"rule", "points"}, default=("rule",)
        Forms to compare: conditions joined by AND and OR, or conditions with integer points and
        a threshold of their total (see `ScorecardClassifier`).
    cv : int, splitter or list of pairs, default=5
        Number of stratified, shuffled folds (fewer if a class has fewer rows). Or a splitter with
        ``split(X, y)`` as in scikit-learn, or pairs of positions of training and test rows. Rows of
        weight 0 are in no fold.
    n_perturbations : int, default=0
        Number of random perturbations in each search. More perturbations give slightly more
        accurate rules and take longer.
    refine : bool, default=True
        Whether to move thresholds of the rule to any training value if this lowers the error on
        the folds. Thresholds of scorecards are not moved.
    positive_label : label, default=None
        The class that the rule describes. None describes the class with the lower error. With more
        than two classes it must be None: in an ordered list the first clause that matches decides.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, used in learning and in the errors of settings.
    costs : Costs, default=None
        Costs of wrong predictions, instead of `class_weight`. The class that may be missed is the
        last one unless `costs` or `positive_label` names another. Rules are selected with and
        without costs; the first is used only if it is cheaper on the folds by more than noise. With
        two classes the rule is empty if predicting one class for all rows costs no more there.
    binarizer : Binarizer, default=None
        Builds the conditions; None for ``Binarizer()``.
    constraints : Constraints or dict, default=None
        Forbidden and required conditions, and monotonic constraints; see `Constraints` and
        `Constraints.from_dict`. Directions need `towards` or `positive_label`.
    groups : str, default=None
        A column of `X` whose groups should be treated alike, see `rulekit.data.row_groups`. The
        rule may use the column unless `constraints` forbid it. Gaps between groups are measured on
        the folds.
    max_gap : float or mapping of str to float, default=None
        Largest gap between groups, from 0 to 1. A number limits the gaps of true positive and
        false positive rates (equalised odds). A mapping limits the gaps that it names: "error",
        "found", "false_alarms", "called_positive"; with more than two classes only "error". Groups
        with fewer than 30 rows for a rate are left out. The rule satisfies the limits on the
        training rows, too. Gaps on new rows may be larger, see `rulekit.group_metrics`.
    random_state : int, RandomState or None, default=0
        For the folds, `label_noise` and perturbations. None differs from fit to fit.
    n_jobs : int, default=None
        Workers for the folds, as joblib counts them. The rule does not depend on it.
    time_limit : float, default=None
        Seconds for the comparison. When they have passed, only the settings finished by then are
        compared, thresholds are not moved, and a `ConvergenceWarning` is emitted. A single search
        takes at most a tenth of the limit. Each fold finishes at least one kind of search.

    Attributes
    ----------
    rule_set_ : RuleSet
    choice_ : Choice
        The settings compared, the selected one, and the reason.
    best_params_ : dict
        The selected setting. A box search or `ScorecardClassifier` with these parameters, and those
        given here, learns this rule.
    learner_ : BoxSearchClassifier or ScorecardClassifier
        The fitted learner of the selected form. A scorecard has the probability of each total.
    path_ : RulePath
        The best rule for each number of clauses and conditions, or the best scorecard for each
        number of conditions, learned from all rows by the selected kind of search. Thresholds are
        not moved. The loss of a scorecard is the logistic one.
    classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, \
n_rules_, n_conditions_, training_error_, empty_rule_hint_
        As in `TwoLevelRuleClassifier`; `positive_label_` is None for more than two classes.

    Notes
    -----
    ``docs/decisions/0011`` describes the selection and its measured accuracy.

    Examples
    --------
    >>> from rulekit import load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> columns = ["worst radius", "worst texture", "worst concave points"]
    >>> model = RuleClassifier(max_conditions=3, cv=3).fit(X[columns], y)
    >>> print(model)
    malignant if
           (worst radius > 18)
        OR (worst concave points > 0.134 AND worst texture > 27.28)
    else benign
    >>> round(model.choice_.error, 3), len(model.choice_.table)
    (0.046, 360)
    """

    _multi_class = True
    choice_: Choice = field(init=False)
    learner_: BaseRuleClassifier = field(init=False)
    path_: RulePath = field(init=False)
    best_params_: dict[str, Any] = field(init=False)

    _own_constraints: ClassVar[dict[str, Any]] = {
        "max_conditions": [Interval(Integral, 1, None, closed="left"), None],
        "forms": [tuple, list],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods("split"), list, tuple],
        "n_perturbations": [Interval(Integral, 0, None, closed="left")],
        "refine": ["boolean"],
        "groups": [str, None],
        "max_gap": [Interval(Real, 0, 1, closed="left"), Mapping, None],
        "n_jobs": JOBS,
    }

    max_conditions: int | None = 8
    forms: Sequence[str] = ("rule",)
    cv: Any = 5
    n_perturbations: int = 0
    refine: bool = True
    _: KW_ONLY
    binarizer: Binarizer | None = None
    groups: str | None = None
    max_gap: float | Mapping[str, float] | None = None
    random_state: Any = 0
    n_jobs: int | None = None
    time_limit: float | None = None

    @property
    def _kernels(self) -> tuple[str, ...]:
        return (*QUICK, POINTS) if "points" in self.forms else QUICK

    def _check(self) -> None:
        super()._check()
        forms = tuple(self.forms)
        if not forms or len(set(forms)) < len(forms) or not set(forms) <= set(FORMS):
            raise ValueError(
                f"`forms` must name some of {', '.join(map(repr, FORMS))}, each once; got {forms}."
            )
        if "rule" not in forms:
            check_needs(self, RULE_PARAMETERS)
        check_gaps(self.groups, self.max_gap, self.positive_label)
        constraints = as_constraints(self.constraints)
        no_class = constraints.towards is self.positive_label is None
        if constraints.directions and no_class and "rule" in forms:
            raise ValueError(
                "Directions need a class, because rules for either class are compared. Set "
                "`towards` in `constraints`, or `positive_label`."
            )

    def _fit_table(self, table: TrainingTable) -> None:
        if len(table.classes) > 2:
            refuse_with_several(self, table)
            n = len(table.classes)
            if "points" in self.forms:
                raise ValueError(
                    f"'points' in `forms` needs two classes; `y` has {n}. Got {tuple(self.forms)}; "
                    "use forms=('rule',)."
                )
            limits = {} if self.max_gap is None else self.max_gap
            if not isinstance(limits, Mapping) or set(limits) - {"error"}:
                raise ValueError(
                    f"With {n} classes `max_gap` can only limit 'error'; got "
                    f"max_gap={self.max_gap!r}. Give a mapping with 'error' alone, or learn from "
                    "`y == label`."
                )
            self._note_several(table)
        else:
            self._note_classes(table, self.positive_label)
        until = math.inf if self.time_limit is None else time.time() + self.time_limit
        has_seed, state = isinstance(self.random_state, Integral), self.random_state
        seed = int(state if has_seed else generator_of(state).integers(2**31))
        forms = self._forms(seed, table)
        single = None if self.groups is not None else single_row_class(self.cv, table)
        if single is None:
            comparison = self._comparison(forms, table, until, seed)
            self.choice_ = comparison.choose()
            self._time_passed = time.time() > until
            form, setting = comparison.settle(self.choice_.form, self.choice_.setting)
        else:
            self._data_notes = (
                *self._data_notes,
                f"Class {single!r} has a single row, so settings cannot be compared by "
                "cross-validation; the simplest one is used. Add rows of this class.",
            )
            loss = Loss(table.y, table.weights(None), self._costs_by_class())
            form, self._time_passed = forms[0], False
            self.choice_ = simplest(form, table, loss)
            setting = self.choice_.setting
        learner = form.paths.model(setting)
        if self.costs is not None and not self._time_passed and single is None:
            plain = self._select_without_costs(learner, table, seed, until)
            if plain is not None:
                self.path_ = plain.path_
                self._take(plain.learner_, table)
                return
        path: Any = form.paths.path(self.choice_.setting)
        most = self.max_conditions
        if form.name == "points":
            most = int(self.choice_.table["max_conditions"].max())
        self.path_ = path.rules(most)
        self._take(learner, table)

    def _select_without_costs(
        self, learner: Any, table: TrainingTable, seed: int, until: float
    ) -> Any:
        """Return the model selected without costs unless the other one saves more than noise."""
        remaining = None if self.time_limit is None else max(1e-3, until - time.time())
        plain = clone(self).set_params(costs=None, time_limit=remaining, random_state=seed)
        plain._fit_table(table)
        self._time_passed = plain._time_passed or time.time() > until
        if self._time_passed or plain.rule_set_ == learner.rule_set_:
            return None
        loss = Loss(table.y, table.weights(None), self._costs_by_class())
        forest = ForestLoss.from_table(table, loss, learner, seed)
        pair = learner, plain.learner_
        folds = inner_folds(self.cv, table, seed)
        left_out, noise, scores = compare_losses(pair, table, folds, loss, self.n_jobs)
        on_all = np.array([forest.loss(table.predict(m.rule_set_)) for m in pair])
        with_costs, without = (1 - FOREST_SHARE) * left_out + FOREST_SHARE * on_all
        noise *= 1 - FOREST_SHARE
        self._time_passed = time.time() > until
        constant_pays = learner.rule_set_.is_constant and left_out[1] >= self.choice_.constant_error
        if constant_pays or without - with_costs > noise:
            return None
        setting = plain.choice_.setting
        row = scores.summary([setting | {"costs": "none"}], loss.measure)
        estimates = {"forest_loss": on_all[1], "forest_conditions": plain.rule_set_.n_conditions}
        gaps = plain.choice_.table.filter(regex="^gap").loc[plain.choice_.default]
        known = {k: v for k, v in {**estimates, **gaps}.items() if k in self.choice_.table}
        self.choice_ = self.choice_.replace_setting(
            plain.choice_.form,
            setting | {"costs": None},
            row.assign(**known),
            f"Selected without costs: the estimated cost is {loss.text(without)}, that of the rule "
            f"selected with costs is {loss.text(with_costs)}. The latter is taken only if it is "
            f"lower by more than {loss.text(noise)}, the noise that the inner folds leave.",
        )
        return plain

    def _costs_by_class(self) -> Costs | None:
        """Return the error costs by class, since rules for either class are compared."""
        if self.costs is None:
            return None
        return self.costs.to_matrix(self.classes_.tolist(), self.positive_label)

    def _forms(self, seed: int, table: TrainingTable) -> list[Form]:
        """Return the forms that are compared, with their settings."""
        forms, limit = [], self.time_limit
        shared: dict[str, Any] = {
            "class_weight": self.class_weight,
            "costs": self._costs_by_class(),
            "binarizer": self.binarizer,
            "constraints": self.constraints,
        }
        if "rule" in self.forms:
            box_search = BoxSearchClassifier(
                max_conditions=self.max_conditions,
                n_perturbations=self.n_perturbations,
                random_state=seed,
                time_limit=None if limit is None else SHARE_OF_A_SEARCH * limit,
                **shared,
            )
            forms.append(form_of_rules(box_search, table, self.positive_label))
        if "points" in self.forms:
            card = ScorecardClassifier(positive_label=self.positive_label, **shared)
            forms.append(form_of_points(card, table, self.max_conditions))
        return forms

    def _comparison(
        self, forms: list[Form], table: TrainingTable, until: float, seed: int
    ) -> InnerComparison:
        """Prepare the comparison of forms and settings."""
        costs = self._costs_by_class()
        weight = self._weights(table) if costs is None else table.weights(None)
        loss = Loss(table.y, weight, costs)
        gaps = None
        if self.groups is not None:
            gaps = GroupGaps.from_table(table, self.groups, self.max_gap, self.positive_label_)
        folds = inner_folds(self.cv, table, seed)
        forest = ForestLoss.from_table(table, loss, forms[0].learner, seed)
        limits = self.time_limit, until, gaps, forest, self.refine
        return InnerComparison(forms, table, folds, loss, self.n_jobs, *limits)

    def _take(self, model: BaseRuleClassifier, table: TrainingTable) -> None:
        """Set the fitted attributes from a fitted learner."""
        self.positive_label_, self.default_label_ = model.positive_label_, model.default_label_
        self._keep_rule(model.rule_set_, table, self._weights(table))
        error = self.choice_.error
        if self.choice_.form == "rule" and self.costs is None and math.isfinite(error):
            for one in (self, model):
                one._shares = one._shares.calibrate(model.rule_set_, self.classes_.tolist(), error)
        for name in FIT_ATTRIBUTES:
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        self.learner_, self.best_params_ = model, dict(self.choice_.setting)
        if isinstance(model, BoxSearchClassifier):
            self.best_params_["refine_thresholds"] = model.refine_thresholds
        self.empty_rule_hint_ = None
        if model.rule_set_.is_constant:
            within = "" if self.max_gap is None else " within `max_gap`"
            self.empty_rule_hint_ = self._empty_hint(
                f"no condition found is worth its price{within}. See `choice_`; more rows, other "
                "columns or more cuts (`binarizer`) may help."
            )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities from the fitted learner of the form taken, shape (n, K).

        Of a rule, shares of training rows as in other learners, at a temperature at which the rule
        is expected to err as often as on the inner folds (without `costs`). Of points, the
        probability of the row's total, measured on inner folds. The class with the greatest
        probability need not be the one that `predict` returns.
        """
        columns = self.read_columns(X)  # checks that the model is fitted
        return np.asarray(self.learner_.predict_proba(columns))

    def _fit_warnings(self) -> Iterator[Warning]:
        if self._time_passed or "stopped" in self.learner_.history_[-1]:
            yield ConvergenceWarning(
                f"The time limit of {self.time_limit:g} s passed before all settings were tried; "
                "the best rule so far is kept in `rule_set_`. Raise `time_limit`, or set "
                "`n_jobs`."
            )
        yield from super()._fit_warnings()
