"""The search for integer points: a beam over conditions, each exchanged while that helps."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from rulekit.families.scorecard.solver.problem import PointsProblem

SAME = 1e-9  # losses that differ by less, relative to them, are equal but for rounding
OF_ONE_SOURCE = 2  # cuts of one source that are tried at once, at most


@dataclass(frozen=True)
class Card:
    """Conditions with their points."""

    chosen: tuple[int, ...]
    points: tuple[int, ...]
    slope: float
    intercept: float
    loss: float

    def reduced(self) -> "Card":
        """Divide the points by their greatest common divisor."""
        common = math.gcd(*self.points)
        if common < 2:
            return self
        points = tuple(p // common for p in self.points)
        return replace(self, points=points, slope=self.slope * common)

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
            size = self._extended(self._sizes[-1]) if self._sizes else [self._card(())]
            self._sizes.append(size)
            self._best.append(self._polished(size))
        path: list[Card] = []
        for card in self._best[: max_conditions + 1]:
            if card is not None and (not path or card.beats(path[-1])):
                path.append(card)
        return tuple(path)

    def _polished(self, size: list[Card]) -> Card | None:
        """Improve the points of the best cards with all required conditions; return the best."""
        granted = [c for c in size if all(w & set(c.chosen) for w in self.problem.required)]
        polished = [
            Card(c.chosen, *self.problem.settled(c.chosen, math.inf, True)) for c in granted
        ]
        return min(polished, key=_order).reduced() if polished else None

    def _extended(self, cards: list[Card]) -> list[Card]:
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
        settled = {new.chosen: new for new in map(self._exchanged, best)}
        return sorted(settled.values(), key=_order)

    def _exchanged(self, card: Card) -> Card:
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
            self._cards[key] = Card(key, *self.problem.settled(key, enough, False))
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
            self._ranked[chosen] = self._few_of_each(order.tolist(), chosen)
        return self._ranked[chosen]

    def _few_of_each(self, order: list[int], chosen: tuple[int, ...]) -> list[int]:
        selected: list[int] = []
        of_source: dict[int, int] = {}
        for j in order:
            f = int(self.problem.source[j])
            if j not in chosen and of_source.get(f, 0) < OF_ONE_SOURCE:
                of_source[f] = of_source.get(f, 0) + 1
                selected.append(j)
            if len(selected) == self.tries:
                break
        return selected


def _order(card: Card) -> tuple[float, tuple[int, ...]]:
    return float(f"{card.loss:.9e}"), card.chosen
