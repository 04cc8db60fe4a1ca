"""Scorecards on a lender's scale: base score, base odds, and points that double the odds."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.families.scorecard.scorecard import OF_A_BAND, Chances, ScorecardClassifier
from rulekit.learners.fixed import FixedRuleClassifier
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet, scorecard_of
from rulekit.rules.condition import GAPS
from rulekit.rules.schema import OddsScale, schema_of


class _ScaledScorecard(FixedRuleClassifier):
    """A scorecard whose scores mean odds on a given scale; made by `scale_points`."""

    bands_: pd.DataFrame

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities by the score of each row: shape (n, 2), as `classes_`.

        The more probable class need not be the one that `predict` returns.
        """
        scale: Any = schema_of(self.rule_set).scale
        slope = math.log(2.0) / scale.points_to_double
        chances = Chances(slope, math.log(scale.base_odds) - slope * scale.base_score)
        split = scorecard_of(self.rule_set)[0]
        chance = chances.compute(split.compute_values(self.read_columns(X)))
        both = [chance if v == self.positive_label_ else 1.0 - chance for v in self.classes_]
        return np.column_stack(both)


def scale_points(
    model: Any,
    *,
    base_score: float = 600,
    base_odds: float = 50,
    points_to_double: float = 20,
    label: Any = None,
) -> _ScaledScorecard:
    """Write a fitted scorecard on a lender's scale.

    Parameters
    ----------
    model : ScorecardClassifier, or RuleClassifier that chose one
        Fitted, with at least one condition.
    base_score : float, default=600
        The score at the base odds.
    base_odds : float, default=50
        Rows of `label` for each other row at the base score.
    points_to_double : float, default=20
        By how many points the odds double (PDO).
    label : str, int, float or bool, default=None
        The class whose odds grow with the score; None is the class described.

    Returns
    -------
    FixedRuleClassifier
        It predicts every row as `model` does, and can be exported and explained like any rule. Its
        first column carries the points that every row gets. `predict_proba` follows the scale,
        `bands_` are the bands of `model` in scores, and the rule's schema keeps the scale.

    Raises
    ------
    RuleError
        If `model` is no scorecard with probabilities, or whole points are too coarse for the scale.
    ValueError
        If a number is not positive, or `label` is no class.

    Notes
    -----
    A score is ``base_score + points_to_double * log2(odds / base_odds)``, which for the fitted odds
    is linear in the total. The points of each condition are rounded to whole numbers, so that
    odds differ by the rounding from the fitted ones.

    Examples
    --------
    >>> from rulekit import ScorecardClassifier, load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> card = ScorecardClassifier(max_conditions=3, positive_label="malignant").fit(X, y)
    >>> scaled = scale_points(card, label="benign")
    >>> print(scaled.rule_set_.schema.scale.sentence)
    600 points mean odds of 50 to 1 for benign; each 20 points more double the odds.
    >>> bool((scaled.predict(X) == card.predict(X)).all())
    True
    """
    for name, value in (("base_odds", base_odds), ("points_to_double", points_to_double)):
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"`{name}` must be a positive number, got {value!r}.")
    card = getattr(model, "learner_", model)
    chances = getattr(card, "_chances", None)
    if not isinstance(card, ScorecardClassifier) or chances is None:
        raise RuleError("Only a fitted scorecard with conditions has a scale of points.")
    described = (card.positive_label_, card.default_label_)
    if label is not None and label not in described:
        raise ValueError(f"`label` must be one of {list(described)}, got {label!r}.")
    sign = -1 if label == described[1] else 1
    factor = sign * points_to_double / math.log(2.0)
    unit = float(factor * chances.slope)
    start = float(base_score + factor * chances.intercept) - points_to_double * math.log2(base_odds)
    (split,) = scorecard_of(card.rule_set_)
    points = [round(unit * p) for p in split.points]
    errors = np.array(points) - unit * np.array(split.points)
    if abs(unit) <= np.abs(errors).sum():
        least = math.ceil(len(points) * math.log(2.0) / (2.0 * chances.slope)) + 1
        raise RuleError(
            f"A scale on which {points_to_double:g} points double the odds is too coarse: whole "
            f"points would change predictions. Use {least} points or more."
        )
    spread = float(errors[errors < 0].sum())

    def cut(total: int) -> int:
        """Return the score that the better side of a total reaches, and the other does not."""
        return math.ceil(round(start) + unit * (total - (sign < 0)) + spread - 1e-9)

    given = dict(zip(split.conditions, points, strict=True))
    constant = next((c for c in split.conditions if c.is_plain), split.conditions[0])
    for op in GAPS:
        everywhere = Literal(constant.feature, op)
        given[everywhere] = given.get(everywhere, 0) + round(start)
    scaled = PointsSplit(tuple(given), tuple(given.values()), cut(split.total))
    labels = described[::sign]
    scale = OddsScale(base_score, base_odds, points_to_double, labels[0])
    schema = replace(schema_of(card.rule_set_), scale=scale)
    rule = RuleSet((Clause((scaled,)),), labels[:1], "dnf", labels[1], schema)
    result = _ScaledScorecard(rule)
    result.bands_ = _scale_bands(card.bands_[::sign], scaled, cut, sign)
    return result


def _scale_bands(bands: pd.DataFrame, split: PointsSplit, cut: Any, sign: int) -> pd.DataFrame:
    """Return bands of totals, best first, as bands of scores."""
    lowest, highest = split.span
    edges = bands["from_total"][:-1] if sign > 0 else bands["to_total"][:-1] + 1
    cuts = [cut(int(total)) for total in edges]
    shares = bands[["share", "chance"]].to_numpy()
    shares = shares if sign > 0 else 1.0 - shares
    limits = [*cuts, lowest], [highest, *(c - 1 for c in cuts)]
    columns = *limits, bands["weight"].to_numpy(), *shares.T
    return pd.DataFrame(dict(zip(OF_A_BAND, columns, strict=True)))
