"""Bands of totals: no way to cut fits better, and together they are every total there can be."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.scorecard.scorecard import LEAST_SHARE, bands_of, rule_of_bands
from rulekit.rules import Literal, PointsSplit

TESTS = tuple(Literal(name, ">", 0) for name in "abcd")


def deviance(weight, share):
    hits = weight @ share
    parts = np.array([hits, weight.sum() - hits])
    parts = parts[parts > 1e-12]
    return -(parts * np.log(parts / weight.sum())).sum()


@st.composite
def cards(draw):
    """A card of few totals, and what rows of each were."""
    points = draw(st.lists(st.integers(-3, 5).filter(bool), min_size=2, max_size=4))
    sums = {0}
    for p in points:
        sums |= {s + p for s in sums}
    met = sorted(draw(st.sets(st.sampled_from(sorted(sums)), min_size=2)))
    k = draw(st.integers(1, len(met) - 1))
    split = PointsSplit(TESTS[: len(points)], tuple(points), met[k])
    rows = [(draw(st.integers(1, 60)), draw(st.integers(0, 10)) / 10) for _ in met]
    weight, share = map(np.array, zip(*rows, strict=True))
    chance = np.sort(np.linspace(0.1, 0.9, len(met)))
    reported = {"total": met, "weight": weight.astype(float), "share": share, "chance": chance}
    return pd.DataFrame(reported), split, k


def ways(weight, decides, most):
    """Every way to cut, as places where bands begin."""
    n, least = len(weight), LEAST_SHARE * weight.sum()
    for size in range(2, most + 1):
        for cuts in combinations(range(1, n), size - 1):
            if decides not in cuts:
                continue
            ends = [0, *cuts, n]
            runs = list(pairwise(ends))
            sides = [[r for r in runs if r[0] < decides], [r for r in runs if r[0] >= decides]]
            if all(len(s) == 1 or min(weight[a:b].sum() for a, b in s) >= least for s in sides):
                yield runs


@given(cards(), st.integers(2, 5))
def test_no_way_to_cut_fits_better_and_fewer_bands_fit_worse(card, most):
    chances, split, decides = card
    weight, share = chances["weight"].to_numpy(), chances["share"].to_numpy()
    found = bands_of(chances, split, most)
    fits = {}
    for runs in ways(weight, decides, most):
        fit = sum(deviance(weight[a:b], share[a:b]) for a, b in runs)
        fits[len(runs)] = min(fits.get(len(runs), np.inf), fit)
    own = sum(
        deviance(np.array([r.weight]), np.array([r.share])) for r in found.itertuples(index=False)
    )
    assert own == pytest.approx(min(fits.values()), abs=1e-6)
    assert all(fit > own - 1e-6 for size, fit in fits.items() if size < len(found))
    assert 2 <= len(found) <= most


@pytest.mark.slow
@given(cards(), st.integers(2, 5))
def test_bands_are_every_sum_once_with_their_rows_and_mean_chance(card, most):
    chances, split, _ = card
    found = bands_of(chances, split, most)
    lowest, highest = split.span
    covered = [t for r in found[::-1].itertuples() for t in range(r.from_total, r.to_total + 1)]
    assert covered == list(range(lowest, highest + 1))
    assert split.total in set(found["from_total"]), "no band holds both answers"
    for row in found.itertuples():
        held = chances[chances["total"].between(row.from_total, row.to_total)]
        assert row.weight == pytest.approx(held["weight"].sum())
        assert row.share == pytest.approx(np.average(held["share"], weights=held["weight"]))
        assert row.chance == pytest.approx(np.average(held["chance"], weights=held["weight"]))
    assert (np.diff(found["chance"]) < 0).all()


@pytest.mark.slow
@given(cards(), st.integers(2, 5))
def test_the_rule_of_bands_gives_each_sum_the_number_of_its_band(card, most):
    chances, split, _ = card
    found = bands_of(chances, split, most)
    rule = rule_of_bands(found, split)
    columns = {c.feature: np.array([0.0, 1.0])[np.arange(16) >> k & 1] for k, c in enumerate(TESTS)}
    for total, shown in zip(split.compared(columns), rule.predict(columns), strict=True):
        (band,) = found[(found["from_total"] <= total) & (total <= found["to_total"])].itertuples()
        assert shown == f"{round(100 * band.chance)} of 100"
    assert len(set(rule.labels)) == rule.n_clauses, "neighbours that say the same are one"


def test_few_rows_make_no_band_if_a_side_has_others():
    weight = np.array([50.0, 2.0, 48.0])
    reported = {"total": [0, 1, 2], "weight": weight, "share": [0.0, 1.0, 0.9]}
    chances = pd.DataFrame(reported | {"chance": [0.1, 0.6, 0.9]})
    split = PointsSplit(TESTS[:2], (1, 1), 1)
    assert bands_of(chances, split, 3)["from_total"].tolist() == [1, 0]
