"""The limit on the gap between groups: rules beyond it are not suggested."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table
from rulekit.learners import FixedRuleClassifier
from rulekit.rules import Clause, Literal, RuleSet
from ui.learners.spec import RunSpec
from ui.models.gaps import gap_words, with_gaps
from ui.models.points import Curve
from ui.picked import model_key
from ui.state import AppState, SplitSpec

N = 400
LIMIT = RunSpec(gap_column="sex", max_gap=0.2)


@pytest.fixture(scope="module")
def state():
    sex = np.array(["f", "m"] * (N // 2))
    score = np.arange(N) % 8
    y = np.where(score > 3, "yes", "no")
    frame = pd.DataFrame({"score": score.astype(float), "sex": sex, "y": y})
    table = Table.from_frame(frame).with_roles({"y": "target"}, positive_label="yes")
    return AppState(table=table, split=SplitSpec(test_share=0.0))


@pytest.fixture(scope="module")
def result(state):
    """Two points: a rule that reads the sex and is better on the folds, and one that does not."""
    rules = [Literal("sex", "==", "f"), Literal("score", ">", 5.0)]
    settings = tuple({"learner": "search", "max_conditions": k} for k in (1, 2))
    models = {
        model_key(setting): FixedRuleClassifier(
            RuleSet((Clause((test,)),), ("yes",), "dnf", "no")
        ).fit(*state.training)
        for setting, test in zip(settings, rules, strict=True)
    }
    points = pd.DataFrame(
        {
            "learner": "Short rule",
            "limit": [1, 2],
            "folds": 10,
            "test_error": [0.1, 0.2],
            "test_error_se": 0.01,
            "train_error": [0.1, 0.2],
            "n_conditions": [1.0, 1.0],
            "n_clauses_used": 1.0,
        }
    )
    return Curve(settings, (RunSpec(),) * 2, points, models)


def test_only_a_rule_within_the_limit_is_suggested(result, state):
    assert result.suggestion.number == 0
    limited = with_gaps(result, LIMIT, state)
    assert limited.gaps == (1.0, 0.0)
    assert limited.suggestion.number == 1
    assert "Among the 1 of 2 rules with a gap of at most 20 points" in limited.suggestion.why
    assert gap_words(limited, 0, state) == (
        "Gap by sex: 100.0 points on the training rows (20 points allowed)."
    )
    assert with_gaps(limited, LIMIT, state) is limited
    unknown = replace(limited, gaps=(math.nan, 0.0))
    assert gap_words(unknown, 0, state) == (
        "The gap by sex cannot be measured: its groups are too small."
    )


def test_without_a_limit_nothing_changes(result, state):
    assert with_gaps(result, RunSpec(), state) is result
    assert gap_words(result, 0, state) == ""
    again = with_gaps(with_gaps(result, LIMIT, state), RunSpec(), state)
    assert again.suggestion == result.suggestion


def test_a_limit_that_no_rule_keeps_is_said(result, state):
    only = replace(result, settings=result.settings[:1], points=result.points[:1])
    limited = with_gaps(only, LIMIT, state)
    assert limited.suggestion.number == 0
    assert "No rule here keeps a gap of at most 20 points" in limited.suggestion.why
