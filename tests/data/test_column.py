"""What a column holds, and the role that suggests."""

import numpy as np
import pandas as pd
import pytest

from rulekit.data.column import describe_column, is_named_like_id, looks_like_id

MANY = [f"text {i}" for i in range(60)]


@pytest.mark.parametrize(
    ("values", "kind", "role"),
    [
        ([1.5, 2.5, 3.5], "numeric", "feature"),
        ([0, 1, 0], "boolean", "feature"),
        ([1.0, None, 1.0], "boolean", "feature"),
        ([7, 7, 7], "constant", "ignore"),
        ([i % 7 for i in range(60)], "numeric", "feature"),
        ([None, None, None], "constant", "ignore"),
        (["a", "b", "c"], "category", "feature"),
        (["yes", None, "no"], "category", "feature"),
        ([True, None, False], "boolean", "feature"),
        (["1.2.2020", None, "03/04/21 10:30"], "date", "ignore"),
        (["1.2.2020", "soon", "soon"], "category", "feature"),
        (pd.date_range("2024-01-01", periods=3), "date", "ignore"),
        (["2020-01-02", "2020-01-03", "2021-05-06"], "date", "ignore"),
        ([*MANY, "text 0"], "text", "ignore"),
        (MANY, "text", "id"),
        (MANY * 2, "category", "feature"),
        ([f"text {i}" for i in range(501)] * 2, "text", "ignore"),
    ],
)
def test_kind_and_role_follow_from_the_cells(values, kind, role):
    column = describe_column(pd.Series(values), "height", max_levels=500)
    assert (column.kind, column.role) == (kind, role)


def test_numbers_that_run_on_or_are_named_so_are_an_id():
    weights = pd.Series(np.random.default_rng(0).permutation(4000)[:60])
    assert describe_column(weights, "weight", 50).role == "feature"
    assert describe_column(pd.Series(range(100, 160)), "patient", 50).role == "id"
    run, gaps = pd.Series(range(5, 25)), pd.Series(range(0, 40, 2))
    assert looks_like_id(run, "height", 20)
    assert not looks_like_id(gaps, "height", 20)
    assert looks_like_id(gaps, "customer_id", 20)
    assert [looks_like_id(run.head(n), "id", n) for n in (9, 10)] == [False, True]
    assert not looks_like_id(run + 0.5, "id", 20)


def test_counts_are_kept_and_repeated_identifiers_name_cases():
    column = describe_column(pd.Series([3.0, 1.0, None, 3.0]), "a", 50)
    assert (column.n_missing, column.n_distinct, column.levels) == (1, 2, (1, 3))
    assert (column.minimum, column.maximum, column.is_number) == (1.0, 3.0, True)
    text = describe_column(pd.Series(["c", None, "a", "b"]), "a", 50)
    assert (text.n_missing, text.levels) == (1, ("a", "b", "c"))
    visits = pd.Series([k // 2 for k in range(40)])
    assert describe_column(visits, "patient_id", 50).role == "id"
    assert describe_column(visits, "PatientID", 50).role == "id"
    assert describe_column(visits, "number of rooms", 50).role == "feature"
    assert describe_column(visits / 3, "acid", 50).role == "feature"
    assert describe_column(visits / 3, "patient_id", 50).role == "feature"  # no whole numbers
    few = describe_column(visits % 4, "ward_id", 50)  # a place, not a case
    assert few.role == "feature"


def test_names_of_identifiers_and_of_measurements():
    names = ["id", "customer_id", "CustomerId", "row", "Nr", "order-no"]
    others = ["height", "paid", "valid", "income", "number of rooms"]
    assert [name for name in (*names, *others) if is_named_like_id(name)] == names
