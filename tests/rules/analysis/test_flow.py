"""How a rule divides rows."""

import numpy as np

from rulekit.rules import Clause, Literal, RuleSet
from rulekit.rules.analysis.flow import divide_rows

AGE = {"age": np.array([60.0, 40.0, 20.0, 10.0])}
OLD, ADULT = Clause((Literal("age", ">", 50),)), Clause((Literal("age", ">", 18),))


def test_clause_takes_what_no_earlier_clause_takes():
    parts = divide_rows(RuleSet((OLD, ADULT), ("a", "b"), "dnf", "c"), AGE)
    assert [part.rows.tolist().count(True) for part in parts] == [4, 1, 2, 1]
    assert [part.start for part in parts] == [0, 0, 1, 3]


def test_clause_of_a_cnf_takes_the_rows_that_fail_it():
    parts = divide_rows(RuleSet((ADULT,), ("adult",), "cnf", "child"), AGE)
    assert [(part.label, int(part.rows.sum())) for part in parts[1:]] == [
        ("child", 1),
        ("adult", 3),
    ]
