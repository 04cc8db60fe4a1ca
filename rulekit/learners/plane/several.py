"""More than two classes: a plane for each but one, and their boxes in one ordered list."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rulekit.learners.base import SEEN_IN_FIT
from rulekit.learners.one_against_rest import one_against_rest
from rulekit.learners.training import SharedWork, TrainingTable, plain_label
from rulekit.rules import Clause, RuleSet, simplify

SAME = 1e-12  # shares of rows that differ by less are equal but for rounding


def fit_list(learner: Any, table: TrainingTable, shared: SharedWork) -> None:
    """Learn a plane and its boxes for each class against those that come later.

    Parameters
    ----------
    learner : HyperplaneRuleClassifier
        Is fitted; a twin of it learns each class.
    table : TrainingTable
        More than two classes.
    shared : SharedWork
        Keeps the planes.
    """
    learner._note_several(table)
    weight = learner._weights(table)
    weighted = table.weighted or learner._class_weight(table.classes) is not None

    def describe(rows: NDArray[np.intp], code: int) -> Sequence[Clause]:
        key = "class", code, rows.tobytes(), weight.tobytes()
        own = shared.once(key, lambda: SharedWork(shared.should_stop, many=shared.many))
        model = clone(learner).set_params(class_weight=None, costs=None)
        model.__dict__.update({k: v for k, v in vars(learner).items() if k in SEEN_IN_FIT})
        model._fit_table(table.against_rest(rows, code, weight, weighted=weighted), own)
        learner.against_rest_[plain_label(table.classes[code])] = model
        found: Sequence[Clause] = model.rule_set_.clauses
        return found

    rule = simplify(one_against_rest(table, weight, describe))
    learner._keep_rule(rule, table, weight)
    least = float(1.0 - np.bincount(table.codes, weight).max() / weight.sum())
    if learner.training_error_ > least - SAME and not rule.is_constant:
        rule = RuleSet((), (), "dnf", table.classes[int(np.bincount(table.codes, weight).argmax())])
        learner._keep_rule(rule, table, weight)
    learner.default_label_ = rule.default
    learner.empty_rule_hint_ = None
    if rule.is_constant:
        learner.empty_rule_hint_ = learner._empty_hint(
            "no plane's boxes get fewer training rows wrong. See `against_rest_` for each."
        )
    planes = list(learner.against_rest_.values())
    learner.plane_ = learner.linear_ = learner.coverage_ = learner.coverage_all_ = None
    learner.boxes_ = {}
    learner.n_problems_ = sum(model.n_problems_ for model in planes)
    learner.n_incomplete_ = max((model.n_incomplete_ for model in planes), default=0)
    learner.history_ = [
        dict(step, outcome=c) for c, m in learner.against_rest_.items() for step in m.history_
    ]
    learner.objective_ = learner.lower_bound_ = learner.proved_optimal_ = None
    learner.n_iter_ = max(1, learner.n_problems_)
