import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.box_search.search import SingleBox
from tests.reference import rule_lists as slow
from tests.strategies.boxes import box_rows
from tests.strategies.rule_lists import list_problems

CLOSE = 1e-5


def worth(problem, box, savings, theta):
    rules = slow.list_of(problem, [box], (0,), 0)
    inside = [slow.violations_of(problem, rules, 0, i) == 0 for i in range(len(savings))]
    return savings[inside].sum() - theta * slow.literals_of(problem, rules)


@given(data=st.data())
def test_search_starts_at_the_best_small_box_and_ends_at_a_minimum(data):
    problem = data.draw(list_problems(max_rows=10, max_bins=3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    theta = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    single = SingleBox(problem)
    savings = rng.integers(-4, 5, len(problem.y)) / 2.0
    start = single.start_box(savings, theta)
    small = max(worth(problem, box, savings, theta) for box in slow.small_boxes(problem))
    assert abs(worth(problem, start, savings, theta) - small) <= CLOSE
    other = rng.integers(-4, 5, len(problem.y)) / 2.0  # savings change from call to call
    end = single.improve(other, start, theta)
    value = worth(problem, end, other, theta)
    assert value >= worth(problem, start, other, theta)
    for rules in slow.changed(problem, slow.list_of(problem, [end], (0,), 0)):
        assert worth(problem, slow.boxes_of(rules)[0], other, theta) <= value + CLOSE


def test_without_features_the_best_box_is_the_whole():
    problem = box_rows(np.zeros((3, 0), int), np.zeros(0, int), np.array([0, 1, 1]))
    assert SingleBox(problem).start_box(np.ones(len(problem.y)), 0.1).shape == (0, 3)
