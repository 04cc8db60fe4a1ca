"""Rows drawn by a hash: as if each were drawn by itself, and the same ones each time."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, kstest

from rulekit.learners.from_table.drawing import WORDS, RowNumbers, limit
from tests.learners.tables import in_engine

pytest.importorskip("ibis")
N = 20_000


def frame(n=N):
    rng = np.random.default_rng(0)
    town = rng.choice(["Ulm", "Köln", None], n)
    return pd.DataFrame({"id": np.arange(n), "x": rng.random(n).round(3), "town": town})


def numbers(table, engine, seed=0, purposes=(0,), columns=("id", "x", "town")):
    drawn = RowNumbers(engine, seed)
    made = table.select("id", base=drawn.base(table, columns))
    found = made.select("id", **{f"n{p}": drawn.of(made.base, p) for p in purposes})
    return found.to_pyarrow().to_pandas().sort_values("id").drop(columns="id").to_numpy()


@pytest.fixture(params=["duckdb", "postgres"], ids=["of values", "of text"])
def engine(request):
    return request.param  # how the hash is made; DuckDB can work out both


def test_numbers_are_uniform_and_independent_between_purposes(engine):
    found = numbers(in_engine(frame()), engine, purposes=(0, 1, 2)) / WORDS
    assert found.min() >= 0
    assert found.max() < 1
    for j, k in ((0, 1), (0, 2), (1, 2)):
        assert kstest(found[:, j], "uniform").pvalue > 1e-4
        cells = np.histogram2d(found[:, j], found[:, k], 8)[0]
        assert chi2_contingency(cells).pvalue > 1e-4


def test_row_number_depends_on_content_and_seed_only(engine):
    rows = frame(2000)
    mixed = rows.sample(frac=1, random_state=3)
    first = numbers(in_engine(rows), engine)
    assert (first == numbers(in_engine(mixed), engine)).all()
    assert (first != numbers(in_engine(rows), engine, seed=1)).mean() > 0.99


def test_rows_of_one_key_have_one_number_and_a_gap_is_no_text(engine):
    table = in_engine(frame(2000))
    found = numbers(table, engine, columns=("town",))[:, 0]
    assert [len(set(found[frame(2000)["town"] == t])) for t in ("Ulm", "Köln")] == [1, 1]
    assert len(set(found.tolist())) == 3


def test_a_limit_draws_its_share(engine):
    found = numbers(in_engine(frame()), engine)
    share = float((found < limit(0.3)).mean())
    assert abs(share - 0.3) < 4 * np.sqrt(0.21 / N)
    assert limit(1.0) == WORDS
