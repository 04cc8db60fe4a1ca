"""The fingerprint of a table."""

import numpy as np
import pandas as pd
import pytest

from rulekit.data.digest import digest_of

BASE = pd.DataFrame({"a": [1.0, 2.0, np.nan], "b": ["x", None, "y"], "c": [True, False, True]})


def test_digest_ignores_the_index_and_not_a_time_zone():
    assert digest_of(BASE) == digest_of(BASE.copy()) == digest_of(BASE.set_index([[7, 8, 9]]))
    assert len(digest_of(BASE)) == 64
    utc = pd.Series(pd.to_datetime(["2020-01-01 12:00"]).tz_localize("UTC"))
    others = [utc + pd.Timedelta(seconds=1), utc.dt.tz_convert("Asia/Tokyo")]
    digests = {digest_of(pd.DataFrame({"t": t})) for t in (utc, utc.copy(), *others)}
    assert len(digests) == 3


@pytest.mark.parametrize(
    "other",
    [
        BASE.rename(columns={"a": "d"}),
        BASE[["b", "a", "c"]],
        BASE.iloc[::-1],
        BASE.iloc[:2],
        BASE.assign(a=[1.0, 2.0, 3.0]),
        BASE.assign(b=["x", "", "y"]),
        BASE.assign(c=[True, True, True]),
        BASE.assign(c=[1, 0, 1]),
        BASE.assign(c=["True", "False", "True"]),
    ],
    ids=lambda frame: ",".join(map(str, frame.iloc[0])),
)
def test_any_change_of_a_cell_a_name_an_order_or_a_type_shows(other):
    assert digest_of(other) != digest_of(BASE)
