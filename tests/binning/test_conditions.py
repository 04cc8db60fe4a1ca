"""Conditions as runs of cells: the same as the literals they stand for."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from rulekit.binning import Binarizer, complemented, conditions_of
from rulekit.binning.binned_table import OrderedColumn, cell_table, literals_of
from tests.binning.test_binarizer import frames


def cells_of(spans, n_cells):
    """Return in which cells each union of two runs holds, shape (n_cells, k)."""
    cell = np.arange(n_cells)[:, None]
    a, b, c, d = np.asarray(spans).T
    return ((cell >= a) & (cell < b)) | ((cell >= c) & (cell < d))


@pytest.mark.slow
@given(frames())
def test_the_conditions_of_a_column_are_its_literals(case):
    frame, _ = case
    for encoding in Binarizer(n_thresholds=3).fit(frame).encodings_:
        found = conditions_of(encoding)
        literals = [found.literal(i) for i in range(len(found))]
        assert sorted(literals, key=lambda v: v.sort_key) == list(literals_of(encoding))
        table = cell_table(encoding, tuple(literals))
        assert (cells_of(found.spans, encoding.n_cells) == table).all()
        assert found.gaps.tolist() == [literal.missing for literal in literals]
        for i, literal in enumerate(literals):
            assert (found.side[i], found.side[i] and found.rank[i]) == encoding.place(literal)


@pytest.mark.slow
@given(frames())
def test_the_cells_left_out_are_the_other_cells(case):
    frame, _ = case
    for encoding in Binarizer(n_thresholds=3).fit(frame).encodings_:
        spans = conditions_of(encoding).spans
        other = complemented(spans, encoding.n_cells)
        assert (cells_of(other, encoding.n_cells) == ~cells_of(spans, encoding.n_cells)).all()


def test_cells_that_would_take_three_runs_are_refused():
    with pytest.raises(ValueError, match="at most two runs"):
        complemented(np.array([[1, 2, 3, 4]]), 6)


def test_literals_are_made_when_they_are_requested():
    frame = pd.DataFrame({"x": np.arange(5000.0)})
    binarizer = Binarizer(n_thresholds=None).fit(frame)
    codes = binarizer.transform(frame)
    assert "literals_" not in vars(binarizer)
    assert "literals" not in vars(codes)
    (encoding,) = codes.encodings
    assert isinstance(encoding, OrderedColumn)
    assert len(conditions_of(encoding)) == 2 * 4999
    assert codes.literals == binarizer.literals_


def test_before_fit_there_are_no_literals():
    with pytest.raises(AttributeError, match="after `fit`"):
        Binarizer().literals_  # noqa: B018
    assert not hasattr(Binarizer(), "literals_")


def test_fitting_again_forgets_the_literals_of_before():
    binarizer = Binarizer().fit(pd.DataFrame({"a": [1.0, 2.0, 3.0]}))
    assert {literal.feature for literal in binarizer.literals_} == {"a"}
    binarizer.fit(pd.DataFrame({"b": [1.0, 2.0, 3.0]}))
    assert {literal.feature for literal in binarizer.literals_} == {"b"}
