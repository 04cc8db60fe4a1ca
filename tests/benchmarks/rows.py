"""What every row of a benchmark may hold, and what must not run again."""

KINDS = ("ours", "reference")
KEYS = {"what", "table", "setting", "ours", "reference", "ratio", "unit"}


def must_not_be_called(*args, **kwargs):
    raise AssertionError("a finished fold was computed again")
