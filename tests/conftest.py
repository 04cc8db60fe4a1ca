"""Settings that every test shares."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("quick", derandomize=True, deadline=None, max_examples=20)
# `pytest --hypothesis-profile=gate`: what .ci/run asks for.
settings.register_profile("gate", derandomize=True, deadline=None, max_examples=40)
# `pytest --hypothesis-profile=explore`: other examples on every run, and more of them.
settings.register_profile("explore", deadline=None, max_examples=300)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder with real tables, from the environment variable RULEKIT_DATA; skips without it."""
    folder = os.environ.get("RULEKIT_DATA")
    if not folder:
        pytest.skip("needs a folder of real tables, named by the environment variable RULEKIT_DATA")
    return Path(folder)


@pytest.fixture(scope="session")
def put(request):
    """What puts an Arrow table into an engine; see `tests.engine_tables`."""
    from tests.engine_tables import ENGINES

    with ENGINES[request.param]() as result:
        yield result


@pytest.fixture(params=["highs", "linprog"])
def engine(request):
    """What solves linear programs; see `tests.engines`."""
    from tests.engines import solved_by

    with solved_by(request.param):
        yield request.param


#: Doctests that take more than 0.3 s.
SLOW_EXAMPLES = {
    "rulekit.evaluation.trust.alternatives.alternatives",
    "rulekit.evaluation.trust.stability.stability",
    "rulekit.families.power_law.tree.PowerLawTreeClassifier",
    "rulekit.families.rule_classifier.RuleClassifier",
    "rulekit.learners.literal.certificate.certify",
}


def pytest_collection_modifyitems(items):
    """Mark slow doctests; they cannot carry a mark themselves."""
    for item in items:
        if item.name in SLOW_EXAMPLES:
            item.add_marker(pytest.mark.slow)
