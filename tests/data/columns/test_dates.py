"""Texts that are dates, in one order of day and month."""

import pytest

from rulekit.data.columns.dates import has_date_shape, has_offset, order_of_days, read_dates
from rulekit.exceptions import DataError


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01T12:30:00.999Z", "2024-03-01 12:30:00"),
        ("2024-03-01 00:30:00+01:00", "2024-02-29 23:30:00"),
        ("2024-03-01T00:30-0130", "2024-03-01 02:00:00"),
        ("31.12.2024", "2024-12-31"),
        ("31.12.2024 06:05", "2024-12-31 06:05:00"),
        ("12/31/2024", "2024-12-31"),
        ("31.02.2024", None),
        ("soon", None),
        ("9999-12-31T23:59:59-05:00", None),
    ],
)
def test_dates_are_read_in_utc_and_whole_seconds(text, date):
    assert read_dates([text], "d", None) == [date]


def test_one_text_decides_the_order_and_shapes_are_told_apart():
    assert read_dates(["03.04.2024", "31.12.2024"], "d", None) == ["2024-04-03", "2024-12-31"]
    assert read_dates(["03.04.2024"], "d", False) == ["2024-03-04"]
    assert read_dates(["2021/03/04", "03.04.2021 1:30+02:00"], "d", True) == [
        "2021-03-04",  # whatever the order of days in other cells
        "2021-04-02 23:30:00",
    ]
    assert read_dates(["04/13/2021"], "d", True) == [None]
    with pytest.raises(DataError, match=r"'d' day and month are ambiguous \('03.04.2024'\)"):
        read_dates(["2024-01-01", "03.04.2024"], "d", None)
    orders = [order_of_days([t]) for t in ("31.12.2024", "12/31/2024", "1/2/2024")]
    assert orders == [True, False, None]
    assert all(map(has_date_shape, ("1.2.2020", "03/04/21 10:30", "1 May 2020")))
    assert not has_date_shape("1.5")
    offsets = [has_offset(t) for t in ("2024-03-01 10:00Z", "2024-03-01 10:00", "x")]
    assert offsets == [True, False, False]
