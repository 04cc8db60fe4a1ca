"""A learned list of three outcomes, gaps and text, through figures, explanations and files."""

import shutil

import numpy as np
import pytest

from rulekit import BoxSearchClassifier, explain
from rulekit.data import columns_of
from rulekit.export import verify_export
from rulekit.export.formats import FORMATS
from tests.export.outside import needed
from tests.learners.tables import mixed_table


@pytest.fixture(scope="module")
def learned():
    X, y = mixed_table(5, n=160, noise=0.1)
    grade = np.where(X["age"] > 62, "ur'gent", np.where(y == "yes", "=soon", "later; not <b>"))
    model = BoxSearchClassifier(0.5, 2, n_perturbations=0, refine_thresholds=True, random_state=0)
    return model.fit(X, grade), X, grade


def first_that_holds(rule, columns, i):
    """Number of the clause that decides a row, -1 for none: condition by condition."""
    one = {name: values[i : i + 1] for name, values in columns.items()}
    for k, clause in enumerate(rule.clauses):
        if all(c.mask(one)[0] for c in clause.conditions):
            return k
    return -1


def test_explanations_name_the_deciding_clause_and_valid_changes(learned):
    model, X, _ = learned
    rule, columns = model.rule_set_, columns_of(X)
    some = X.iloc[:25]
    changed_answers = set()
    for i, result in enumerate(explain(model, some, training=X)):
        k = first_that_holds(rule, columns, i)
        answer = rule.labels[k] if k >= 0 else rule.default
        assert result.prediction == answer
        one = {name: values[i : i + 1] for name, values in columns.items()}
        fails = [j for j, clause in enumerate(rule.clauses) if not clause.mask(one)[0]]
        assert sorted(miss.index for miss in result.near_misses) == fails
        counts = [
            rule.labels[miss.index] != answer and (k < 0 or miss.index < k)
            for miss in result.near_misses
        ]
        assert counts == sorted(counts, reverse=True)  # those that would change the answer first
        outcome = result.counterfactual
        if outcome.possible:
            row = some.iloc[[i]].copy().astype(object)
            for change in outcome.changes:
                row[change.feature] = [change.new]
            other = rule.predict(row.infer_objects())[0]
            assert other == outcome.prediction != answer
            changed_answers.add(other)
    assert len(changed_answers) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.run is not None])
def test_every_file_that_can_be_run_answers_as_the_list(learned, name):
    model, X, _ = learned
    if program := FORMATS[name].program:
        needed(shutil.which(program), f"install {FORMATS[name].engine} to run {name}")
    verification = verify_export(model, X, name)
    assert verification.ok, verification.sentence
