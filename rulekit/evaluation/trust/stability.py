"""Stability: learning repeated on resamples of the rows, and what returns."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from rulekit._validation import JOBS, SECONDS, Interval, check_arguments, check_target, row_weights
from rulekit.data.typed import as_pandas, read_labels
from rulekit.exceptions import DataError
from rulekit.families import RuleClassifier
from rulekit.learners import BoxSearchClassifier, FixedRuleClassifier, search_grid
from rulekit.learners.base import Paths, Setting
from rulekit.learners.choice import FoldScores, suggestion
from rulekit.learners.cluster import Once, spread_sorted, try_twice
from rulekit.learners.training import Clock, read_like_training
from rulekit.rules import Clause, Columns, RuleSet, scorecard_of
from rulekit.rules.condition import ORDERED
from rulekit.rules.rule_set import rule_of
from rulekit.rules.writer import clause_line
from rulekit.style.scorecard import clause_names
from rulekit.style.wording import percent

Floats = NDArray[np.float64]
RETURNS = 0.8  # share of the resamples from which a column counts as returning
NEAR = 0.05  # thresholds are the same if at most this share of the rows lies between them
BAND = (0.1, 0.5, 0.9)  # shares of the cuts below the ends of a band, and its middle
BY_CHANCE = 2.326  # standard errors that chance exceeds once in a hundred times
TRIES = 100  # attempts to draw groups until every class occurs
N_REPORTS = 20  # number of progress reports
ABOVE = (">", ">=")
Names = Mapping[str, str]
Draw = Callable[[int], tuple[Floats, int]]
Rows = tuple[pd.DataFrame, NDArray[Any], Floats, Floats]  # X, y, weight, weight of an error


class Resample(NamedTuple):
    """The rule of one resample, the rows left out, and the errors on them."""

    rule: RuleSet
    left_out: NDArray[np.intp]
    wrong: NDArray[np.bool_]
    usual_wrong: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stability:
    """Columns, cuts and clauses that return when a rule is learned again from resamples.

    Attributes
    ----------
    selected : RuleSet
        The model's rule.
    resamples : tuple of Resample
        The rule of each finished resample (``rule``), the positions of the rows left out of it
        (``left_out``), which of these the rule predicts wrongly (``wrong``), and which the class of
        greatest weight in the resample, predicted for every row (``usual_wrong``).
    n_requested : int
    X : mapping of str to ndarray of shape (n,)
        The rows, as rules read them.
    y, weight : ndarray of shape (n,)
        Their classes, and the weights of their errors, including `class_weight` and `costs` of the
        learner.
    weighed : bool
        Whether the learner weighs classes.
    """

    selected: RuleSet
    resamples: tuple[Resample, ...] = field(repr=False)
    n_requested: int
    X: Columns = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    weight: Floats = field(repr=False)
    weighed: bool = False

    @property
    def n_made(self) -> int:
        """Number of resamples."""
        return len(self.resamples)

    @cached_property
    def columns(self) -> pd.DataFrame:
        """Columns by how often they return.

        One row per column that any of the rules reads: ``column``, ``selected`` (whether the
        model's rule reads it), ``returned`` (number of resamples whose rule does). Those of the
        model's rule first, then by decreasing count.
        """
        counts = Counter(f for r in self.resamples for f in r.rule.features)
        of_selected = dict.fromkeys(self.selected.features)
        order = sorted({*of_selected, *counts}, key=lambda f: (f not in of_selected, -counts[f], f))
        rows = [(f, f in of_selected, counts[f]) for f in order]
        return pd.DataFrame(rows, columns=["column", "selected", "returned"])

    @cached_property
    def cuts(self) -> pd.DataFrame:
        """Thresholds of numbers, and the bands in which they return.

        One row per cut of the model's rule, then one per further column and side with a cut in a
        resample: ``column``; ``side`` ("above", "below": which values hold); ``selected`` (the cut;
        NaN for further ones); ``returned`` (resamples with a cut of this column and side), ``near``
        (how many of these have at most 5 % of the rows between the nearest cut and the model's);
        ``low``, ``middle``, ``high`` (10 %, 50 % and 90 % quantiles of these cuts; if a rule has
        several, the one nearest to the model's).
        """
        of_selected = _cuts(self.selected)
        of_resamples = [_cuts(r.rule) for r in self.resamples]
        further = {c[:2] for cuts in of_resamples for c in cuts} - {c[:2] for c in of_selected}
        thresholds = [*of_selected, *((*cut, math.nan) for cut in sorted(further))]
        rows = []
        for cut in thresholds:
            name, side, value = cut
            same = ([v for *c, v in cuts if c == [name, side]] for cuts in of_resamples)
            values, near = [v for v in same if v], 0
            nearest = np.array([x for v in values for x in v])
            if not math.isnan(value):
                nearest = np.array([v[np.argmin(np.abs(np.array(v) - value))] for v in values])
                column = np.asarray(self.X[name], dtype=float)
                between = (column > value) != (column > nearest[:, None])
                near = int((between.mean(axis=1) <= NEAR).sum())
            band = [math.nan] * 3
            if len(nearest):
                band = np.quantile(nearest, BAND, method="inverted_cdf").tolist()
            rows.append((*cut, len(values), near, *band))
        names = ["column", "side", "selected", "returned", "near", "low", "middle", "high"]
        return pd.DataFrame(rows, columns=names)

    @cached_property
    def clauses(self) -> pd.DataFrame:
        """Clauses by how often they return.

        A clause returns if a rule has one with the same prediction that tests the same columns in
        the same directions, at any cut. One row per clause of the model's rule in its order, then
        those of other rules by decreasing count: ``clause`` (its text; for others, as in the first
        rule that has it), ``number`` (in the model's rule, from 1; 0 for others), ``returned``,
        ``overlap`` (share of common rows among those matched by it or by the most similar clause of
        a rule, averaged over the rules; NaN for others).
        """
        seen = [dict(reversed(_shapes(r.rule))) for r in self.resamples]
        counts = Counter(shape for shapes in seen for shape in shapes)
        first: dict[Any, Clause] = {}
        for shapes in seen:
            first = shapes | first
        # of each clause the greatest share of common rows, on average over the rules
        fired_selected, best = self.selected.clauses_fired(self.X), []
        for r in self.resamples:
            fired = r.rule.clauses_fired(self.X)
            both = fired_selected.T.astype(float) @ fired
            either = fired_selected.sum(axis=0)[:, None] + fired.sum(axis=0)[None, :] - both
            shares = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
            best.append(shares.max(axis=1, initial=0.0))
        of_selected = _shapes(self.selected)
        overlap = np.mean(best, axis=0).tolist() if best else [math.nan] * len(of_selected)
        rows: list[tuple[Any, ...]] = [
            (clause_line(clause), k + 1, counts[shape], overlap[k])
            for k, (shape, clause) in enumerate(of_selected)
        ]
        others = set(counts) - {shape for shape, _ in of_selected}
        further = [(clause_line(first[s]), 0, counts[s], math.nan) for s in others]
        rows += sorted(further, key=lambda row: (-row[2], row[0]))
        return pd.DataFrame(rows, columns=["clause", "number", "returned", "overlap"])

    @cached_property
    def same_answers(self) -> Floats:
        """Share of resamples with the same prediction as the model's rule per row, shape (n,)."""
        if not self.n_made:
            return np.full(len(self.y), math.nan)
        of_selected = self.selected.predict(self.X)
        return np.mean([r.rule.predict(self.X) == of_selected for r in self.resamples], axis=0)

    @cached_property
    def left_out(self) -> tuple[float, float, float]:
        """Errors on the rows left out, each row averaged over the resamples that left it out.

        (error, usual error, standard error): weighted shares that the rules and the heaviest class
        predict wrongly, and the standard error of the difference over the rows. NaN without rows.
        """
        counts = np.zeros((3, len(self.y)))  # by row: wrong, usual wrong, resamples without it
        for r in self.resamples:
            counts[:, r.left_out] += r.wrong, r.usual_wrong, np.ones(len(r.left_out))
        seen = counts[2] > 0
        weight = self.weight[seen]
        if not weight.sum() > 0:
            return math.nan, math.nan, math.nan
        means = counts[:2, seen] / counts[2, seen]
        error, usual_error = (float(weight @ m / weight.sum()) for m in means)
        gain = means[1] - means[0] - (usual_error - error)
        return error, usual_error, float(np.sqrt((weight**2) @ gain**2) / weight.sum())

    @property
    def beats_chance(self) -> bool:
        """Whether the rules beat chance on rows left out (1 % level); else columns mean nothing."""
        error, usual, spread = self.left_out
        return usual - error > BY_CHANCE * spread

    @property
    def returning(self) -> list[str]:
        """Columns in at least 80 of 100 resamples, by count; none if chance is not beaten."""
        if not (self.n_made and self.beats_chance):
            return []
        often = self.columns[self.columns["returned"] >= RETURNS * self.n_made]
        return often.sort_values("returned", ascending=False, kind="stable")["column"].tolist()

    def sentences(self, names: Names | None = None) -> list[str]:
        """Return the number of resamples, whether anything returns, and what, as sentences."""
        n, names, sentences = self.n_made, names or {}, []
        if n < self.n_requested:
            sentences.append(f"{n} of {self.n_requested} resamples are made.")
        if not n:
            return sentences
        error, usual, _ = self.left_out
        by_weight = ", weighed as in learning" if self.weighed else ""
        usual_class = "class of most weight" if self.weighed else "most frequent class"
        measured = (
            f"on rows left out of a resample{by_weight}, the rules learned from it are wrong in "
            f"{percent(error)}; the {usual_class}, given to every row, in {percent(usual)}"
        )
        if not self.beats_chance:
            chance = "Chance explains such rules, and what they read."
            return [*sentences, f"Nothing returns: {measured}. {chance}"]
        sentences.append(f"The rules hold on other rows: {measured}.")
        sentences.append(self._columns_sentence(names))
        for row in self.cuts[self.cuts["selected"].notna()].itertuples():
            at = f"at {row.low:.6g}"
            band = at if row.low == row.high else f"between {row.low:.6g} and {row.high:.6g}"
            if row.returned:
                sentences.append(
                    f"{names.get(row.column, row.column)} {row.side} {row.selected:.6g}: "
                    f"{row.returned} rules cut it on this side, eight of ten of them {band}; "
                    f"{row.near} so near that at most 5 % of the rows lie between."
                )
        if len(of_selected := self.clauses[self.clauses["number"] > 0]):
            called = clause_names(self.selected)
            parts = [f"{called[r.number - 1]} in {r.returned}" for r in of_selected.itertuples()]
            kind = "points" if scorecard_of(self.selected) else "a clause"
            sentences.append(
                f"Number of the {n} rules with {kind} on the same columns in the same directions: "
                f"{', '.join(parts)}."
            )
        same = self.same_answers
        sentences.append(
            f"On average {percent(float(same.mean()))} of the predictions are the selected rule's; "
            f"{percent(float(np.mean(same < 0.5)))} of the rows get another prediction from "
            "most of the rules."
        )
        return sentences

    def _columns_sentence(self, names: Names) -> str:
        n, least, often = self.n_made, math.ceil(RETURNS * self.n_made), self.returning
        counts = self.columns.set_index("column")["returned"]
        texts = {c: f"{names.get(c, c)} ({count})" for c, count in counts.items()}
        text = f"No column returns in {least} or more of {n} rules"
        if often:
            text = f"Of {n} rules, {least} or more read {', '.join(texts[c] for c in often)}"
        rarely = ", ".join(texts[c] for c in self.selected.features if c not in often)
        return f"{text}; of the given rule, fewer read {rarely}." if rarely else f"{text}."


def _cuts(rule: RuleSet) -> list[tuple[str, str, float]]:
    """List the thresholds of a rule, each once: column, side that a condition requires, value."""
    cuts = [
        (test.feature, "above" if test.op in ABOVE else "below", test.value)
        for test in rule.tests
        if test.op in ORDERED and test.is_plain and isinstance(test.value, float)
    ]
    return list(dict.fromkeys(cuts))


def _shapes(rule: RuleSet) -> list[tuple[Any, Clause]]:
    """List the clauses of a rule by label and tests, without thresholds."""
    shapes = []
    for clause, label in zip(rule.clauses, rule.labels, strict=False):
        conditions, tests = clause.conditions, [t for c in clause.conditions for t in c.tests]
        parts: set[Any] = {("together", *sorted(c.features)) for c in conditions if not c.tests}
        parts |= {(t.feature, t.op in ABOVE) for t in tests if t.op in ORDERED}
        parts |= {(t.feature, t.op, t.value) for t in tests if t.op not in ORDERED}
        shapes.append(((label, frozenset(parts)), clause))
    return shapes


def stability(  # noqa: PLR0913  all but three by keyword
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_resamples: int = 100,
    budget_seconds: float | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    on_progress: Callable[[Stability], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Stability:
    """Learn the rule again from resamples of its rows, and count what returns.

    A resample draws as many rows as there are, with replacement, within each class; a row drawn
    twice counts twice. About 37 % of the rows are left out of each resample, and the rule is
    measured on them.

    Parameters
    ----------
    model : fitted classifier
        It is learned again with its parameters. For a `RuleClassifier`, the selected kind of search
        is repeated, and the size of the rule, price and clauses or number of points, is selected
        again, on the rows left out.
    X, y, sample_weight
        The table it was learned from.
    n_resamples : int, default=100
        Number of resamples, at least two.
    budget_seconds : float, default=None
        No resample is started after this many seconds; at least two are made. None is no limit.
    groups : array-like of shape (n,), default=None
        Whole groups of rows are drawn, whatever their classes.
    random_state : int, default=0
        For the draws, and for learners without a seed.
    n_jobs : int, default=None
        Workers, as joblib counts them; the result does not depend on it.
    on_progress : callable, optional
        Called about twenty times with the results so far.
    should_stop : callable, optional
        Called between resamples; true ends the work, and the finished resamples are returned.

    Raises
    ------
    ValueError
        If a parameter is invalid.
    DataError
        If the table cannot be used, the rule was not learned, or no resample of the groups has all
        classes.

    Notes
    -----
    Costs as much as `n_resamples` fits. A `max_gap` does not apply when sizes are selected again.

    References
    ----------
    .. [1] N. Meinshausen, P. Buhlmann, "Stability selection" (2010).

    Examples
    --------
    >>> from rulekit import BoxSearchClassifier, load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> X = X[["worst radius", "worst texture", "worst smoothness"]]
    >>> model = BoxSearchClassifier(theta=5.0, n_clauses=1, random_state=0).fit(X, y)
    >>> found = stability(model, X, y, n_resamples=20)
    >>> found.columns.set_index("column")["returned"].to_dict()["worst radius"]
    20
    """
    check_arguments(
        "stability",
        n_resamples=(n_resamples, [Interval(Integral, 2, None, closed="left")]),
        random_state=(random_state, [Interval(Integral, 0, None, closed="left")]),
        budget_seconds=(budget_seconds, SECONDS),
        n_jobs=(n_jobs, JOBS),
    )
    rule = rule_of(model)
    check_is_fitted(model, "rule_set_")
    if isinstance(model, FixedRuleClassifier):
        raise DataError(
            "This rule was written or changed by hand, so there is no learner to repeat. "
            "Pass the learner it came from."
        )
    X = as_pandas(X)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    labels = read_labels(y)
    if len(labels) != len(frame):
        raise DataError(
            f"`X` and `y` must have the same number of rows; they have {len(frame)} and "
            f"{len(labels)}."
        )
    check_target(labels, len(frame), "stability")
    weight = row_weights(sample_weight, None, frame, labels)
    drawn = _draws(labels, weight, groups, random_state)
    again = _Learning.from_model(model)
    of_classes = again.learner._class_weight(np.unique(labels))
    loss = row_weights(sample_weight, of_classes, frame, labels)
    stop = Clock.from_seconds(budget_seconds, should_stop)
    columns = model.read_columns(X)
    report = Stability(rule, (), n_resamples, columns, labels, loss, of_classes is not None)
    rows = Once((frame, labels, weight, loss))
    workers, step = effective_n_jobs(n_jobs), max(1, n_resamples // N_REPORTS)
    while (begun := report.n_made) < n_resamples:
        if stop.is_stopped() or (begun >= 2 and stop()):
            break
        tasks = [(rows, again, *drawn(k)) for k in range(begun, min(n_resamples, begun + workers))]
        work = partial(spread_sorted, _learn_resample, tasks, n_jobs)
        done = try_twice(work, f"{begun} of {n_resamples} resamples were made.".__str__)
        report = replace(report, resamples=(*report.resamples, *done))
        if on_progress is not None and report.n_made // step > begun // step:
            on_progress(report)
    return report


def _draws(y: NDArray[Any], weight: Floats, groups: Any, random_state: int) -> Draw:
    """Return a function that draws the k-th resample: counts of rows, and a seed."""
    _, codes = np.unique(y, return_inverse=True)
    n_classes = int(codes.max()) + 1
    # the unit of each row, and the sets of units that are drawn from together
    units = np.arange(len(y))
    parts = [np.flatnonzero(y == label) for label in pd.unique(y)]
    if groups is not None:
        given = np.asarray(groups)
        if given.shape != y.shape:
            raise DataError(
                f"`groups` must name a group for each of the {len(y)} rows; its shape is "
                f"{given.shape}."
            )
        units, names = pd.factorize(given)
        if (units < 0).any():
            raise DataError(
                f"`groups` must name a group for every row; {int((units < 0).sum())} have none. "
                "Set one; a row can be a group of its own."
            )
        if len(names) < 2:
            raise DataError("`groups` must name two groups or more; all rows are in one.")
        parts = [np.arange(len(names))]

    def draw(k: int) -> tuple[Floats, int]:
        rng = np.random.default_rng([random_state, k])
        for _ in range(TRIES):
            times = np.zeros(int(units.max()) + 1)
            for part in parts:
                chosen = rng.integers(len(part), size=len(part))
                times[part] = np.bincount(chosen, minlength=len(part))
            drawn_times = times[units]
            drawn_classes = len(np.unique(codes[drawn_times * weight > 0]))
            if drawn_classes == n_classes and (weight[drawn_times == 0] > 0).any():
                return drawn_times, int(rng.integers(2**31))
        raise DataError(
            f"None of {TRIES} resamples held every class and left a row out: there are too few "
            f"{'rows' if groups is None else 'groups with rows'} of the rarer class. Find more"
            f"{'.' if groups is None else ', or draw rows instead (`groups=None`).'}"
        )

    return draw


@dataclass(frozen=True)
class _Learning:
    """How a rule is learned again: a learner, and whether its size is selected, up to a limit."""

    learner: Any
    selects: bool = False
    most: int = 0  # points of a scorecard
    refines: bool = False

    @classmethod
    def from_model(cls, model: Any) -> "_Learning":
        """Return how to learn a model again."""
        if not isinstance(model, RuleClassifier):
            return cls(clone(model))
        learner = clone(model.learner_)
        if isinstance(learner, BoxSearchClassifier):
            learner.set_params(refine_thresholds=False, time_limit=None)
            return cls(learner, True, refines=bool(model.best_params_["refine_thresholds"]))
        learner.set_params(calibration_folds=0)
        return cls(learner, True, int(model.choice_.table["max_conditions"].max()))


def _learn_resample(rows: Rows, again: _Learning, times: Floats, seed: int) -> Resample:
    """Learn from one resample, given as counts of rows."""
    X, y, weight, loss = rows
    learner = clone(again.learner)
    if not isinstance(learner.get_params(deep=False).get("random_state", 0), Integral):
        learner.set_params(random_state=seed)
    seen, left = np.flatnonzero(times * weight > 0), np.flatnonzero((times == 0) & (weight > 0))
    part = X.iloc[seen], y[seen], (times * weight)[seen], (times * loss)[seen]
    rest = X.iloc[left], y[left], weight[left], loss[left]
    with threadpool_limits(1):  # the warnings of a hundred fits are not shown
        if again.selects:
            settings: list[Setting] = [{"max_conditions": k} for k in range(1, again.most + 1)]
            if not again.most:
                grid = search_grid(part[1])
                settings = list(ParameterGrid({k: grid[k] for k in ("n_clauses", "theta")}))
            # rules of all sizes, of which one is selected by its errors on the rows left out
            paths = Paths(learner, learner._read(*part[:3]))
            read = paths.rule(settings[0]), paths.table.schema
            columns = read_like_training(learner, rest[0], *read)

            def measure(rule: RuleSet) -> tuple[float, int, int]:
                wrong = paths.table.predict(rule, columns) != rest[1]
                return float(rest[3] @ wrong / rest[3].sum()), rule.n_conditions, rule.n_clauses

            summary = FoldScores(paths.score(settings, measure, 3)[None]).summary(settings)
            taken = settings[suggestion(summary, settings, "test_error")["default"]]
            model = paths.model(taken | ({"refine_thresholds": True} if again.refines else {}))
        else:
            model = learner._fit_quietly(*part[:3])
        wrong = np.asarray(model.predict(rest[0]) != rest[1])
    values, codes = np.unique(part[1], return_inverse=True)
    usual = values[np.bincount(codes, part[3]).argmax()]
    return Resample(model.rule_set_, left, wrong, np.asarray(rest[1] != usual))
