"""What every row of a benchmark may hold, and what must not run again."""

KINDS = ("ours", "reference")
KEYS = {"what", "table", "setting", "ours", "reference", "ratio", "unit"}


def measured(bench, given):
    """Run a benchmark; check the keys of its rows."""
    rows = bench(given)
    assert all(set(row) <= KEYS for row in rows)
    return rows


def must_not_be_called(*args, **kwargs):
    raise AssertionError("a finished fold was computed again")
