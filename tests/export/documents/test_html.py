"""A confusion table as a page shows it, and what notebooks show: the rule and its counts."""

import re

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, FixedRuleClassifier, ScorecardClassifier
from rulekit.explain import explain
from rulekit.export.documents.html import matrix_html
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet

NAME = "<b>a</b>"
MOST = 4_000  # bytes


def table(n=200):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({NAME: rng.normal(size=n), "b": rng.choice(["x", "y"], n)})
    return X, np.where((X[NAME] > 0.3) & (rng.random(n) < 0.9), "yes", "no")


X, Y = table()


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_fitted_model_shows_rule_and_training_counts(form):
    model = BoxSearchClassifier(form=form, positive_label="yes", n_perturbations=0).fit(X, Y)
    shown = model._repr_html_()
    assert len(shown) < MOST
    assert "<script" not in shown
    assert NAME not in shown
    assert "&lt;b&gt;a&lt;/b&gt;" in shown
    counts = [tuple(map(int, pair)) for pair in re.findall(r"(\d+) of (\d+) correct", shown)]
    assert len(counts) == model.n_rules_ + 1
    assert sum(decided for _, decided in counts) == len(X)
    assert sum(decided - right for right, decided in counts) == int((model.predict(X) != Y).sum())
    deciding = model.rule_set_.clauses_deciding(model.read_columns(X))
    assert [n for _, n in counts[:-1]] == deciding.sum(axis=0).tolist()
    assert model._repr_mimebundle_()["text/html"] == shown


def test_rules_and_explanations_are_shown_without_counts():
    rule = RuleSet((Clause((Literal(NAME, ">", 0.5),)),), ("yes",), "dnf", "no")
    shown = rule._repr_html_()
    assert "THEN" in shown
    assert "correct" not in shown
    assert FixedRuleClassifier(rule)._repr_html_() == shown
    (row,) = explain(rule, X.head(1))
    assert row.sentence.replace(NAME, "&lt;b&gt;a&lt;/b&gt;").split(">")[0] in row._repr_html_()
    assert "no" in RuleSet((), (), "dnf", "no")._repr_html_()


def test_scorecards_are_shown_by_points_and_reasons():
    card = ScorecardClassifier(max_conditions=2, positive_label="yes").fit(X, Y)
    assert "of 100 such cases" in card._repr_html_()
    split = PointsSplit((Literal("b", "==", "x"), Literal(NAME, ">", 9)), (2, 3), 4)
    rule = RuleSet((Clause((split,)),), ("yes",), "dnf", "no")
    assert "3 below the most" in explain(rule, X.head(1))[0]._repr_html_()


def test_models_that_are_not_fitted_show_their_parameters():
    assert "sk-" in BoxSearchClassifier()._repr_html_()


def test_matrix_shades_shares_of_the_actual_class_and_escapes_names():
    counts = pd.DataFrame([[30, 10], [0, 1200]], index=["<i>", "b"], columns=["<i>", "b"])
    html = matrix_html(counts)
    shades = re.findall(r"rgb\(0 114 178/([\d.]+)\)[^>]*>([\d,]+)<", html)
    assert shades == [("0.38", "30"), ("0.12", "10"), ("0.00", "0"), ("0.50", "1,200")]
    assert "<i>" not in html
    assert "vertical" not in html
    long = pd.DataFrame(1, index=range(4), columns=[f"outcome number {k}" for k in range(4)])
    assert matrix_html(long).count("vertical") == 4
