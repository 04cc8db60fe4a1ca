"""Parts of dates that rules read by default, and cuts of dates."""

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, RuleClassifier
from rulekit.binning.dates import find_recurring_parts
from rulekit.rules.condition import DATE_PARTS


def days(start, n_days, n=600, step="D"):
    drawn = np.random.default_rng(1).integers(0, n_days, n)
    return pd.Series(pd.Timestamp(start) + pd.to_timedelta(drawn, step))


@pytest.mark.parametrize(
    ("dates", "once_only"),
    [
        (days("2021-01-01", 365), {"month"}),
        (days("2021-01-01", 500), {"month"}),
        (days("2021-01-01", 730), set()),
        (days("2021-01-01", 6), {"month", "weekday"}),
        (days("2021-01-01", 24, step="h"), {"month", "weekday", "hour"}),
        (days("2021-01-01", 72, step="h"), {"month", "weekday"}),
    ],
)
def test_parts_seen_in_one_period_only_are_not_offered(dates, once_only):
    cells = dates.astype(str).to_numpy(dtype=object)
    assert set(DATE_PARTS) - set(find_recurring_parts(cells)) == once_only
    with_open_ends = np.append(cells, ["9999-12-31"] * 20 + [None] * 5)
    assert ("month" in find_recurring_parts(with_open_ends)) == ("month" not in once_only)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [RuleClassifier(max_conditions=4), BoxSearchClassifier()])
@pytest.mark.parametrize("years", [1, 2, 3])
@pytest.mark.parametrize("change", ["2021-03-10", "2021-09-20", "2021-11-20"])
def test_one_change_is_one_date_not_months(learner, years, change):
    X = pd.DataFrame({"d": days("2021-01-01", 365 * years, n=1500)})
    y = np.where(X["d"] > change, "p", "q")
    model = learner.set_params(random_state=0).fit(X, y)
    assert [literal.part for literal in model.rule_set_.tests] == ["date"]
    assert (model.predict(X) == y).all()
    assert set(model.predict(pd.DataFrame({"d": days("2024-06-01", 365)}))) == {"p"}


@pytest.mark.slow
def test_season_of_several_years_is_read_as_months():
    X = pd.DataFrame({"d": days("2019-01-01", 4 * 365, n=1500)})
    y = X["d"].dt.month.isin([6, 7, 8])
    model = RuleClassifier(max_conditions=4, random_state=0).fit(X, y)
    assert {literal.part for literal in model.rule_set_.tests} == {"month"}
    assert (model.predict(X) == y).all()
