"""Result of repeated learning: columns, thresholds, clauses and predictions that return."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._renamed import former_name
from rulekit.rules import Clause, Columns, RuleSet
from rulekit.rules.reading import clause_line

RETURNS = 0.8  # share of the resamples from which a column counts as returning
NEAR = 0.05  # thresholds are the same if at most this share of the rows lies between them
BAND = (0.1, 0.5, 0.9)  # shares of the cuts below the ends of a band, and its middle
BY_CHANCE = 2.326  # standard errors that chance exceeds once in a hundred times
ABOVE, BELOW = (">", ">="), ("<", "<=")
Names = Mapping[str, str]


class Resample(NamedTuple):
    """The rule of one resample, the rows left out, and the errors on them."""

    rule: RuleSet
    left_out: NDArray[np.intp]
    wrong: NDArray[np.bool_]
    usual_wrong: NDArray[np.bool_]


class Cut(NamedTuple):
    """A threshold of a column, and the side that a condition requires."""

    column: str
    side: str
    value: float


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
        Number of resamples requested.
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
    weight: NDArray[np.float64] = field(repr=False)
    weighed: bool = False

    tells = former_name("tells", "beats_chance")
    n_asked = former_name("n_asked", "n_requested")
    in_hand = former_name("in_hand", "selected")

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
        """Thresholds, and the bands in which they return.

        One row per cut of the model's rule, then one per further column and side with a cut in a
        resample: ``column``; ``side`` ("above", "below": which values hold); ``selected`` (the cut;
        NaN for further ones); ``returned`` (resamples with a cut of this column and side), ``near``
        (how many of these have at most 5 % of the rows between the nearest cut and the model's);
        ``low``, ``middle``, ``high`` (10 %, 50 % and 90 % quantiles of these cuts; if a rule has
        several, the one nearest to the model's).
        """
        of_selected = _cuts(self.selected)
        of_resamples = [_cuts(r.rule) for r in self.resamples]
        places = dict.fromkeys((c.column, c.side) for c in of_selected)
        further = sorted({(c.column, c.side) for cuts in of_resamples for c in cuts} - set(places))
        thresholds: list[Cut] = [*of_selected, *(Cut(*cut, math.nan) for cut in further)]
        rows = [self._cut(cut, of_resamples) for cut in thresholds]
        names = ("column", "side", "selected", "returned", "near", "low", "middle", "high")
        return pd.DataFrame(rows, columns=list(names))

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
        of_selected, overlap = _shapes(self.selected), self._overlaps()
        rows: list[tuple[Any, ...]] = [
            (clause_line(clause), k + 1, counts[shape], overlap[k])
            for k, (shape, clause) in enumerate(of_selected)
        ]
        others = sorted(
            set(counts) - {shape for shape, _ in of_selected},
            key=lambda s: (-counts[s], clause_line(first[s])),
        )
        rows += [(clause_line(first[s]), 0, counts[s], math.nan) for s in others]
        return pd.DataFrame(rows, columns=["clause", "number", "returned", "overlap"])

    @cached_property
    def same_answers(self) -> NDArray[np.float64]:
        """Share of resamples with the same prediction as the model's rule per row, shape (n,)."""
        of_selected = self.selected.predict(self.X)
        if not self.n_made:
            return np.full(len(self.y), math.nan)
        return np.mean([r.rule.predict(self.X) == of_selected for r in self.resamples], axis=0)

    @cached_property
    def left_out(self) -> tuple[float, float, float]:
        """Errors on the rows left out, each row averaged over the resamples that left it out.

        Returns
        -------
        (error, usual_error, standard_error)
            Weighted share that the rules predict wrongly, that the heaviest class predicts
            wrongly, and the standard error of the difference over the rows. NaN without rows.
        """
        wrong, usual, times = (np.zeros(len(self.y)) for _ in range(3))
        for r in self.resamples:
            wrong[r.left_out] += r.wrong
            usual[r.left_out] += r.usual_wrong
            times[r.left_out] += 1
        seen = times > 0
        weight = self.weight[seen]
        if not weight.sum() > 0:
            return math.nan, math.nan, math.nan
        means = [part[seen] / times[seen] for part in (wrong, usual)]
        error, usual_error = (float(weight @ m / weight.sum()) for m in means)
        gain = means[1] - means[0] - (usual_error - error)
        spread = float(np.sqrt((weight**2) @ gain**2) / weight.sum())
        return error, usual_error, spread

    @property
    def beats_chance(self) -> bool:
        """Whether the rules beat chance on rows left out, at the 1 % level.

        Recurring columns of rules that do not beat chance are meaningless.
        """
        error, usual, spread = self.left_out
        return usual - error > BY_CHANCE * spread

    @property
    def returning(self) -> list[str]:
        """Columns in at least 80 of 100 resamples; empty if the rules do not beat chance.

        By decreasing count.
        """
        if not (self.n_made and self.beats_chance):
            return []
        often = self.columns[self.columns["returned"] >= RETURNS * self.n_made]
        return often.sort_values("returned", ascending=False, kind="stable")["column"].tolist()

    def sentences(self, names: Names | None = None) -> list[str]:
        """Return what is stable, as sentences."""
        return list(_sentences(self, names or {}))

    def _cut(self, cut: Cut, of_resamples: list[list[Cut]]) -> tuple[Any, ...]:
        """Build a row of `cuts`."""
        same = [
            [c.value for c in cuts if (c.column, c.side) == (cut.column, cut.side)]
            for cuts in of_resamples
        ]
        values = [v for v in same if v]
        if math.isnan(cut.value):
            nearest = np.array([x for v in values for x in v])
            near = 0
        else:
            nearest = np.array([min(v, key=lambda x: abs(x - cut.value)) for v in values])
            near = sum(self._between(cut.column, cut.value, x) <= NEAR for x in nearest)
        band = np.quantile(nearest, BAND, method="inverted_cdf") if len(nearest) else [math.nan] * 3
        return (*cut, len(values), near, *map(float, band))

    def _between(self, column: str, a: float, b: float) -> float:
        """Return the share of rows with a value between two thresholds."""
        values = np.asarray(self.X[column], dtype=float)
        return float(np.mean((values > min(a, b)) & (values <= max(a, b))))

    def _overlaps(self) -> list[float]:
        """For each given clause, the mean over the rules of the best share of common rows."""
        of_selected = self.selected.clauses_fired(self.X)
        if not self.n_made:
            return [math.nan] * of_selected.shape[1]
        best = np.zeros((self.n_made, of_selected.shape[1]))
        for i, r in enumerate(self.resamples):
            fired = r.rule.clauses_fired(self.X)
            both = of_selected.T.astype(float) @ fired
            either = of_selected.sum(axis=0)[:, None] + fired.sum(axis=0)[None, :] - both
            shares = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
            best[i] = shares.max(axis=1, initial=0.0)
        return [float(v) for v in best.mean(axis=0)]


def _sentences(stability: Stability, names: Names) -> Iterator[str]:
    """Return the number of resamples, whether anything returns, and what, as sentences."""
    n = stability.n_made
    if n < stability.n_requested:
        yield f"{n} of {stability.n_requested} resamples are made."
    if not n:
        return
    error, usual, _ = stability.left_out
    by_weight, usual_class = "", "most frequent class"
    if stability.weighed:
        by_weight, usual_class = ", weighed as in learning", "class of most weight"
    measured = (
        f"on rows left out of a resample{by_weight}, the rules learned from it are wrong in "
        f"{_percent(error)}; the {usual_class}, given to every row, in {_percent(usual)}"
    )
    if not stability.beats_chance:
        yield f"Nothing returns: {measured}. Chance explains such rules, and what they read."
        return
    yield f"The rules hold on other rows: {measured}."
    yield _columns_sentence(stability, names)
    yield from _threshold_sentences(stability, names)
    of_selected = stability.clauses[stability.clauses["number"] > 0]
    if len(of_selected):
        parts = [f"clause {row.number} in {row.returned}" for row in of_selected.itertuples()]
        yield (
            f"Number of the {n} rules with a clause on the same columns in the same directions: "
            f"{', '.join(parts)}."
        )
    same = stability.same_answers
    yield (
        f"On average {_percent(float(same.mean()))} of the rows are answered as by the rule in "
        f"hand; {_percent(float(np.mean(same < 0.5)))} of the rows get another answer from most "
        "of the rules."
    )


def _columns_sentence(stability: Stability, names: Names) -> str:
    n, least = stability.n_made, math.ceil(RETURNS * stability.n_made)
    count = dict(zip(stability.columns["column"], stability.columns["returned"], strict=True))
    often = [f"{names.get(c, c)} ({count[c]})" for c in stability.returning]
    text = f"No column returns in {least} or more of {n} rules"
    if often:
        text = f"Of {n} rules, {least} or more read {', '.join(often)}"
    rarely = [
        f"{names.get(c, c)} ({count[c]})"
        for c in stability.selected.features
        if c not in stability.returning
    ]
    return f"{text}; of the given rule, fewer read {', '.join(rarely)}." if rarely else f"{text}."


def _threshold_sentences(stability: Stability, names: Names) -> Iterator[str]:
    of_selected = stability.cuts[
        stability.cuts["selected"].notna() & (stability.cuts["returned"] > 0)
    ]
    for row in of_selected.itertuples():
        band = f"between {row.low:.6g} and {row.high:.6g}"
        if row.low == row.high:
            band = f"at {row.low:.6g}"
        yield (
            f"{names.get(row.column, row.column)} {row.side} {row.selected:.6g}: {row.returned} "
            f"rules cut it on this side, eight of ten of them {band}; {row.near} so near that at "
            "most 5 % of the rows lie between."
        )


def _cuts(rule: RuleSet) -> list[Cut]:
    """List the thresholds of a rule, each once."""
    cuts: dict[Cut, None] = {}
    for clause in rule.clauses:
        for test in (t for c in clause.conditions for t in c.tests):
            op, value = test.comparison
            if op in (*ABOVE, *BELOW) and isinstance(value, float):
                cuts[Cut(test.feature, "above" if op in ABOVE else "below", value)] = None
    return list(cuts)


def _shapes(rule: RuleSet) -> list[tuple[Any, Clause]]:
    """List the clauses of a rule by label and tests, without thresholds."""
    return [
        ((label, frozenset(part for c in clause.conditions for part in _parts(c))), clause)
        for clause, label in zip(rule.clauses, rule.labels, strict=False)
    ]


def _parts(condition: Any) -> list[Any]:
    if not condition.tests:
        return [("together", *sorted(condition.features))]
    parts: list[Any] = []
    for test in condition.tests:
        op, value = test.comparison
        side = "above" if op in ABOVE else "below"
        parts.append((test.feature, side) if op in (*ABOVE, *BELOW) else (test.feature, op, value))
    return parts


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
