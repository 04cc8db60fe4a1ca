"""Settings that the tests of exports share."""

import importlib.util

import pytest


@pytest.fixture(scope="module", autouse=True)
def _one_database():
    """Open DuckDB once a module: that takes a hundred times longer than a cursor to it."""
    if importlib.util.find_spec("duckdb") is None:
        yield
        return
    duckdb = importlib.import_module("duckdb")
    with duckdb.connect() as database, pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", database.cursor)
        yield
