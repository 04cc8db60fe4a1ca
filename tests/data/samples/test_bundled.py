"""The tables that come with the project, and those made by rule."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Clause, DataError, Literal, RuleSet
from rulekit.data import columns_of, credit, list_samples, load_sample, plant_two_level
from rulekit.data.samples import bundled
from rulekit.data.target import check_target
from scripts.make_samples import main

NAMES = [info.name for info in list_samples()]


@pytest.mark.parametrize("info", list_samples(), ids=NAMES)
def test_every_sample_matches_its_description(info):
    table = load_sample(info.name)
    assert (table.n_rows, table.n_columns) == (info.n_rows, info.n_columns)
    assert (table.target, table.positive_label) == (info.target, info.positive_label)
    assert check_target(table, info.target) == ()


def test_the_script_writes_the_samples_that_are_here(tmp_path):
    main(tmp_path)
    for path in sorted(tmp_path.iterdir()):
        assert path.read_text() == (bundled.FOLDER / path.name).read_text(), path.name
    assert {p.stem for p in tmp_path.glob("*.csv")} == set(NAMES)


def test_samples_are_known_and_planted_by_a_seed(monkeypatch, tmp_path):
    with pytest.raises(DataError, match=r"no sample table 'titanic'; the samples are 'breast_can"):
        load_sample("titanic")
    monkeypatch.setattr(bundled, "FOLDER", tmp_path)
    with pytest.raises(DataError, match=r"'iris\.csv' is not there\. Install the project anew"):
        load_sample("iris")
    for form in ("dnf", "cnf"):
        share = plant_two_level(form, n_rows=4000, noise=0).truth.mean()
        assert 0.25 < share < 0.75
    one, two, other = (plant_two_level(random_state=s) for s in (1, 1, 2))
    pd.testing.assert_frame_equal(one.frame, two.frame)
    assert not one.frame.equals(other.frame)


def test_the_credit_table_has_gaps_and_its_rule_errs_on_noise():
    table = load_sample("credit")
    kinds = {c.kind for c in table.columns if c.role == "feature"}
    assert kinds == {"numeric", "category", "boolean"}
    assert (table.column("loan_id").role, table.column("opened_on").kind) == ("id", "date")
    assert {c.name for c in table.columns if c.n_missing} == {"income", "employment", "savings"}
    planted = credit(500, noise=0.02, random_state=3)
    predicted = as_rule_set(planted, ("high", "low")).predict(columns_of(planted.frame))
    assert (predicted != planted.labels).sum() == 10


def as_rule_set(planted, labels):
    """The planted rule in the language of rules."""
    join = "and" if planted.form == "dnf" else "or"
    clauses = tuple(Clause(tuple(Literal(*t) for t in c), join) for c in planted.clauses)
    return RuleSet(clauses, (labels[0],) * len(clauses), planted.form, labels[1])


@given(st.sampled_from(["dnf", "cnf"]), st.integers(1, 3), st.integers(1, 3), st.integers(0, 50))
def test_the_planted_rule_gives_the_labels_but_for_the_noise(form, n_clauses, n_conditions, seed):
    planted = plant_two_level(
        form,
        n_rows=80,
        n_clauses=n_clauses,
        n_conditions=n_conditions,
        noise=0.1,
        random_state=seed,
    )
    predicted = as_rule_set(planted, ("yes", "no")).predict(columns_of(planted.frame))
    assert (predicted != planted.labels).sum() == 8
    np.testing.assert_array_equal(predicted == "yes", planted.truth)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"form": "xor"}, "`form` must be 'dnf' or 'cnf'"),
        ({"noise": 0.5}, r"`noise` must be in \[0, 0.5\)"),
        ({"n_clauses": 5, "n_conditions": 3}, "`n_features` must be at least 15"),
    ],
)
def test_a_rule_that_cannot_be_planted_is_refused(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        plant_two_level(**settings)
