"""Distances to another prediction, in one value and in literals, against plain twins."""

from datetime import datetime, timedelta
from itertools import compress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rulekit import Clause, DataError, Literal, RuleSet, TwoLevelRuleClassifier, load_sample
from rulekit.explain import distance_to_boundary, explain, ranges_of
from rulekit.explain.boundary import hamming_distances
from tests.explain.tables import patients
from tests.reference.two_level import distance

OLD = Literal("age", ">", 50.0)
RULE = RuleSet((Clause((OLD, Literal("bmi", ">=", 30.0))),), ("ill",), "dnf", "well")
RANGES = {"age": 100.0, "bmi": 50.0}


def columns(age, bmi):
    return {"age": np.array([age], dtype=float), "bmi": np.array([bmi], dtype=float)}


@given(st.floats(0, 100), st.floats(0, 60))
def test_the_boundary_agrees_with_trying_values_around_each_threshold(age, bmi):
    row = columns(age, bmi)
    answer = RULE.predict(row)[0]
    gaps = [np.inf]
    for name, threshold in (("age", 50.0), ("bmi", 30.0)):
        for value in (np.nextafter(threshold, 0), threshold, np.nextafter(threshold, 99)):
            if RULE.predict({**row, name: np.array([value])})[0] != answer:
                gaps.append(abs(row[name][0] - threshold) / RANGES[name])
    np.testing.assert_allclose(distance_to_boundary(RULE, row, RANGES), [min(gaps)])


GRADES = ("poor", "fair", "good", "best")
START = datetime(2024, 1, 1)


def day(k):
    return (START + timedelta(days=k)).date().isoformat()


@given(
    st.tuples(st.sampled_from(["<=", "<", ">=", ">"]), st.integers(1, 38)),
    st.sampled_from(["date", "days since 2023-12-01"]),
    st.tuples(st.sampled_from([">=", ">"]), st.integers(1, 2)),
    st.integers(0, 40),
    st.sampled_from([*GRADES, "unheard of"]),
)
def test_distances_of_dates_and_levels_equal_an_exhaustive_search(at, part, grade, k, level):
    cut = day(at[1]) if part == "date" else float(31 + at[1])
    opened = Literal("opened", at[0], cut, part=part)
    clause = Clause((opened, Literal("grade", grade[0], GRADES[grade[1]], order=GRADES)))
    rule = RuleSet((clause,), ("ill",), "dnf", "well")

    def row(k, level):
        return {c: np.array([v], dtype=object) for c, v in (("opened", day(k)), ("grade", level))}

    answer = rule.predict(row(k, level))[0]
    days = [abs(j - k) for j in range(41) if rule.predict(row(j, level))[0] != answer]
    places = [
        abs(j - GRADES.index(level))
        for j in range(4)
        if level in GRADES and rule.predict(row(k, GRADES[j]))[0] != answer
    ]
    result = distance_to_boundary(rule, row(k, level), {"opened": 40.0})[0]
    # trying whole days overshoots the cut by a day at most
    near = [min(places, default=np.inf) / 3, min(days, default=np.inf) / 40]
    assert min(near) - 1 / 40 - 1e-9 <= result <= min(near) + 1e-9 or result == min(near) == np.inf


LITERALS = tuple(Literal(f, op, 0.0) for f in "ab" for op in (">", "<="))
ROWS = {"a": np.array([-1.0, -1.0, 1.0, 1.0]), "b": np.array([-1.0, 1.0, -1.0, 1.0])}


def rule_with(w, form, op):
    clauses = (Clause(tuple(compress(LITERALS, used)), op) for used in w.T)
    return RuleSet(tuple(clauses), (True, True), form, False)


@given(arrays(bool, (4, 2)), st.booleans())
def test_distance_of_a_cnf_is_the_fewest_flips_that_make_it_right(w, y):
    rule = rule_with(w, "cnf", "or")
    distances = hamming_distances(rule, ROWS, np.array([y] * 4, dtype=object))
    assert distances == [distance(a, w, y) for a in np.array([x.mask(ROWS) for x in LITERALS]).T]


@given(arrays(bool, (4, 2)), st.booleans())
def test_distance_equals_that_of_the_mirror_image(w, y):
    rule = rule_with(w, "dnf", "and")
    labels = np.array([y] * 4, dtype=object)
    assert hamming_distances(rule, ROWS, labels) == hamming_distances(rule.negate(), ROWS, labels)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_distances_and_literals_sum_to_the_objective(form):
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = TwoLevelRuleClassifier(n_clauses=2, theta=2.0, form=form).fit(X, y)
    distances = [e.hamming_distance for e in explain(model, X, y)]
    assert sum(distances) + 2.0 * model.n_conditions_ == pytest.approx(model.objective_)


def test_distances_need_numbers_that_vary_and_one_label():
    rule, frame = patients()
    explanation = explain(rule, frame, ["ill", "ill", "well", "ill"])
    assert [e.hamming_distance for e in explanation] == [0, 0, 2, 1]
    with pytest.raises(DataError, match=r"holds 'sick' \(row 1\).* labels are 'ill' and 'well'"):
        explain(rule, frame, ["ill", "sick", "ill", "well"])
    with pytest.raises(DataError, match="4 rows and 2 labels"):
        explain(rule, frame, ["ill", "well"])
    rule = RuleSet((), (), "dnf", "well")
    labels = np.array(["well", "ill"], object)
    assert hamming_distances(rule, {"a": np.zeros(2)}, labels) == [0, None]
    rule = RuleSet((Clause((LITERALS[0],)), Clause((LITERALS[1],))), ("x", "y"), "dnf", "z")
    assert hamming_distances(rule, ROWS, np.array(["x"] * 4, object)) == [None] * 4
    assert distance_to_boundary(RULE, columns(np.nan, 35), RANGES).tolist() == [np.inf]
    table = {
        "age": np.array([20.0, np.nan, 70.0, np.inf]),
        "town": np.array(["a", "b", "c", "d"], dtype=object),
        "one": np.ones(4),
    }
    assert ranges_of(table) == {"age": 50.0}
    rule = RuleSet((Clause((Literal("opened", ">=", 3, part="month"),)),), ("ill",), "dnf", "well")
    table = {"opened": np.array(["2024-01-01", "2024-05-01", None], dtype=object)}
    assert ranges_of(table) == {"opened": 121.0}
    assert np.isinf(distance_to_boundary(rule, table, ranges_of(table))).all()
