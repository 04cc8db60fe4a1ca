"""A box search that a time limit cut off: all settings of one table wait for it once."""

import pytest

from rulekit import BoxSearchClassifier, load_sample
from rulekit.learners.literal import boxes


@pytest.fixture
def searches(monkeypatch):
    """A list that gets an entry a search."""
    made, really = [], boxes.search

    def counted(*args):
        made.append(args)
        return really(*args)

    monkeypatch.setattr(boxes, "search", counted)
    return made


def fitted(settings):
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = BoxSearchClassifier(n_perturbations=500, random_state=0)
    with pytest.warns(match="passed; the best rule so far is kept"):
        return list(model.fit_many(X, y, settings))


@pytest.mark.slow
def test_settings_of_one_table_share_a_search_ended_by_its_limit(searches):
    prices = [8.0, 2.0, 0.5]
    models = fitted([{"theta": theta, "time_limit": 0.3} for theta in prices])
    assert len(searches) == 1
    sizes = [m.n_conditions_ for m in models]
    assert sizes == sorted(sizes)


@pytest.mark.slow
def test_longer_time_limit_does_not_reuse_a_shorter_search(searches):
    fitted([{"time_limit": 0.1}, {"time_limit": 0.4}, {"time_limit": 0.2}])
    assert len(searches) == 2
