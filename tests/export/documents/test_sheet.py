"""The sheet to fill in: a person who follows it gets the answer of the rule."""

import re

import numpy as np
import pytest

from rulekit import RuleClassifier, ScorecardClassifier, load_sample
from rulekit.export import to_sheet
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet, scorecard_of
from rulekit.style.phrases import Wording, condition_text
from tests.explain.tables import patients
from tests.export.readers import Cells

TESTS = (Literal("age", ">", 60), Literal("bp", ">", 140), Literal("sport", "==", True))


def in_band(text, total):
    low, _, high = text.partition(" to ")
    return int(low) <= total <= int(high or low)


def test_adding_the_points_on_the_sheet_gives_the_prediction():
    X, y = load_sample("credit").xy()
    model = ScorecardClassifier(4, bands=4, positive_label="high").fit(X, y)
    card, bands = Cells(to_sheet(model)).tables
    (split,) = scorecard_of(model.rule_set_)
    given = {condition_text(c): p for c, p in split.given}
    assert {row[0]: int(row[1]) for row in card[1:-1]} == given
    assert card[-1][0] == "Total"
    for total in range(split.span[0], split.span[1] + 1):
        ((_, answer, of_100, _),) = [row for row in bands[1:] if in_band(row[0], total)]
        assert (answer == "'high'") == (total >= split.total)
        table = model.bands_
        held = (table["from_total"] <= total) & (total <= table["to_total"])
        assert int(of_100) == round(100 * table["chance"][held].item())


def test_bands_of_a_bare_rule_follow_its_clauses():
    bands = tuple(Clause((PointsSplit(TESTS, (3, 2, -1), t),)) for t in (4, 2))
    rule = RuleSet(bands, ("ill", "watch"), "dnf", "well")
    card, result = Cells(to_sheet(rule, wording=Wording(names={"bp": "Blood <b>"}))).tables
    points = {"age > 60": "3", "Blood <b> > 140": "2", "sport is true": "-1"}
    assert [tuple(row[:2]) for row in card[1:4]] == list(points.items())
    totals = {"4 to 5": "'ill'", "2 to 3": "'watch'", "-1 to 1": "'well'"}
    assert [tuple(row[:2]) for row in result[1:]] == list(totals.items())
    numbers = [np.array([0.0, 99.0])[np.arange(8) >> k & 1] for k in (0, 1)]
    columns = {"age": numbers[0], "bp": 2 * numbers[1]}
    columns["sport"] = np.array([False, True], dtype=object)[np.arange(8) >> 2 & 1]
    sums = bands[0].conditions[0].compute_values(columns)
    for total, predicted in zip(sums, rule.predict(columns), strict=True):
        ((_, answer, _),) = [row for row in result[1:] if in_band(row[0], total)]
        assert answer == f"'{predicted}'"


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_any_other_rule_is_a_list_to_tick_clause_by_clause(form):
    rule = patients()[0] if form == "dnf" else patients()[0].negate()
    page = Cells(to_sheet(rule))
    result = [[condition_text(c) for c in clause.conditions] for clause in rule.clauses]
    assert [[row[0] for row in table] for table in page.tables] == result
    every = "all" if form == "dnf" else "one or more"
    assert page.text.count(f"If {every} of these are ticked") == rule.n_clauses
    last = rule.default if form == "dnf" else rule.labels[0]
    assert f"Otherwise the answer is '{last}'" in page.text


def test_sheet_is_readable_in_grey_and_loads_nothing():
    page = to_sheet(RuleSet((), (), "dnf", "well"))
    assert "Always the answer is 'well'" in Cells(page).text
    own = page[page.index("body{font-size:11pt") :]
    assert set(re.findall(r"#[0-9a-f]{3,6}\b", own)) == {"#000"}
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.slow
def test_scorecard_model_prints_its_probabilities():
    X, y = load_sample("credit").xy()
    model = RuleClassifier(3, forms=("points",), cv=2, positive_label="high").fit(X, y)
    assert "of 100 such cases, 'high'" in Cells(to_sheet(model)).text
