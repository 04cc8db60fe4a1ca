"""What wrong answers cost: as people say it, by class, by row; and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Costs, DataError

PAIRS = {("a", "b"): 2.0, ("a", "c"): 4.0, ("b", "a"): 1.0}
PAIRS |= {("b", "c"): 1.0, ("c", "a"): 7.0, ("c", "b"): 9.0}
COST = st.floats(0.01, 1e6)


@given(COST, COST, st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20))
def test_a_miss_and_a_false_alarm_cost_the_given_amounts(miss, false_alarm, rows):
    y = ["ill" if true else "well" for true, _ in rows]
    predicted = ["ill" if answer else "well" for _, answer in rows]
    counts = Costs(miss, false_alarm, positive="ill").compute(y, predicted)
    names = {("ill", "well"): miss, ("well", "ill"): false_alarm}
    assert counts.tolist() == [names.get(pair, 0.0) for pair in zip(y, predicted, strict=True)]
    matrix = Costs(matrix=names)
    assert matrix.compute(y, predicted).tolist() == counts.tolist()
    assert matrix.class_weight(["ill", "well"]) == {"ill": miss, "well": false_alarm}


def test_costs_name_their_class_and_every_pair():
    classes = np.array([0, 1])
    assert Costs(5, 1).class_weight(classes) == {1: 5.0, 0: 1.0}
    assert Costs(5, 1).class_weight(classes, 0) == {0: 5.0, 1: 1.0}
    assert Costs(5, 1, positive=0).class_weight(classes, 1) == {0: 5.0, 1: 1.0}
    assert Costs(5, 1, positive=0).to_matrix(classes) == Costs(matrix={(0, 1): 5, (1, 0): 1})
    costs = Costs(matrix=PAIRS)
    assert costs.class_weight(["a", "b", "c"]) == {"a": 3.0, "b": 1.0, "c": 8.0}
    assert costs.compute(list("abca"), list("cbbb")).tolist() == [4.0, 0.0, 9.0, 2.0]
    assert str(Costs(1200, 0.5, "EUR")) == "a miss costs 1,200 EUR, a false alarm 0.5 EUR"
    assert str(Costs(matrix={(1, 0): 2, (0, 1): 1})) == "1 answered 0 costs 2, 0 answered 1 costs 1"
    assert Costs(5, 1, "EUR").measure == "cost a 100 cases (EUR)"
    assert Costs(5, 1).measure == "cost a 100 cases"
    less = Costs(matrix={pair: cost for pair, cost in PAIRS.items() if "c" not in pair})
    with pytest.raises(DataError, match=r"\('a', 'c'\) is missing\. Add it"):
        less.class_weight(["a", "b", "c"])
    with pytest.raises(DataError, match=r"\('c', 'a'\) is missing\. Add it"):
        less.compute(["a", "c"], ["a", "a"])
    with pytest.raises(DataError, match=r"there are 3 \('a', 'b', 'c'\)\. Give `matrix`"):
        Costs(5, 1).class_weight(["a", "b", "c"])
    with pytest.raises(ValueError, match=r"must be one of the classes .* got 'x'"):
        Costs(5, 1, positive="x").class_weight(["a", "b"])


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any))
def test_the_cheapest_constant_answer_is_the_one_of_least_cost(counts):
    y = np.repeat(list("abc"), counts)
    costs = Costs(matrix=PAIRS)
    each = {c: costs.compute(y, np.full(len(y), c)).mean() * 100 for c in "abc"}
    answer, cost = costs.cheapest(list("abc"), counts)
    assert cost == pytest.approx(min(each.values()))
    assert each[answer] == pytest.approx(cost)


@pytest.mark.parametrize("cost", [0, -1, math.nan, math.inf, None, "5", True])
def test_a_cost_that_is_no_positive_number_is_refused(cost):
    with pytest.raises(ValueError, match="`miss` must be a positive number, got"):
        Costs(cost, 1)
    with pytest.raises(ValueError, match="The cost of 'a' answered 'b' must be a positive number"):
        Costs(matrix={("a", "b"): cost})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"miss": 5}, "`false_alarm` must be a positive number.*got None"),
        ({"miss": 5, "false_alarm": 1, "matrix": PAIRS}, "`matrix` has the cost of every error"),
        ({"positive": "a", "matrix": PAIRS}, "`matrix` has the cost of every error"),
        ({"matrix": {}}, "must map pairs"),
        ({"matrix": {"ab": 1}}, r"must be a pair \(true, answered\), got 'ab'"),
        ({"matrix": {("a", "a"): 1}}, "A correct prediction must cost 0"),
    ],
)
def test_costs_that_are_not_whole_or_given_twice_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        Costs(**given)
