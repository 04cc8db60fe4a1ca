"""What a rule is worth on a part of the table, and whether it has overfitted."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

from rulekit.rules import Clause, Literal, RuleSet
from ui.rule_numbers import BY_CHANCE, Rows, confusion, error, overfit_words

RULE = RuleSet((Clause((Literal("age", ">", 50.0),)),), ("ill",), "dnf", "well")


def part(name, n, wrong):
    """Make rows of which the rule is wrong about so many."""
    X = pd.DataFrame({"age": np.full(n, 60.0)})
    y = np.array(["well"] * wrong + ["ill"] * (n - wrong), dtype=object)
    return Rows(name, X, y, {"age": X["age"].to_numpy()})


@pytest.mark.parametrize(
    ("train", "test", "result"),
    [
        ((136, 8), (59, 14), True),  # 5.9 % and 23.7 %, as a formula of four conditions had it
        ((700, 135), (300, 74), False),  # 19.3 % and 24.7 %
        ((700, 0), (300, 0), False),
        ((300, 74), (700, 135), False),  # better on test rows
        ((100, 100), (100, 100), False),
    ],
)
def test_overfitting_is_reported_unless_chance_explains_it(train, test, result):
    here, there = part("training", *train), part("test", *test)
    table = [[test[1], test[0] - test[1]], [train[1], train[0] - train[1]]]
    assert (fisher_exact(table, alternative="greater").pvalue <= BY_CHANCE) == result
    assert bool(overfit_words(RULE, here, there)) == result


def test_the_sentence_gives_both_errors():
    words = overfit_words(RULE, part("training", 136, 8), part("test", 59, 14))
    assert "23.7 % of the test rows are wrong, 5.9 % of the training rows" in words


def test_counts_have_the_truth_in_rows():
    rows = part("training", 10, 3)
    assert error(RULE, rows) == 0.3
    table = confusion(RULE, rows, ["ill", "well"])
    assert table.loc["well", "ill"] == 3
    assert table.to_numpy().sum() == 10
