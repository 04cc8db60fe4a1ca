"""The certificate: every number in it is found again by predicting."""

import numpy as np
import pandas as pd
import pytest

from rulekit.learners.from_table.fit import TableCertificate, tallies
from rulekit.learners.from_table.rows import Parts, TableRows
from rulekit.rules import Clause, Literal, RuleSet, clause_statistics
from tests.learners.tables import in_engine, mixed_table

pytest.importorskip("ibis")


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_a_tally_counts_a_rule_and_its_clauses_to_the_row(form):
    X, y = mixed_table(n=900)
    op = "and" if form == "dnf" else "or"
    clauses = (
        Clause((Literal("age", ">", 50.0), Literal("bmi", ">", 27.0, True)), op),
        Clause((Literal("town", "in", ("Ulm", "Kiel")), Literal("smoker", "==", True)), op),
    )
    rule = RuleSet(clauses, ("yes", "yes"), form, "no")
    rows = TableRows(in_engine(X.assign(y=y)), "y", None, Parts(test_share=0.4))
    found = tallies(rule, rows.counted(rule), ["no", "yes"])
    answers = rule.predict(X)
    assert sum(t.n for t in found) == 900
    assert sum(t.errors for t in found) == int((answers != y).sum())
    both = found[0].confusion + found[1].confusion
    assert both[1, 0] == int(((y == "yes") & (answers == "no")).sum())
    for k, result in enumerate(clause_statistics(rule, X, y)):
        assert sum(t.matched[k] for t in found) == result.n
        assert sum(t.right[k] for t in found) == result.positives


def test_sentences_state_which_rows_were_counted():
    X, y = mixed_table(n=900)
    rule = RuleSet((Clause((Literal("age", ">", 50.0),)),), ("yes",), "dnf", "no")
    rows = TableRows(in_engine(X.assign(y=y)), "y", None, Parts("bmi", 0.4))
    parts = tallies(rule, rows.counted(rule), ["no", "yes"])
    steps = pd.DataFrame([{"round": 1, "step": "sample"}, {"round": 2, "step": "refined"}])
    result = TableCertificate("duckdb", 900, 100, "bmi", 0, *parts, steps)
    first, second, third, fourth = result.sentences
    wrong = np.asarray(rule.predict(X) != y).sum()
    assert parts[0].errors + parts[1].errors == wrong
    assert f"all {parts[0].n:,} rows learned from: {parts[0].errors:,} wrong" in first
    assert f"all {parts[1].n:,} rows held back, by a hash of column 'bmi'" in second
    assert "2 sample(s) of about 100 rows" in third
    assert "Cuts were moved" in fourth
    assert str(result).splitlines() == list(result.sentences)
