"""Rows drawn by a hash: as if each were drawn by itself, and the same ones each time."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import chi2_contingency, kstest

from rulekit._engine import fetch
from rulekit.learners.from_table.drawing import WORDS, RowNumbers, limit
from rulekit.search.row_split import held_out, row_hash
from tests.engine_tables import everywhere, in_memory
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


@everywhere
def test_a_key_of_whole_numbers_splits_as_rows_in_memory_are_split(put):
    ids = np.arange(3000)
    table = put(pa.table({"id": ids}))
    for seed in (0, 12345, 2**32 - 1):
        drawn = RowNumbers(table.get_backend().name, seed, whole=True)
        made = table.select("id", base=drawn.base(table, ["id"]))
        found = fetch(made.select("id", n=drawn.of(made.base, 0), m=drawn.of(made.base, 1)))
        found = found.to_pandas().set_index("id").loc[ids]
        assert (found["n"] == row_hash(ids.astype(np.uint64), seed)).all()
        np.testing.assert_array_equal(found["n"] < limit(0.3), held_out(3000, 0.3, seed))
        assert abs(np.corrcoef(found["n"], found["m"])[0, 1]) < 0.1


@in_memory
def test_any_whole_number_is_a_key(put):
    ids = [0, 1, 2**32, 2**32 + 1, 2**62, -1, -(2**63), 2**63 - 1, None]
    drawn = RowNumbers("duckdb", 7, whole=True)
    made = put(pa.table({"id": ids})).select("id").mutate(base=lambda t: drawn.base(t, ["id"]))
    found = fetch(made.select(n=drawn.of(made.base, 0)))["n"].to_pylist()
    assert all(0 <= n < WORDS for n in found)
    assert len(set(found[:5])) == 5
    assert found[-1] == found[ids.index(-1)]  # a gap is numbered as -1 is
