"""Every removal can be checked by sums and comparisons alone, and forged ones are refused."""

import dataclasses

import numpy as np
import pytest

from rulekit.search.columns.priced_columns import price_columns
from rulekit.search.screening.screen import (
    ENHANCED,
    TESTS,
    Outcome,
    Screening,
    list_unproved,
    screen,
)
from tests.reference import screening as reference
from tests.strategies.covers import binned_matrix, chained
from tests.strategies.screening import lp_bounds, solved_instances, tied_table

EVERYTHING = (*TESTS, "duality given")


def column_of(A):
    return lambda j: A[:, j]


@pytest.mark.slow
def test_every_certificate_holds_also_by_its_printed_numbers():
    for theta, cells, matrix, y, weight, _, _ in solved_instances()[::3]:
        problem = price_columns(cells, y, theta, weight)
        screening = screen(problem, EVERYTHING, lp_bounds(problem))
        assert list_unproved(screening, column_of(matrix), y, theta, weight) == []
    checked = set()
    for theta, cells, matrix, y, weight, _, _ in solved_instances()[::3]:
        screening = screen(price_columns(cells, y, theta, weight), ENHANCED)
        bounds = screening.outcomes[-1].bounds
        for j in np.flatnonzero(screening.removed):
            why = screening.removal(int(j))
            checked.add(why["test"])
            assert reference.certificate_holds(j, why, matrix, y, weight, theta, bounds)
    assert checked == {"simple", "pairs", "duality"}


def test_the_checker_refuses_certificates_that_were_tampered_with():
    refused = {"simple": 0, "pairs": 0, "duality": 0}
    for theta, cells, matrix, y, weight, _, _ in solved_instances()[:60]:
        result = screen(price_columns(cells, y, theta, weight), ENHANCED)
        for k, outcome in enumerate(result.outcomes):
            kept = np.flatnonzero(~outcome.removed)
            if not len(kept):
                continue
            wrong = outcome.removed.copy()
            wrong[kept[0]] = True
            forged = dataclasses.replace(outcome, removed=wrong)
            outcomes = (*result.outcomes[:k], forged, *result.outcomes[k + 1 :])
            reported = list_unproved(
                dataclasses.replace(result, outcomes=outcomes), column_of(matrix), y, theta, weight
            )
            assert (outcome.test, int(kept[0])) in reported
            refused[outcome.test] += 1
    assert min(refused.values()) > 10


def test_values_that_overdraw_or_circle_prove_nothing():
    cells, matrix, y, weight, _ = tied_table(5, cuts=3)
    result = screen(price_columns(cells, y, 0.1, weight), ENHANCED)
    outcome = result.outcomes[-1]
    assert outcome.removed.any()
    too_much = dataclasses.replace(outcome.bounds, mu=np.ones_like(outcome.bounds.mu))
    forged = dataclasses.replace(result, outcomes=(dataclasses.replace(outcome, bounds=too_much),))
    reported = list_unproved(forged, column_of(matrix), y, 0.1, weight)
    assert len(reported) == outcome.removed.sum()
    A = np.array([[True, True], [True, True], [False, False]])
    y = np.array([True, True, False])
    both = Outcome("pairs", np.ones(2, bool), np.array([1, 0]), np.zeros(0))
    forged = Screening(price_columns(chained(binned_matrix(A)), y, 0.5), (both,))
    assert list_unproved(forged, column_of(A), y, 0.5) == [("pairs", 0), ("pairs", 1)]
