"""Conditions as runs of cells: the same as the literals they stand for."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from rulekit.binning import Binarizer, Conditions
from rulekit.binning.binned_table import complement_runs
from rulekit.binning.encodings import OrderedColumn, literals_of
from rulekit.rules.literal import mask_table
from tests.binning.test_binarizer import frames


def cells_of(spans, n_cells):
    """Return in which cells each union of two runs holds, shape (n_cells, k)."""
    cell = np.arange(n_cells)[:, None]
    a, b, c, d = np.asarray(spans)[:, :4].T
    return ((cell >= a) & (cell < b)) | ((cell >= c) & (cell < d))


@pytest.mark.slow
@given(frames())
def test_the_conditions_of_a_column_are_its_literals(case):
    frame, _ = case
    for encoding in Binarizer(n_thresholds=3).fit(frame).encodings_:
        listed = literals_of(encoding)
        assert sorted(encoding.conditions().literals, key=lambda v: v.sort_key) == list(listed)
        assert encoding.conditions(by_text=True).literals == listed
        for by_text in (False, True):
            conditions = encoding.conditions(by_text=by_text)
            table = mask_table(conditions.literals, encoding.representatives()).T
            assert (cells_of(conditions.runs, encoding.n_cells) == table).all()
            for i, literal in enumerate(conditions.literals):
                assert (conditions.side[i], conditions.rank[i]) == encoding.place(literal)


@pytest.mark.slow
@given(frames())
def test_the_cells_left_out_are_the_other_cells(case):
    frame, _ = case
    for encoding in Binarizer(n_thresholds=3).fit(frame).encodings_:
        runs = encoding.conditions().runs
        other = complement_runs(runs, np.full(len(runs), encoding.n_cells))
        assert (cells_of(other, encoding.n_cells) == ~cells_of(runs, encoding.n_cells)).all()


@pytest.mark.parametrize("extra", [[], [None]])
def test_each_chain_is_nested_and_only_tests_of_gaps_are_in_none(extra):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, *extra]})
    (encoding,) = Binarizer(n_thresholds=3).fit(frame).encodings_
    conditions = encoding.conditions()
    assert ((conditions.chain < 0) == (conditions.side == 0)).all()
    cells = cells_of(conditions.runs, encoding.n_cells)
    assert len(set(conditions.chain[conditions.side != 0])) == 2 + 2 * len(extra)
    for chain in set(conditions.chain) - {-1}:
        members = np.flatnonzero(conditions.chain == chain)
        nested = cells[:, members[np.argsort(conditions.place[members])]]
        assert (nested[:, :-1] <= nested[:, 1:]).all()
        assert len(members) == len(encoding.cuts)


def test_runs_have_complements_and_one_entry_a_condition():
    other = complement_runs(np.array([[1, 2, 3, 4]]), np.array([6]))
    assert other.tolist() == [[0, 1, 2, 3, 4, 6]]
    none = np.zeros(2, int)
    with pytest.raises(ValueError, match="one entry a condition; their lengths are 2, 2, 1 and 2"):
        Conditions(np.ones(1, int), none, np.zeros((2, 4), int), none[:1], none)


def test_literals_are_made_on_request_for_the_last_fit():
    frame = pd.DataFrame({"x": np.arange(5000.0)})
    binarizer = Binarizer(n_thresholds=None).fit(frame)
    codes = binarizer.transform(frame)
    assert "literals_" not in vars(binarizer)
    assert "conditions" not in vars(codes)
    (encoding,) = codes.encodings
    assert isinstance(encoding, OrderedColumn)
    assert len(encoding.conditions()) == 2 * 4999
    assert codes.literals == binarizer.literals_
    with pytest.raises(AttributeError, match="after `fit`"):
        Binarizer().literals_  # noqa: B018
    assert not hasattr(Binarizer(), "literals_")
    binarizer = Binarizer().fit(pd.DataFrame({"a": [1.0, 2.0, 3.0]}))
    assert {literal.feature for literal in binarizer.literals_} == {"a"}
    binarizer.fit(pd.DataFrame({"b": [1.0, 2.0, 3.0]}))
    assert {literal.feature for literal in binarizer.literals_} == {"b"}
