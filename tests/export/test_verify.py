"""What the check of an export finds, and how it says so."""

import numpy as np
import pytest

from rulekit.export import from_text, verify_export
from tests.explain.tables import FakeModel, patients


def test_verification_counts_the_rows_that_differ():
    rule, frame = patients()
    model = FakeModel(rule, answers=np.array(["ill", "ill", "well", "well"], dtype=object))
    found = verify_export(model, frame, "json")
    assert (found.n_equal, found.n_rows, found.ok) == (3, 4, False)
    assert found.sentence.startswith("Not the same: 3/4 rows give the same class")


def test_verification_tries_values_at_and_beside_every_threshold():
    rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    found = verify_export(rule, {"age": np.array([10.0])}, "duckdb")
    assert (found.n_rows, found.n_probes, found.ok) == (1, 5, True)


def test_format_that_cannot_be_run_is_refused():
    with pytest.raises(ValueError, match=r"`format` must be one of .*got 'latex'"):
        verify_export(patients()[0], patients()[1], "latex")
