"""Small programs: an answer is checked, and a time limit kept."""

from rulekit.search.columns import simplex_kernels
from rulekit.search.columns import small_dual as module
from rulekit.search.columns.small_dual import solve_small_dual
from tests.strategies.covers import small_dual


def test_an_answer_that_is_not_optimal_is_refused(monkeypatch):
    P, c, m = small_dual(1, 30, 20)
    assert solve_small_dual(P, c, m) is not None
    with monkeypatch.context() as patch:
        patch.setattr(simplex_kernels, "optimise", lambda *_: simplex_kernels.OPTIMAL)
        assert solve_small_dual(P, c, m) is None
    monkeypatch.setattr(module, "MOST", 0)
    assert solve_small_dual(P, c, m) is None


def test_a_time_limit_that_has_passed_is_reported():
    P, c, m = small_dual(1, 30, 20)
    assert solve_small_dual(P, c, m, time_limit=-1.0).status == "time limit"
