"""Cut points of one column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.binning.thresholds import METHODS, automatic_cuts, mdlp_cuts, short_cuts
from tests.reference import binning as plain

whole = st.integers(-20, 20).map(float)
rough = st.floats(-1e6, 1e6).map(lambda v: v + 0.0)
some_values = st.lists(st.one_of(whole, rough), min_size=2, max_size=40)


@st.composite
def labelled(draw, n_classes=3):
    values = draw(st.lists(st.integers(0, 12).map(float), min_size=4, max_size=60))
    size = len(values)
    noise = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    classes = [(int(v) // 5 + (e == 0)) % n_classes for v, e in zip(values, noise, strict=True)]
    return np.array(values), np.array(classes)


tied = st.lists(st.sampled_from([0] * 12 + list(range(-5, 9))).map(float), min_size=2, max_size=60)


@given(st.one_of(some_values, tied), st.integers(1, 12))
@pytest.mark.slow
def test_quantile_cuts_divide_the_rows_as_the_definition_does(values, n_thresholds):
    cuts = automatic_cuts(np.array(values), None, "quantile", n_thresholds)
    raw = plain.quantiles(values, n_thresholds)
    wanted = {plain.split_of(values, cut) for cut in raw if plain.separates(values, cut)}
    if not wanted and len(set(values)) > 1:
        wanted = {plain.split_of(values, sorted(set(values))[-2])}
    assert {plain.split_of(values, cut) for cut in cuts} == wanted


def test_common_values_and_planted_cuts_are_separated():
    values = np.r_[np.zeros(900), np.arange(1, 101)]
    cuts = automatic_cuts(values, None, "quantile", 10)
    assert np.histogram(values, [-1, *cuts + 0.5, 101])[0].tolist() == [900, *[10] * 10]
    values = np.r_[np.arange(100), np.full(300, 40.0)]
    codes = np.searchsorted(automatic_cuts(values, None, "quantile", 10), values)
    assert set(values[codes == codes[-1]]) == {40}
    assert np.unique(codes[values < 40]).size == 4
    assert np.unique(codes[values > 40]).size == 6
    values = np.arange(100.0)
    assert automatic_cuts(values, (values > 41).astype(int), "entropy", 10).tolist() == [41.0]
    classes = ((values > 20) & (values <= 60)).astype(int)
    assert automatic_cuts(values, classes, "tree", 2).tolist() == [20.0, 60.0]
    values = 1e9 + np.arange(8.0)
    cuts = automatic_cuts(values, (values > 1e9 + 3).astype(int), "tree", 3)
    assert cuts.tolist() == [1e9 + 3]
    assert automatic_cuts(np.array([1.0, 2, 3, 4, 5]), None, "median", 10).tolist() == [3.0]
    assert short_cuts(np.array([1.5e300]), np.array([1e300, 2e300])).tolist() == [1.5e300]


@pytest.mark.parametrize("method", sorted(METHODS))
@given(case=labelled(), n_thresholds=st.integers(1, 6))
def test_every_cut_separates_rows_and_no_two_cuts_separate_the_same(method, case, n_thresholds):
    values, classes = case
    cuts = automatic_cuts(values, classes, method, n_thresholds)
    splits = [plain.split_of(values, cut) for cut in cuts]
    assert all(plain.separates(values, cut) for cut in cuts)
    assert len(set(splits)) == len(splits) <= n_thresholds
    assert list(cuts) == sorted(cuts)


@given(some_values)
def test_every_distinct_value_is_separated_without_a_limit(values):
    cuts = automatic_cuts(np.array(values), None, "quantile", None)
    assert len(cuts) == len(set(values)) - 1
    codes = np.searchsorted(cuts, sorted(set(values)), side="left")
    assert codes.tolist() == list(range(len(cuts) + 1))


@given(some_values, st.integers(1, 5))
def test_equal_widths_differ_by_less_than_the_gaps_they_fall_in(values, n_thresholds):
    low, high = min(values), max(values)
    parts = range(1, n_thresholds + 1)
    raw = [low * (1 - k / (n_thresholds + 1)) + high * (k / (n_thresholds + 1)) for k in parts]
    wanted = {plain.split_of(values, cut) for cut in raw if plain.separates(values, cut)}
    cuts = automatic_cuts(np.array(values), None, "uniform", n_thresholds)
    assert {plain.split_of(values, cut) for cut in cuts} == wanted or low == high


@given(st.lists(rough, min_size=2, max_size=20, unique=True), st.data())
def test_cuts_are_written_with_the_fewest_decimals_their_gap_allows(values, data):
    distinct = np.array(sorted(values))
    place = data.draw(st.integers(0, len(distinct) - 2))
    low, high = float(distinct[place]), float(distinct[place + 1])
    raw = data.draw(st.floats(low, high, exclude_max=True))
    (cut,) = short_cuts(np.array([raw]), distinct)
    assert low <= cut < high
    fewest = plain.fewest_decimals(low, high)
    if fewest <= 9:
        assert plain.decimals(cut) == fewest
        assert abs(cut - raw) <= 10.0**-fewest


@pytest.mark.parametrize(
    ("raw", "distinct", "cut"),
    [
        (127.5, [127, 128], 127),
        (3.14159, [3.1, 3.2], 3.1),
        (0.5, [0.499, 0.511], 0.5),
        (-0.25, [-0.31, -0.19], -0.3),
        (12.3, [7.9, 25.2], 12),
        (1.25e-7, [1.1e-7, 1.4e-7], 1.2e-7),
        (0.0, [-0.0, 1.0], 0),
    ],
    ids=str,
)
def test_cuts_read_as_a_person_would_write_them(raw, distinct, cut):
    (result,) = short_cuts(np.array([raw]), np.array(distinct, dtype=float))
    assert result == pytest.approx(cut, abs=1e-15)
    assert len(repr(float(result))) <= len(repr(float(cut)))


@given(labelled())
def test_entropy_cuts_equal_an_exhaustive_search(case):
    values, classes = case
    assert mdlp_cuts(values, classes).tolist() == plain.mdlp(values.tolist(), classes.tolist())


@given(labelled(), st.integers(1, 3))
def test_a_limited_number_of_entropy_cuts_is_a_part_of_all(case, limit):
    values, classes = case
    some, most = mdlp_cuts(values, classes, limit), mdlp_cuts(values, classes)
    assert set(some) <= set(most)
    assert len(some) == min(limit, len(most))


@pytest.mark.parametrize("method", ["quantile", "uniform", "median"])
def test_a_column_that_is_mostly_its_largest_value_is_still_cut(method):
    values = np.array([0.0, 1.0, *[2.0] * 98])
    cuts = automatic_cuts(values, None, method, 1)
    assert len(cuts) == 1
    assert plain.separates(values, cuts[0])


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_constant_column_has_no_cut(method):
    assert automatic_cuts(np.ones(5), np.array([0, 1, 0, 1, 1]), method, 4).tolist() == []
