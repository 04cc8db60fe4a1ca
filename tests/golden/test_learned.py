"""Every learner reaches the recorded objective, size and error."""

import json

import pytest

from tests.golden.learned import CASES, RECORD, learned, same, written
from tests.learners.test_parameters import LEARNERS

KNOWN = json.loads(RECORD.read_text(encoding="utf-8"))

NOT_RECORDED = {
    "FixedRuleClassifier": "learns nothing",
    "RuleClassifier": "its rule is one of BoxSearchClassifier's, which are recorded",
}

# Those of one small table are looked at while people wait; the gate looks at all.
PARAMETERS = [
    pytest.param(
        case,
        id=case["id"],
        marks=[pytest.mark.slow] if case["slow"] or case["table"] != "iris" else [],
    )
    for case in CASES
]


@pytest.mark.parametrize("case", PARAMETERS)
def test_objective_size_and_error_are_as_recorded(case):
    was, now = KNOWN[case["id"]], learned(case)
    if not same(was, now):
        pytest.fail(f"recorded:\n{written(was)}\n\nlearned now:\n{written(now)}", pytrace=False)


def test_every_case_is_recorded_once_and_nothing_else_is():
    assert sorted(case["id"] for case in CASES) == sorted(KNOWN)


def test_every_learner_has_a_record_or_a_reason_for_none():
    assert set(LEARNERS) == {case["learner"] for case in CASES} | set(NOT_RECORDED)
