"""Scorecards: conditions with small whole points, chosen together, and the total they need."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache, partial
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from sklearn.base import clone

from rulekit._sums import exp
from rulekit._validation import Interval
from rulekit.binning import Binarizer
from rulekit.data import make_folds
from rulekit.exceptions import RuleError, StoppedError
from rulekit.families.family import Family, size_words, state_errors
from rulekit.families.scorecard.candidates import Candidates, candidates
from rulekit.families.scorecard.solver.search import Card, Floats, Ints, PointsPath
from rulekit.learners.base import BaseRuleClassifier, LearnedPath
from rulekit.learners.literal.base import PathEntry, RulePath
from rulekit.learners.training import TrainingTable, constraints_for, plain_label
from rulekit.rules import Clause, PointsSplit, RuleSet

LEAST_SHARE = 0.05  # of all rows, in each of several bands of a side: of fewer nothing is known
SAME = 1e-9  # deviances that differ by less, relative to the rows, are equal but for rounding
DRAWN = 100.0  # weight of rows that the model counts for in the probability of a band
CHANCE_COLUMNS = ["total", "weight", "share", "weighted_share", "chance"]
OF_A_BAND = ["from_total", "to_total", "weight", "share", "chance"]
BEAM, TRIES = 1, 3  # of the search in each inner fold, which need not be as wide
TOO_FEW = 2  # rows of a class from which to measure chances
ENOUGH = 10_000  # rows to measure chances on: of more, no further fold is left out
LEAST_TRUST = 0.05  # of a card's own odds, however badly they did on other rows
AHEAD = 1e-3  # of a total: how far the one of equal odds lies from the deciding one, at least
BANDS = 4  # of the chances shown, at most


@dataclass(frozen=True)
class Chances:
    """Probability of the described class by total; it grows with the total."""

    slope: float
    intercept: float

    def compute(self, totals: Ints) -> Floats:
        """Return the probability of the described class, shape (n,)."""
        return np.asarray(1.0 / (1.0 + exp(-(self.slope * totals.astype(float) + self.intercept))))


def bands_of(chances: pd.DataFrame, split: PointsSplit, most: int) -> pd.DataFrame:
    """Group totals into at most `most` bands of least deviance, none across the deciding total."""
    # The probability of a band is its share of the training rows, as if more rows, of the weight
    # `DRAWN` in all, had the probability of the model: closer to the shares of new rows than either
    # of them. A higher band never has a lower one.
    totals = chances["total"].to_numpy()
    weight, share = chances["weight"].to_numpy(), chances["share"].to_numpy()
    decides = int(np.searchsorted(totals, split.total))
    starts = _starts(weight, weight * share, decides, most)
    middles = [int(-(-(totals[k - 1] + totals[k]) // 2)) for k in starts[1:]]
    first = [split.total if k == decides else m for k, m in zip(starts[1:], middles, strict=True)]
    cuts, rows = [split.span[0], *first, split.span[1] + 1], []
    for k, (a, b) in enumerate(pairwise([*starts, len(totals)])):
        held = weight[a:b]
        described = float(held @ share[a:b])
        modelled = float(held @ chances["chance"].to_numpy()[a:b] / held.sum())
        chance = (described + DRAWN * modelled) / (held.sum() + DRAWN)
        rows.append((cuts[k], cuts[k + 1] - 1, float(held.sum()), described / held.sum(), chance))
    bands = pd.DataFrame(rows[::-1], columns=OF_A_BAND)
    ordered = isotonic_regression(bands["chance"], weights=bands["weight"], increasing=False)
    return bands.assign(chance=ordered.x)


def rule_of_bands(bands: pd.DataFrame, split: PointsSplit) -> RuleSet:
    """Write bands as a rule of one clause each, whose answers are cases of a hundred."""
    labels = [f"{round(100 * chance)} of 100" for chance in bands["chance"]]
    clauses, answers = [], []
    for k in range(len(labels) - 1):
        if labels[k] != labels[k + 1]:
            total = int(bands["from_total"].iloc[k])
            clauses.append(Clause((PointsSplit(split.conditions, split.points, total),)))
            answers.append(labels[k])
    return RuleSet(tuple(clauses), tuple(answers), "dnf", labels[-1])


def _starts(weight: Floats, described: Floats, decides: int, most: int) -> list[int]:
    """Return at which total each band begins, lowest first; one begins at `decides`."""
    n = len(weight)
    least = LEAST_SHARE * weight.sum() * (1.0 - SAME)
    sums = np.concatenate([[0.0], np.cumsum(weight)]), np.concatenate([[0.0], np.cumsum(described)])

    @cache
    def cost(a: int, b: int) -> float:
        """Deviance of totals a to b as one band, infinite where it may not be one."""
        if a < decides < b:
            return np.inf
        mass, hits = (s[b] - s[a] for s in sums)
        if mass < least and (a, b) not in ((0, decides), (decides, n)):  # not a whole side
            return np.inf
        parts = np.array([hits, mass - hits])
        parts = parts[parts > 0]
        return float(-(parts * np.log(parts / mass)).sum())

    @cache
    def cover(k: int, b: int) -> tuple[float, tuple[int, ...]]:
        """Return the least deviance of the first b totals in k bands, and where these begin."""
        if k == 0:
            return (np.inf if b else 0.0), ()
        shorter = ((*cover(k - 1, a), a) for a in range(b))
        ways = [(before + cost(a, b), (*starts, a)) for before, starts, a in shorter]
        return min(ways, default=(np.inf, ()))

    best = cover(2, n)
    for k in range(3, min(most, n) + 1):
        if cover(k, n)[0] < best[0] - SAME * weight.sum():
            best = cover(k, n)
    return list(best[1])


@dataclass(eq=False, repr=False)
class ScorecardClassifier(BaseRuleClassifier):
    """Learn a scorecard: a few conditions with integer points, and a threshold of their total.

    Conditions and points are selected together for the lowest logistic loss of the total; points
    are not rounded afterwards.

    Parameters
    ----------
    max_conditions : int, default=8
        Largest number of conditions, including required ones.
    bands : int, default=2
        Largest number of bands of totals in `bands_`: two bands are split at the threshold of the
        prediction, more split these again. The prediction depends on the threshold only.
    calibration_folds : int, default=5
        Folds by which the probability of each total is calibrated on rows that were not used to
        learn conditions and points (fewer if a class has fewer rows). Of large tables only as many
        folds are used as leave out 10 000 rows. Fewer than 2 use the training rows, whose
        probabilities are too extreme.
    positive_label, class_weight, costs, binarizer
        As in `TwoLevelRuleClassifier`; two classes only.
    constraints : Constraints or dict, default=None
        Conditions that must not appear, or must. A direction is the sign of the points.

    Attributes
    ----------
    rule_set_ : RuleSet
        One clause of one `PointsSplit`; no clause if a constant prediction has fewer errors.
    chances_ : DataFrame
        For each total that occurs in training: `total`, `weight` (of training rows, by
        `sample_weight`), `share` (of the described class), `weighted_share` (with class weights)
        and `chance`. Empty for a constant prediction.
    bands_ : DataFrame
        The totals in bands, highest first: `from_total`, `to_total`, `weight`, `share` and
        `chance`, see `rulekit.families.scorecard.scorecard.bands_of`. Empty for a constant
        prediction.
    band_rule_ : RuleSet or None
        The bands as a rule of one clause each, which predicts cases of a hundred ("72 of 100") and
        can be exported and explained like `rule_set_`. None for a constant prediction.
    classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, n_rules_, \
n_conditions_, training_error_, empty_rule_hint_, binarizer_
        As in `TwoLevelRuleClassifier`.
    few_rows_hint_ : str or None
        A sentence on the probabilities if a class has one or two rows; `fit` warns with it.
    objective_ : float
        Weighted logistic loss of the training rows, where a tenth of a row of each class counts as
        the other class; three rows do in the search, which then prefers no condition of few rows.
    lower_bound_, proved_optimal_ : None
        Nothing is proved.
    history_ : list of dict
        One entry for each size: "n_conditions", "objective".

    Notes
    -----
    Conditions are written so that their points are positive, unless that side is forbidden or
    required. The threshold has the lowest weight of wrong training rows; ties go to the one nearest
    to even odds. The search is deterministic and does not depend on the order of rows or columns;
    the folds have a fixed seed.

    Each size looks at all cuts of all columns in O(n p), a few dozen times; fits use the at most
    ``2 ** max_conditions`` combinations of conditions.

    Examples
    --------
    >>> from rulekit import load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> card = ScorecardClassifier(max_conditions=3, positive_label="malignant").fit(X, y)
    >>> card.n_conditions_, len(card.rule_set_.clauses[0].conditions)
    (3, 1)
    """

    _own_constraints: ClassVar[dict[str, Any]] = {
        "max_conditions": [Interval(Integral, 0, None, closed="left")],
        "bands": [Interval(Integral, 2, None, closed="left")],
        "calibration_folds": [Interval(Integral, 0, None, closed="left")],
    }
    _looked_up = ("max_conditions",)
    binarizer_: Binarizer = field(init=False)

    max_conditions: int = 8
    bands: int = 2
    calibration_folds: int = 5
    _: KW_ONLY
    binarizer: Binarizer | None = None

    def path(self, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
        """Find the best scorecard of each size, in one search; arguments as in `fit`.

        A data frame with a row a size up to `max_conditions`, smallest first: n_conditions, loss
        (the logistic one), train_error, rule_set. Sizes that are no better than a smaller one are
        left out.
        """
        model = clone(self)
        model._check()
        cards = model._path(model._read(X, y, sample_weight)).rules(int(model.max_conditions))
        names = ["n_conditions", "loss", "train_error", "rule_set"]
        return pd.DataFrame([[getattr(e, n) for n in names] for e in cards], columns=names)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities, by the total of each row: shape (n, 2), as `classes_`.

        The chance of the class described grows with the total and passes one half at the deciding
        one, which leaves the fewest training rows wrong. `class_weight` and `costs`, by which the
        threshold is chosen, make no class more frequent and are taken out of it: with them, or
        weighted rows, the class with the greatest probability need not be the one that `predict`
        returns.
        """
        columns = self.read_columns(X)
        if self._chances is None:
            return super().predict_proba(columns)
        chance = self._chances.compute(_split(self.rule_set_).compute_values(columns))
        both = [chance if v == self.positive_label_ else 1.0 - chance for v in self.classes_]
        return np.column_stack(both)

    def _fit_table(self, table: TrainingTable) -> None:
        self._fit_card(table, self._begun(table))

    def _path(self, table: TrainingTable) -> "CardPath":
        return CardPath(self, table, self._begun(table))

    def _fit_card(self, table: TrainingTable, work: Candidates) -> None:
        """Set the fitted attributes."""
        cards = self._cards(work, table, int(self.max_conditions))
        weight = self._weights(table)
        rule, shift = self._rule(work, cards[-1], table, weight)
        self._keep_rule(rule, table, weight)
        self._keep_chances(cards[-1], shift, work, table)
        self.objective_, self.lower_bound_, self.proved_optimal_ = cards[-1].loss, None, None
        self.history_ = [{"n_conditions": len(c.chosen), "objective": c.loss} for c in cards]
        self.empty_rule_hint_ = self.few_rows_hint_ = None
        rows = np.bincount(table.codes)
        n, label = int(rows.min()), plain_label(table.classes[rows.argmin()])
        if rule.is_constant:
            why = (
                "with any threshold of the total, more training rows are wrong. Try a "
                "`class_weight` by which rows of a rare class count more."
            )
            if self.max_conditions == 0:
                why = "max_conditions=0 allows none."
            elif not cards[-1].chosen:
                why = "no single condition of this table tells the classes apart."
            self.empty_rule_hint_ = self._empty_hint(why)
        elif n <= TOO_FEW and self.calibration_folds >= 2:
            used = f"{n} folds" if n > 1 else "the rows that were learned from, which flatters"
            self.few_rows_hint_ = (
                f"Chances need more than {TOO_FEW} rows of each class; class {label!r} has {n}, so "
                f"they were measured on {used}. Treat them as rough, or add rows of this class."
            )

    def _fit_warnings(self) -> Iterator[Warning]:
        yield from super()._fit_warnings()
        if self.few_rows_hint_ is not None:
            yield UserWarning(self.few_rows_hint_)

    def _begun(self, table: TrainingTable) -> Candidates:
        """Store the classes, cut the table, and start a search or return the one started."""
        positive = self._note_classes(table, self.positive_label)
        constraints = constraints_for(self.constraints, table, self.positive_label_)
        weight = self._weights(table)
        binarizer_key, bins = self._bin_table(table)
        key = binarizer_key, positive, constraints, weight.tobytes()
        rows = table.columns, table.codes == positive, weight
        return table.once(("points", *key), partial(candidates, bins, *rows, constraints, key))

    def _cards(self, work: Candidates, table: TrainingTable, most: int) -> tuple[Card, ...]:
        """Search up to some number of conditions."""
        cards = work.path.cards(most, table.should_stop)
        if table.should_stop is not None and table.should_stop():
            raise StoppedError("The work was stopped before the scorecard was learned.")
        if not cards:
            raise RuleError(
                f"The required conditions take more than max_conditions={most}. "
                "Raise `max_conditions`, or remove a required condition."
            )
        return cards

    def _rule(
        self, conditions: Candidates, card: Card, table: TrainingTable, weight: Floats
    ) -> tuple[RuleSet, int]:
        """Select the threshold with the fewest wrong rows; a constant rule if none has fewer."""
        given, shift = conditions.write_card(card)
        described = table.y == self.positive_label_
        masses = float(weight[described].sum()), float(weight[~described].sum())
        constant = self._one_clause() if masses[0] > masses[1] else self._one_clause(clauses=0)
        if not given:
            return constant, shift
        literals, points = zip(*given, strict=True)
        totals = np.array(points) @ np.array([literal.mask(table.columns) for literal in literals])
        even = -card.intercept / card.slope + shift
        met, total_index = np.unique(totals, return_inverse=True)
        if len(met) < 2:
            return constant, shift
        gain = np.bincount(total_index, np.where(described, weight, -weight))
        wrong = float(weight[~described].sum()) + np.cumsum(gain)[:-1]
        threshold = np.clip(np.ceil(even), met[:-1] + 1, met[1:])
        best = np.lexsort((threshold, np.abs(threshold - even), np.round(wrong, 9)))[0]
        if wrong[best] > min(masses) * (1.0 + 1e-9) and not conditions.problem.required:
            return constant, shift
        return self._one_clause(PointsSplit(literals, points, int(threshold[best]))), shift

    def _one_clause(self, *conditions: PointsSplit, clauses: int = 1) -> RuleSet:
        """Make a rule of one clause for the class described, or of none."""
        labels = (self.positive_label_,) * clauses
        return RuleSet((Clause(conditions),) * clauses, labels, "dnf", self.default_label_)

    def _keep_chances(self, card: Card, shift: int, work: Candidates, table: TrainingTable) -> None:
        """Compute the probability of each total and band."""
        self._chances: Chances | None = None
        self.chances_ = pd.DataFrame(columns=CHANCE_COLUMNS)
        self.bands_ = pd.DataFrame(columns=OF_A_BAND)
        self.band_rule_: RuleSet | None = None
        if not self.rule_set_.is_constant:
            split, (trust, bias) = _split(self.rule_set_), self._calibrate(work, table)
            slope, intercept = card.slope * trust, card.intercept * trust + bias
            positive, given = table.y == self.positive_label_, table.weights(None)
            weight = self._weights(table)
            sums = [w[rows].sum() for w in (weight, given) for rows in (positive, ~positive)]
            heavier = math.log(sums[0] * sums[3] / (sums[1] * sums[2]))  # by its weight as a class
            even = shift - (intercept - heavier) / slope  # the total of equal odds
            if np.ptp(weight) == 0:  # the answer is then the likelier class
                even = min(max(even, split.total - 1 + AHEAD), split.total - AHEAD)
            self._chances = Chances(slope, -slope * even)
            totals, index = np.unique(split.compute_values(table.columns), return_inverse=True)
            both = [
                np.bincount(index, w * positive) / np.bincount(index, w) for w in (given, weight)
            ]
            figures = totals, np.bincount(index, given), *both, self._chances.compute(totals)
            self.chances_ = pd.DataFrame(dict(zip(CHANCE_COLUMNS, figures, strict=True)))
            self.bands_ = bands_of(self.chances_, split, int(self.bands))
            self.band_rule_ = rule_of_bands(self.bands_, split)

    def _calibrate(self, work: Candidates, table: TrainingTable) -> tuple[float, float]:
        """Fit how far a card's odds are trusted, on held-out folds: factor and constant."""
        folds = min(int(self.calibration_folds), int(np.bincount(table.codes).min()))
        if folds < 2:
            return 1.0, 0.0
        n, problem = len(table.codes), work.problem
        pairs = make_folds(table.codes, folds, random_state=0)[: math.ceil(folds * ENOUGH / n)]
        paths = table.once(
            ("calibration", folds, *work.key),
            lambda: [PointsPath(problem.take_rows(train), BEAM, TRIES) for train, _ in pairs],
        )
        odds = np.zeros(n)
        for path, (_, test) in zip(paths, pairs, strict=True):
            card = path.cards(int(self.max_conditions))[-1]
            points = dict(zip(card.chosen, card.points, strict=True))
            odds[test] = problem.take_rows(test).odds(card.slope, card.intercept, points)
        tested = np.sort(np.concatenate([test for _, test in pairs]))
        trust, bias, _ = problem.take_rows(tested).line(odds[tested])
        return min(max(trust, LEAST_TRUST), 1.0), bias


@dataclass(eq=False)
class CardPath(LearnedPath):
    """The scorecards of one search, by number of conditions."""

    learner: ScorecardClassifier
    table: TrainingTable
    work: Candidates

    def rules_for(self, values: Sequence[Mapping[str, Any]]) -> Iterator[RuleSet]:
        """Return the scorecard of each of several sizes."""
        weight = self.learner._weights(self.table)
        for each in values:
            card = self.learner._cards(self.work, self.table, int(each["max_conditions"]))[-1]
            yield self._rule(card, weight)

    def fit(self, model: Any) -> None:
        """Set the fitted attributes of a model."""
        model._fit_card(self.table, self.work)

    def rules(self, max_conditions: int) -> RulePath:
        """Return the scorecards of all sizes up to a number of conditions."""
        weight, entries = self.learner._weights(self.table), []
        for card in self.learner._cards(self.work, self.table, max_conditions):
            rule = self._rule(card, weight)
            error = self.table.error(rule, weight)
            entries.append(PathEntry(rule.n_clauses, len(card.chosen), card.loss, error, rule))
        return RulePath(tuple(entries))

    def _rule(self, card: Card, weight: Floats) -> RuleSet:
        return self.learner._rule(self.work, card, self.table, weight)[0]


def _split(rule: RuleSet) -> PointsSplit:
    return cast(PointsSplit, rule.clauses[0].conditions[0])


FAMILY = Family(
    key="scorecard",
    model=ScorecardClassifier(bands=BANDS),
    alone=ScorecardClassifier(),
    command="points",
    question="Points to add up (score, scorecard)",
    name="Points to add up",
    sentence=(
        "A few conditions with small whole points; a total decides, as on a bank's or a ward's "
        "scorecard."
    ),
    good_for=(
        "ranking as well as deciding, with conditions that people can add up by heart. "
        + state_errors(12.9, 7.9)
    ),
    ways=(
        "Scorecards are learned with a number of conditions; shape, clauses and prices do not "
        "apply to them."
    ),
    shape_words=size_words,
    whole_front=True,
    many_classes=False,
)
