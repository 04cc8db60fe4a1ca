"""A learned list of three outcomes, gaps and text, through every file that can be run."""

import shutil

import numpy as np
import pytest

from rulekit import BoxSearchClassifier, verify_export
from rulekit.export.formats import FORMATS
from tests.export.outside import needed
from tests.learners.tables import mixed_table


@pytest.fixture(scope="module")
def learned():
    X, y = mixed_table(5, n=160, noise=0.1)
    grade = np.where(X["age"] > 62, "ur'gent", np.where(y == "yes", "=soon", "later; not <b>"))
    model = BoxSearchClassifier(0.5, 2, n_perturbations=0, refine_thresholds=True, random_state=0)
    return model.fit(X, grade), X, grade


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.run is not None])
def test_every_file_that_can_be_run_answers_as_the_list(learned, name):
    model, X, _ = learned
    if program := FORMATS[name].program:
        needed(shutil.which(program), f"install {FORMATS[name].engine} to run {name}")
    verification = verify_export(model, X, name)
    assert verification.ok, verification.sentence
