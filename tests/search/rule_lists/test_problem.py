import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.rule_lists import ListProblem
from tests.reference import rule_lists as slow
from tests.strategies.rule_lists import list_problems, lists_for


@given(data=st.data())
def test_answers_loss_and_size_are_those_of_the_slow_twin(data):
    problem = data.draw(list_problems())
    rules = data.draw(lists_for(problem))
    rows = range(len(problem.y))
    assert problem.answers(rules).tolist() == [slow.answer_of(problem, rules, i) for i in rows]
    assert problem.loss(rules) == slow.loss_of(problem, rules)
    assert problem.n_conditions(rules) == slow.literals_of(problem, rules)


def flat(codes, y, weight, K):
    parts = [np.array(part) for part in (codes, [2, 2], y, weight)]
    may = np.ones((2, 2), bool)
    return ListProblem(*parts, K, may, may, may[0])


def test_equal_rows_of_one_class_are_merged_in_an_order_of_their_own():
    rows = [([0, 1], 2, 1.0), ([1, 0], 0, 0.5), ([0, 1], 2, 3.0), ([0, 1], 1, 2.0)]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        problem = flat(*zip(*(rows[k] for k in order), strict=True), 3)
        assert problem.codes.tolist() == [[0, 1], [0, 1], [1, 0]]
        assert problem.y.tolist() == [1, 2, 0]
        assert problem.weight.tolist() == [2.0, 4.0, 0.5]
        assert problem.empty().default == 2


def test_a_class_that_is_no_number_of_one_is_refused():
    with pytest.raises(ValueError, match="from 0 to 1; `y` holds 0 to 2"):
        flat([[0, 1], [1, 1]], [0, 2], [1.0, 1.0], 2)
