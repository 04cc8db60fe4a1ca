"""Operating points of a rule: clause by clause, or at any probability threshold."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rulekit.data import Costs
from rulekit.evaluation.metrics import confusion_counts, cost_per_100
from rulekit.exceptions import RuleError
from rulekit.families import ScorecardClassifier
from rulekit.families.ideal_dnf.solver.prime_implicants import minimum_dnf
from rulekit.learners.shares import Likeness
from rulekit.rules import Clause, RuleSet, scorecard_of
from rulekit.rules.simplification import simplify, simplify_clause

MOST_CONDITIONS = 10  # limit for thresholds written as rules: 2 ** 10 kinds of rows
SECONDS = 2.0  # time for writing such a rule in short form
MEASURES = ("called_positive", "found", "false_alarms", "precision", "error")


def clause_points(model: Any) -> list[tuple[tuple[int, ...], RuleSet]]:
    """List the rules obtained by switching on the clauses one after another."""
    rule = model.rule_set_
    if len(set(rule.labels)) > 1:
        raise RuleError(
            "Operating points by clauses need clauses of one class; "
            f"these predict {', '.join(map(repr, dict.fromkeys(rule.labels)))}."
        )
    share = model.get_rules()["share"].to_numpy(dtype=float)
    order = np.argsort(-share.round(12), kind="stable").tolist()
    switched = [sorted(order[:k]) for k in range(rule.n_clauses + 1)]
    return [(tuple(r + 1 for r in on), rule.take_clauses(on)) for on in switched]


def operating_points(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    by: str = "clauses",
    costs: Costs | None = None,
    positive: Any = None,
) -> pd.DataFrame:
    """Measure a two-class rule at its operating points.

    Parameters
    ----------
    model : fitted rule model
        For two outcomes.
    X : DataFrame of shape (n, p)
    y : array-like of shape (n,)
    by : {"clauses", "chances"}, default="clauses"
        Clauses switched on one after another, see `clause_points`; or the described class predicted
        from a probability on, for every probability that a row of `X` has, and never.
    costs : Costs, default=None
        Costs of wrong predictions; adds `cost_per_100`.
    positive : label, default=None
        The class whose rates are counted; None for the class that the rule describes.

    Returns
    -------
    DataFrame
        One row per point, from the one that predicts the described class least often (for the
        clauses of a CNF: most often). `clauses` (numbers of those that are on) or `threshold` (the
        probability of the described class; 1 for never); `called_positive`, the share of rows
        predicted as `positive`; `found`, the same share among rows of that class; `false_alarms`,
        among all other rows; `precision`; `error`; NaN if there is no row to count.

    Raises
    ------
    ValueError
        If there are more than two classes, or `by` or `positive` is unknown.
    RuleError
        As `clause_points` does.

    Examples
    --------
    >>> from rulekit import TwoLevelRuleClassifier, load_sample
    >>> X, y = load_sample("credit").xy("risk")
    >>> model = TwoLevelRuleClassifier(n_clauses=2, positive_label="high").fit(X, y)
    >>> operating_points(model, X, y)["clauses"].tolist()
    [(), (1,), (1, 2)]
    """
    if by not in ("clauses", "chances"):
        raise ValueError(f"`by` must be 'clauses' or 'chances', got {by!r}.")
    classes = model.classes_.tolist()
    if len(classes) != 2:
        raise ValueError(f"Operating points need two classes; this rule has {len(classes)}.")
    described = model.positive_label_
    other = classes[1 - classes.index(described)]
    positive = described if positive is None else positive
    if positive not in classes:
        raise ValueError(f"`positive` must be one of the classes {classes}, got {positive!r}.")
    columns = model.read_columns(X)
    points: list[tuple[Any, NDArray[Any]]]
    if by == "clauses":
        name, points = "clauses", [(on, rule.predict(columns)) for on, rule in clause_points(model)]
    else:
        name = "threshold"
        chance = model.predict_proba(columns)[:, classes.index(described)].round(9)
        levels = [1.0, *np.unique(chance)[::-1].tolist()]
        points = [(level, np.where(chance >= level, described, other)) for level in levels]
    rows = []
    for value, answers in points:
        tp, fp, fn, tn = confusion_counts(y, answers, positive).values()
        n = tp + fp + fn + tn
        parts = (tp + fp, n), (tp, tp + fn), (fp, fp + tn), (tp, tp + fp), (fp + fn, n)
        shares = (part / whole if whole else np.nan for part, whole in parts)
        rows.append({name: value} | dict(zip(MEASURES, shares, strict=True)))
        if costs is not None:
            rows[-1]["cost_per_100"] = cost_per_100(y, answers, costs, positive=described)
    return pd.DataFrame(rows)


def threshold_rule(model: Any, threshold: float) -> RuleSet:
    """Write "the described class at or above this probability" as a rule.

    Parameters
    ----------
    model : fitted rule model
        For two outcomes.
    threshold : float
        From 0 to 1; compared with probabilities rounded to nine digits.

    Returns
    -------
    RuleSet
        For a scorecard the same points with another total; for any other rule a DNF over its own
        conditions, as short as can be found in two seconds.

    Raises
    ------
    RuleError
        If the rule has more than ten different conditions, or its probabilities do not depend on
        its conditions alone, as for an ideal DNF, which counts types of cases.

    Notes
    -----
    Predictions agree with the probability on every row, also on unseen ones. Combinations of
    conditions that exclude each other are left free. O(3**k) for k conditions.
    """
    rule, positive = model.rule_set_, model.positive_label_
    default = next(c for c in model.classes_.tolist() if c != positive)
    model = getattr(model, "learner_", model)  # the model that computes the probabilities
    card = scorecard_of(rule) if isinstance(model, ScorecardClassifier) else ()
    if card:  # the lowest total whose probability reaches the threshold
        lowest, highest = card[0].span
        totals = np.arange(lowest, highest + 1)
        reached = totals[model._chances.compute(totals).round(9) >= threshold]
        if not len(reached):
            return RuleSet((), (), "dnf", default)
        needed = () if reached[0] == lowest else (replace(card[0], total=int(reached[0])),)
        return RuleSet((Clause(needed),), (model.positive_label_,), "dnf", default)
    likeness = model._shares.likeness
    conditions = getattr(likeness, "conditions", ())
    if not isinstance(likeness, Likeness) or len(conditions) > MOST_CONDITIONS:
        raise RuleError(
            f"A limit on the probability can be written as a rule of up to {MOST_CONDITIONS} "
            f"conditions; this rule has {len(conditions)}. Use `by='clauses'`, or a shorter rule."
        )
    holds = np.array(list(product((False, True), repeat=len(conditions))), dtype=bool)
    chances = model._shares.compute_by_pattern(likeness.patterns(holds ^ (rule.form == "cnf")))
    on = chances[:, model.classes_.tolist().index(positive)].round(9) >= threshold
    sides = [(c, c.negate()) for c in conditions]

    def clause(cube: Any) -> Clause | None:
        read = zip(sides, cube, strict=True)
        return simplify_clause(Clause(tuple(pair[1 - a] for pair, a in read if a >= 0)))

    possible = np.array([clause(row.astype(int)) is not None for row in holds])
    form = minimum_dnf(on & possible, ~on & possible, time_limit=SECONDS)
    clauses = tuple(c for c in map(clause, form.cubes.tolist()) if c is not None)
    return simplify(RuleSet(clauses, (positive,) * len(clauses), "dnf", default))
