"""The search for integer points: a beam over conditions, each exchanged while that helps."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from rulekit.solvers.points.problem import PointsProblem

SAME = 1e-9  # losses that differ by less, relative to them, are equal but for rounding
OF_ONE_SOURCE = 2  # cuts of one source that are tried at once, at most


@dataclass(frozen=True)
class Card:
    """Conditions with their points.

    Attributes
    ----------
    chosen : tuple of int
        Candidates, ascending.
    points : tuple of int
        Of each, none of them 0.
    slope, intercept : float
        The logit of a row of total t is ``slope * t + intercept``; the slope is positive, or 0
        where there is no condition.
    loss : float
        The weighted logistic loss, infinite where it was only seen to be too large.
    """

    chosen: tuple[int, ...]
    points: tuple[int, ...]
    slope: float
    intercept: float
    loss: float

    def beats(self, other: "Card") -> bool:
        """Whether it costs less, by more than rounding."""
        return self.loss < other.loss and not math.isclose(self.loss, other.loss, rel_tol=SAME)


@dataclass(frozen=True)
class PointsSearch:
    """How hard to look.

    Attributes
    ----------
    beam : int
        Cards of each size that are extended.
    tries : int
        Conditions that each is extended by, or that take the place of one.
    """

    beam: int = 3
    tries: int = 6

    def path(self, problem: PointsProblem, max_conditions: int) -> tuple[Card, ...]:
        """Find the best card of each size.

        Parameters
        ----------
        problem : PointsProblem
            The table.
        max_conditions : int
            Conditions of the largest card.

        Returns
        -------
        tuple of Card
            Ascending in size and descending in loss: a size that is not there is no better than
            the one before. The first has no condition, or holds what is required; there is none
            if that takes more than `max_conditions`.
        """
        archive = _Archive(problem, self.tries)
        cards = [archive.card(())]
        for _ in range(max_conditions):
            cards = self._extended(archive, cards)
            if not cards:
                break
        return archive.best()

    def _extended(self, archive: "_Archive", cards: list[Card]) -> list[Card]:
        """Add a condition to each of some cards, keep the best, and exchange theirs."""
        found: dict[tuple[int, ...], Card] = {}
        for card in cards:
            for j in archive.ranked(card.chosen):
                kept = sorted(c.loss for c in found.values())[: self.beam]
                enough = kept[-1] if len(kept) == self.beam else math.inf
                new = archive.card((*card.chosen, j), enough)
                if new.loss < math.inf:
                    found[new.chosen] = new
        best = sorted(found.values(), key=_order)[: self.beam]
        settled = {new.chosen: new for new in map(archive.exchanged, best)}
        return sorted(settled.values(), key=_order)


def _order(card: Card) -> tuple[float, tuple[int, ...]]:
    return float(f"{card.loss:.9e}"), card.chosen


@dataclass
class _Archive:
    """Every card that was looked at."""

    problem: PointsProblem
    tries: int
    cards: dict[tuple[int, ...], Card] = field(default_factory=dict)
    _ranked: dict[tuple[int, ...], list[int]] = field(default_factory=dict)

    def card(self, chosen: tuple[int, ...], enough: float = math.inf) -> Card:
        """Give conditions their points, unless they must cost as much as `enough`."""
        key = tuple(sorted(chosen))
        if key not in self.cards or self.cards[key].loss == math.inf > enough:
            self.cards[key] = Card(key, *self.problem.settled(key, enough, False))
        return self.cards[key]

    def ranked(self, chosen: tuple[int, ...]) -> list[int]:
        """List the conditions to try beside some, best first: those required before any other."""
        if chosen not in self._ranked:
            gains = self.problem.gains(chosen)
            missing = [wish for wish in self.problem.required if not wish & set(chosen)]
            order = np.argsort(-gains, kind="stable")
            if missing:
                order = order[np.isin(order, list(missing[0]))]
            else:
                order = order[gains[order] > SAME * len(self.problem.weights)]
            self._ranked[chosen] = self._few_of_each(order.tolist(), chosen)
        return self._ranked[chosen]

    def _few_of_each(self, order: list[int], chosen: tuple[int, ...]) -> list[int]:
        kept: list[int] = []
        of_source: dict[int, int] = {}
        for j in order:
            f = int(self.problem.source[j])
            if j not in chosen and of_source.get(f, 0) < OF_ONE_SOURCE:
                of_source[f] = of_source.get(f, 0) + 1
                kept.append(j)
            if len(kept) == self.tries:
                break
        return kept

    def exchanged(self, card: Card) -> Card:
        """Put other conditions in the place of one, the best exchange of all, while that helps."""
        while True:
            best = card
            for i in card.chosen:
                rest = tuple(j for j in card.chosen if j != i)
                for j in self.ranked(rest):
                    new = self.card((*rest, j), best.loss)
                    best = new if new.beats(best) else best
            if best is card:
                return card
            card = best

    def best(self) -> tuple[Card, ...]:
        """Take the best card of each size that holds what is required, its points polished."""
        by_size: dict[int, Card] = {}
        for card in sorted(self.cards.values(), key=_order):
            if all(wish & set(card.chosen) for wish in self.problem.required):
                by_size.setdefault(len(card.chosen), card)
        path: list[Card] = []
        for _, card in sorted(by_size.items()):
            card = replace(
                card,
                **dict(
                    zip(
                        ("points", "slope", "intercept", "loss"),
                        self.problem.settled(card.chosen, math.inf, True),
                        strict=True,
                    )
                ),
            )
            if not path or card.beats(path[-1]):
                path.append(card)
        return tuple(path)
