"""Order statistics of an engine's columns: exact, from a sample that helps, misleads, or is all."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.learners.from_table import order
from rulekit.learners.from_table.order import values_at
from tests.engine_tables import everywhere, in_memory

KINDS = ("normal", "ties", "few", "top", "gaps", "huge")


def drawn(kind, rng, n=2000):
    return {
        "normal": rng.normal(size=n),
        "ties": rng.integers(0, 30, n) / 3,
        "few": rng.choice([1.0, 2.0, 5.0], n),
        "top": np.where(rng.random(n) < 0.8, 7.0, rng.random(n)),
        "gaps": np.where(rng.random(n) < 0.9, np.nan, rng.normal(size=n)),
        "huge": rng.normal(size=n) * 1e300,
    }[kind]


def found(put, values, sample, ranks):
    table = put(pa.table({"v": pa.array(values, from_pandas=True)}))
    n = {"v": int((~np.isnan(values)).sum())}
    return values_at(table, {"v": sample}, {"v": ranks}, n)


def sorted_values(values, ranks):
    ordered = np.sort(values[~np.isnan(values)])
    return {("v", rank): ordered[rank] for rank in ranks}


@pytest.mark.slow
@in_memory
@given(st.integers(0, 2**16), st.sampled_from(KINDS), st.booleans())
def test_any_rank_is_found_exactly_from_any_sample(put, seed, kind, misleads):
    rng = np.random.default_rng(seed)
    values = drawn(kind, rng)
    present = values[~np.isnan(values)]
    n = len(present)
    sample = rng.choice(present, min(n, 300), replace=False)
    sample = rng.normal(5, 1e-3, 50) if misleads else sample
    ranks = [0, n // 3, (n - 1) // 2, n - 1]
    assert found(put, values, sample, ranks) == sorted_values(values, ranks)


@everywhere
def test_every_engine_finds_medians_and_ends(put):
    rng = np.random.default_rng(0)
    values = drawn("gaps", rng, 5000)
    present = values[~np.isnan(values)]
    ranks = [0, (len(present) - 1) // 2, len(present) - 1]
    sample = rng.choice(present, 200, replace=False)
    assert found(put, values, sample, ranks) == sorted_values(values, ranks)


@everywhere
def test_ranks_equal_those_of_the_rows(put):
    rng = np.random.default_rng(1)
    values, h = drawn("ties", rng), rng.random(2000) < 0.3
    table = put(pa.table({"v": values, "h": h}))
    for held in (False, True):
        own = values[h == held]
        ranks = [0, (len(own) - 1) // 2, len(own) - 1]
        found = values_at(table, {"v": values[:200]}, {"v": ranks}, {"v": len(own)}, held=held)
        assert found == sorted_values(own, ranks)


@in_memory
def test_complete_sample_needs_no_query(put, monkeypatch):
    monkeypatch.setattr(order, "fetch", None)
    values = np.arange(9.0)
    assert found(put, values, values[::-1], [4]) == {("v", 4): 4.0}


@in_memory
def test_few_values_are_fetched_near_the_sample_ranks(put, monkeypatch):
    brought = []
    scan = order._scan

    def counted(*given):
        row = scan(*given)
        brought.append(len(row["v0"]))
        return row

    monkeypatch.setattr(order, "_scan", counted)
    values = np.random.default_rng(0).normal(size=100_000)
    found(put, values, values[:2000], [50_000])
    assert len(brought) == 1
    assert brought[0] < 15_000


@pytest.mark.parametrize("size", [1, 8, 9])
@in_memory
def test_many_ranks_take_a_scan_for_each_eight(put, monkeypatch, size):
    scans = []
    scan = order._scan
    monkeypatch.setattr(order, "_scan", lambda *given: scans.append(given) or scan(*given))
    values = np.random.default_rng(0).normal(size=4000)
    ranks = [k * 400 for k in range(size)]
    assert found(put, values, values[:1000], ranks) == sorted_values(values, ranks)
    assert len(scans) == -(-size // 8)
