"""The embedded database that counts a Parquet file: how far it says it is."""

from types import SimpleNamespace

import pytest

from rulekit.exceptions import StoppedError
from rulekit.learners.ideal.database import Database, ParquetSettings

duckdb = pytest.importorskip("duckdb")


def test_progress_grows_within_a_step_and_never_goes_back():
    told = []
    settings = ParquetSettings(on_progress=lambda share, what: told.append((share, what)))
    with Database(settings) as database:
        for percent in (0.0, 25.0, 50.0, 10.0, -1.0, 100.0):
            real, database._connection = (
                database._connection,
                SimpleNamespace(query_progress=lambda percent=percent: percent),
            )
            database._look((0.2, 0.6), "counting")
            database._connection = real
    shares = [share for share, _ in told]
    assert shares == pytest.approx([0.2, 0.3, 0.4, 0.4, 0.4, 0.6])
    assert {what for _, what in told} == {"counting"}


def test_a_step_ends_at_its_end_with_the_answer():
    told = []
    settings = ParquetSettings(on_progress=lambda share, what: told.append(share))
    with Database(settings) as database:
        assert database.rows("SELECT 1 AS a", "asking", (0.1, 0.3)) == [(1,)]
    assert told[-1] == pytest.approx(0.3)


def test_work_is_stopped_when_it_is_looked_at():
    stopped = pytest.raises(StoppedError, match="stopped before the rule was learned")
    with Database(ParquetSettings(should_stop=lambda: True)) as database, stopped:
        database._look((0.0, 1.0), "counting")
