"""The search for integer points: a beam over conditions, each exchanged while that helps."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import grid_unit, round_to_grid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Rows of each class that count for the other one: in the search, so that conditions which hold in
# few rows of one class alone are not preferred, and in lines, so that none is certain.
SMOOTHED, FINITE = 3.0, 0.1
LARGEST = 256.0  # a logit's square is below it, or rounds more coarsely: only gains hang on it
SAME = 1e-9  # losses that differ by less, relative to them, are equal but for rounding
OF_ONE_SOURCE = 2  # cuts of one source that are tried at once, at most


@dataclass(frozen=True, eq=False)
class PointsProblem:
    """A table of cells, and the conditions that may be given points."""

    codes: NDArray[np.int32]  # (p, n)
    n_codes: Ints  # (p,)
    source: Ints  # (d,)
    spans: Ints  # (d, 4)
    limits: Ints  # (d, 2)
    weights: Floats  # (n, 2), of the search
    masses: Floats  # (n, 2), of the lines from totals to odds
    required: tuple[frozenset[int], ...] = ()

    @cached_property
    def _cells(self) -> Any:
        from rulekit.families.scorecard.solver.card_kernels import Cells

        return Cells(self.codes, self.n_codes, self.source, self.spans, self.limits, self.weights)

    def settle(
        self, chosen: tuple[int, ...], enough: float, polish: bool
    ) -> tuple[tuple[int, ...], float, float, float]:
        """Compute the points of conditions: points, slope, intercept and loss, see `settle`."""
        from rulekit.families.scorecard.solver.card_kernels import settle

        points, line = np.zeros(len(chosen), dtype=np.int64), np.zeros(2)
        loss = settle(self._cells, np.array(chosen, np.int64), enough, polish, points, line)
        return tuple(points.tolist()), float(line[0]), float(line[1]), float(loss)

    def take_rows(self, rows: NDArray[np.intp]) -> "PointsProblem":
        """Return the problem of some rows, with their weights."""
        codes = np.ascontiguousarray(self.codes[:, rows])
        weights, masses = (np.ascontiguousarray(w[rows]) for w in (self.weights, self.masses))
        return replace(self, codes=codes, weights=weights, masses=masses)

    def odds(self, slope: float, intercept: float, points: dict[int, int]) -> Floats:
        """Return each row's logit by a card, from candidates to points, shape (n,)."""
        odds = np.full(self.codes.shape[1], intercept)
        for j, given in points.items():
            cells, (a, b, c, d) = self.codes[self.source[j]], self.spans[j]
            odds += slope * given * (((a <= cells) & (cells < b)) | ((c <= cells) & (cells < d)))
        return odds

    def line(self, values: Floats) -> tuple[float, float, float]:
        """Fit the logit as a line over values, shape (n,): slope, intercept and loss."""
        from rulekit.families.scorecard.solver.card_kernels import line_through

        line = np.zeros(2)
        different, rows = np.unique(values, return_inverse=True)  # sums are exact in any order
        masses = np.column_stack([np.bincount(rows, mass) for mass in self.masses.T])
        loss = line_through(different[:, None], np.ascontiguousarray(masses), line)
        return float(line[0]), float(line[1]), float(loss)

    def gains(self, chosen: tuple[int, ...]) -> Floats:
        """Estimate how much the loss falls with each further condition, shape (d,)."""
        from rulekit.families.scorecard.solver.card_kernels import gains

        unit = grid_unit(float(self.weights.sum()) * LARGEST)
        return np.asarray(gains(self._cells, np.array(chosen, dtype=np.int64), unit))


def class_masses(y: NDArray[np.bool_], weight: Floats, moved: float) -> Floats:
    """Split the weight of each row between the classes, `moved` rows of each to the other."""
    given = np.where(y, weight[y].sum(), weight[~y].sum())
    unit = grid_unit(float(weight.sum()))
    other = round_to_grid(moved * weight / (given + max(1.0, 2 * moved)), unit)  # less than half
    mass = round_to_grid(weight - other, unit)
    return np.ascontiguousarray(np.where(y[:, None], np.c_[mass, other], np.c_[other, mass]))


@dataclass(frozen=True)
class Card:
    """Conditions with their points."""

    chosen: tuple[int, ...]
    points: tuple[int, ...]
    slope: float
    intercept: float
    loss: float

    def beats(self, other: "Card") -> bool:
        """Whether it costs less, by more than rounding."""
        return self.loss < other.loss and not math.isclose(self.loss, other.loss, rel_tol=SAME)


@dataclass
class PointsPath:
    """The best cards of each size, searched as far as needed."""

    problem: PointsProblem
    beam: int = 3
    tries: int = 6
    _cards: dict[tuple[int, ...], Card] = field(default_factory=dict, init=False, repr=False)
    _ranked: dict[tuple[int, ...], list[int]] = field(default_factory=dict, init=False, repr=False)
    _sizes: list[list[Card]] = field(default_factory=list, init=False, repr=False)
    _best: list[Card | None] = field(default_factory=list, init=False, repr=False)

    def cards(
        self, max_conditions: int, should_stop: Callable[[], bool] | None = None
    ) -> tuple[Card, ...]:
        """Find the best card of each size."""
        while len(self._sizes) <= max_conditions:
            if should_stop is not None and should_stop():
                break
            size = self._extend(self._sizes[-1]) if self._sizes else [self._card(())]
            self._sizes.append(size)
            met = [c for c in size if all(w & set(c.chosen) for w in self.problem.required)]
            polished = [Card(c.chosen, *self.problem.settle(c.chosen, math.inf, True)) for c in met]
            best = min(polished, key=_order, default=None)
            if best is not None:
                points = best.points
                totals = self.problem.odds(1.0, 0.0, dict(zip(best.chosen, points, strict=True)))
                slope, intercept, loss = self.problem.line(totals)
                if slope <= 0:  # conditions that are required though they carry no information
                    slope, (_, intercept, loss) = best.slope, self.problem.line(0.0 * totals)
                common = max(1, math.gcd(*best.points))
                points = tuple(p // common for p in points)
                best = Card(best.chosen, points, slope * common, intercept, loss)
            self._best.append(best)
        path: list[Card] = []
        for card in self._best[: max_conditions + 1]:
            if card is not None and (not path or card.beats(path[-1])):
                path.append(card)
        return tuple(path)

    def _extend(self, cards: list[Card]) -> list[Card]:
        """Add a condition to each of some cards, keep the best, and exchange theirs."""
        extended: dict[tuple[int, ...], Card] = {}
        for card in cards:
            for j in self._to_try(card.chosen):
                best_losses = sorted(c.loss for c in extended.values())[: self.beam]
                enough = best_losses[-1] if len(best_losses) == self.beam else math.inf
                new = self._card((*card.chosen, j), enough)
                if new.loss < math.inf:
                    extended[new.chosen] = new
        best = sorted(extended.values(), key=_order)[: self.beam]
        return sorted({new.chosen: new for new in map(self._exchange, best)}.values(), key=_order)

    def _exchange(self, card: Card) -> Card:
        """Replace one condition by the best other one, while that helps."""
        while True:
            best = card
            for i in card.chosen:
                rest = tuple(j for j in card.chosen if j != i)
                for j in self._to_try(rest):
                    new = self._card((*rest, j), best.loss)
                    best = new if new.beats(best) else best
            if best is card:
                return card
            card = best

    def _card(self, chosen: tuple[int, ...], enough: float = math.inf) -> Card:
        """Return the card with points, unless it must cost as much as `enough`."""
        key = tuple(sorted(chosen))
        if key not in self._cards or self._cards[key].loss == math.inf > enough:
            self._cards[key] = Card(key, *self.problem.settle(key, enough, False))
        return self._cards[key]

    def _to_try(self, chosen: tuple[int, ...]) -> list[int]:
        """List the conditions to try beside some, best first: those required before any other."""
        if chosen not in self._ranked:
            gains = self.problem.gains(chosen)
            missing = [group for group in self.problem.required if not group & set(chosen)]
            order = np.argsort(-gains, kind="stable")
            if missing:
                order = order[np.isin(order, list(missing[0]))]
            else:
                order = order[gains[order] > SAME * len(self.problem.weights)]
            few: list[int] = []
            n_tried = Counter[int]()
            for j in order.tolist():
                source = int(self.problem.source[j])
                if j not in chosen and n_tried[source] < OF_ONE_SOURCE:
                    n_tried[source] += 1
                    few.append(j)
                if len(few) == self.tries:  # of a thousand, a dozen are read
                    break
            self._ranked[chosen] = few
        return self._ranked[chosen]


def _order(card: Card) -> tuple[float, tuple[int, ...]]:
    return float(f"{card.loss:.9e}"), card.chosen
