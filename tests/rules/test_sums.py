"""Sums of columns: what they mean row by row, their negation, their text, their plain form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.families.hyperplane.solver.half_space import plane_values
from rulekit.rules import Clause, Factor, LinearSplit, PowerLaw, PowerLawSplit, RuleSet, simplify
from rulekit.rules.codec import rule_from_dict, rule_to_dict
from tests.strategies.power_laws import rows, split_rules, splits
from tests.strategies.rules import columns as table_columns
from tests.strategies.rules import literals, points_splits


def plain_answer(split, row):
    """One row, as the docstring says it."""
    if any(np.isnan(row[f]) for f in split.features):
        return split.missing
    total = 0.0
    for place, law in enumerate(split.terms):
        up = down = 1.0
        for f in law.factors:
            value = row[f.feature] if f.floor is None else max(row[f.feature], f.floor)
            for _ in range(abs(f.exponent)):
                if f.exponent > 0:
                    up *= value - f.shift
                else:
                    down *= value - f.shift
        part = law.weight * (up / down)
        total = part if place == 0 else total + part
    within = total <= split.high and (split.low is None or total >= split.low)
    return within == split.inside


@given(splits(), rows())
def test_split_equals_its_parts_row_by_row(split, columns):
    n = len(columns["mass"])
    table = [{name: values[i] for name, values in columns.items()} for i in range(n)]
    assert split.mask(columns).tolist() == [plain_answer(split, row) for row in table]


@given(splits(), rows())
def test_the_margin_is_at_most_zero_exactly_within_the_bounds(split, columns):
    known = ~np.isnan(split.total(columns))
    within = split.mask(columns) == split.inside
    np.testing.assert_array_equal((split.margin(columns) <= 0)[known], within[known])


@pytest.mark.slow
@given(split_rules(), rows())
def test_simplifying_a_rule_of_splits_changes_no_answer(rule, columns):
    assert simplify(rule).predict(columns).tolist() == rule.predict(columns).tolist()


def ratio():
    return PowerLaw(-0.031, (Factor("height", -2, floor=0.1), Factor("mass", 1)))


def test_a_split_reads_like_a_formula_over_numbers():
    one = PowerLaw(1.0, (Factor("age", 2, shift=-3.0),))
    cut = PowerLawSplit((one, ratio()), 4.2, missing=True)
    assert str(cut) == "(age + 3)^2 - 0.031 * mass / max(height, 0.1)^2 <= 4.2 (or missing)"
    band = PowerLawSplit((one,), 4.2, 1.0)
    assert str(band) == "1 <= (age + 3)^2 <= 4.2"
    assert str(band.negate()) == "not (1 <= (age + 3)^2 <= 4.2) (or missing)"
    assert str(cut.negate()).startswith("(age + 3)^2 - 0.031 * mass / max(height, 0.1)^2 > 4.2")
    split = PowerLawSplit((ratio(), PowerLaw(1.0, (Factor("mass", 3),))), 0.0)
    assert split.n_conditions == 3
    assert split.features == ("mass", "height")
    split = PowerLawSplit((ratio(),), 0.0)
    with pytest.raises(RuleError, match="reads column 'mass', which the table does not have"):
        split.mask({"height": np.array([1.0])})
    text = {"height": np.array([1.0]), "mass": np.array(["a"], dtype=object)}
    with pytest.raises(RuleError, match="computes with column 'mass', but the column holds text"):
        split.mask(text)
    split = PowerLawSplit((PowerLaw(1.0, (Factor("smoker"),)),), 0.5)
    smoker = np.array([True, False, None], dtype=object)
    assert split.mask({"smoker": smoker}).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Factor("a", 0), "must be a whole number, not 0: 0"),
        (lambda: Factor("a", 1.5), "must be a whole number"),
        (lambda: Factor("a", -1), "needs a floor above its shift 0.0, got None"),
        (lambda: Factor("a", -1, shift=2.0, floor=2.0), "needs a floor above its shift"),
        (lambda: Factor(3, 1), "column name must be text"),
        (lambda: Factor("a", 1, shift=np.inf), "shift of a power law must be a finite number"),
        (lambda: PowerLaw(0.0, (Factor("a"),)), "needs a weight other than 0"),
        (lambda: PowerLaw(1.0, ()), "at least one factor"),
        (lambda: PowerLaw(1.0, (Factor("a"), Factor("a", 2))), "each of another column"),
        (lambda: PowerLaw("1", (Factor("a"),)), "weight of a power law must be a finite number"),
        (lambda: PowerLawSplit((), 0.0), "at least one power law"),
        (lambda: PowerLawSplit((ratio(),), 0.0, 1.0), "needs low <= high"),
        (lambda: PowerLawSplit((ratio(),), np.nan), "high of a power law must be a finite number"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(make, message):
    with pytest.raises(RuleError, match=message):
        make()


def test_a_stored_split_that_is_damaged_is_named():
    rule = RuleSet((Clause((PowerLawSplit((ratio(),), 0.0),)),), ("a",), "dnf", "b")
    for change, message in (
        ({"high": None}, "high of a power law must be a finite number"),
        ({"inside": 1}, "'inside' must be true or false"),
        ({"terms": [3]}, "'terms' must be dictionaries"),
        ({"terms": [{"weight": 1.0, "factors": [{"feature": "a"}]}]}, "'exponent' of type int"),
    ):
        data = rule_to_dict(rule)
        data["clauses"][0][0] |= change
        with pytest.raises(RuleError, match=f"Clause 1, condition 1: .*{message}"):
            rule_from_dict(data)


def test_crossings_take_the_shift_of_their_own_column():
    law = PowerLaw(1.0, (Factor("a", 2, shift=1.0), Factor("b", 1, shift=5.0)))
    result = PowerLawSplit((law,), 12.0).crossings("a", {"b": 8.0})
    assert result == pytest.approx((-1.0, 3.0))  # 3 (a - 1)^2 = 12
    law = PowerLaw(1.0, (Factor("a", 2), Factor("b", 1)))
    assert PowerLawSplit((law,), 8.0).crossings("a", {"b": 8.0}) == pytest.approx((-1.0, 1.0))
    assert PowerLawSplit((law,), 0.0).crossings("a", {"b": 8.0}) == ()


@pytest.mark.parametrize("value", [1e103, 1.7e308, 5e-324, -1e200, 0.0])
@pytest.mark.parametrize("exponent", [3, -3])
def test_crossings_of_extreme_rows_raise_nothing(value, exponent):
    law = PowerLaw(1.0, (Factor("a", 2), Factor("b", exponent, floor=1e-300)))
    crossings = PowerLawSplit((law, PowerLaw(1.0, (Factor("a", 1),))), 12.0).crossings
    assert np.isfinite(crossings("a", {"b": value})).all()


NUMBERS = st.floats(-1e3, 1e3).filter(lambda v: v == 0 or abs(v) > 1e-6)
PLANE = LinearSplit((("age", 0.5), ("bmi", -1.25)), "<=", 3.0)


@st.composite
def linear_splits(draw):
    weights = draw(st.lists(NUMBERS.filter(bool), min_size=1, max_size=4))
    terms = tuple((f"x{j}", w) for j, w in enumerate(weights))
    op, missing = draw(st.sampled_from(["<=", ">"])), draw(st.booleans())
    return LinearSplit(terms, op, draw(NUMBERS), missing)


@st.composite
def plane_rows(draw):
    cells = st.lists(st.one_of(NUMBERS, st.just(np.nan)), min_size=6, max_size=6)
    return {f"x{j}": np.array(draw(cells)) for j in range(4)}


@pytest.mark.parametrize(
    ("conditions", "tables"),
    [
        (literals(), table_columns()),
        pytest.param(points_splits(), table_columns(), marks=pytest.mark.slow),
        (splits(), rows()),
        (linear_splits(), plane_rows()),
    ],
    ids=["literal", "points", "power_law", "linear"],
)
@given(data=st.data())
def test_a_row_meets_a_condition_or_its_negation(conditions, tables, data):
    condition, columns = data.draw(conditions), data.draw(tables)
    np.testing.assert_array_equal(condition.negate().mask(columns), ~condition.mask(columns))
    assert condition.negate().negate() == condition


@given(linear_splits(), st.data())
def test_the_sum_is_the_very_double_of_the_solvers(split, data):
    n = len(split.terms)
    rows = np.array(data.draw(st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=1)))
    columns = {f: rows[:, j] for j, f in enumerate(split.features)}
    expected = plane_values(rows, np.array([w for _, w in split.terms]))
    np.testing.assert_array_equal(split.total(columns), expected)


def test_gaps_and_truth_values_count_as_stated():
    columns = {"age": np.array([np.nan, 1.0]), "bmi": np.array([1.0, np.nan])}
    assert not PLANE.mask(columns).any()
    assert PLANE.negate().mask(columns).all()
    columns = {"age": np.array([True, False, None], dtype=object), "bmi": np.zeros(3)}
    assert LinearSplit((("age", 1.0), ("bmi", 1.0)), ">", 0.5).mask(columns).tolist() == [
        True, False, False,
    ]  # fmt: skip
    assert str(PLANE) == "0.5 * age - 1.25 * bmi <= 3"
    assert str(PLANE.negate()) == "0.5 * age - 1.25 * bmi > 3 (or missing)"
    assert PLANE.n_conditions == 2


@pytest.mark.parametrize(
    ("terms", "op", "value", "words"),
    [
        ((), "<=", 1.0, "at least one column"),
        ((("a", 1.0), ("a", 2.0)), "<=", 1.0, "none of them twice"),
        ((("a", 0.0),), "<=", 1.0, "other than 0"),
        ((("a", 1.0),), "==", 1.0, "operator must be one of"),
        ((("a", float("inf")),), "<=", 1.0, "a finite number, got inf"),
        ((("a", 1.0),), "<=", None, "a finite number, got None"),
    ],
)
def test_parts_of_a_plane_that_do_not_go_together_are_refused(terms, op, value, words):
    with pytest.raises(RuleError, match=words):
        LinearSplit(terms, op, value)


def test_a_column_that_is_absent_or_of_text_is_named():
    with pytest.raises(RuleError, match="reads column 'bmi'"):
        PLANE.mask({"age": np.zeros(1)})
    with pytest.raises(RuleError, match="column 'age', but the column holds text"):
        PLANE.mask({"age": np.array(["x"], dtype=object), "bmi": np.zeros(1)})
