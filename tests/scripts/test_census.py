"""The census counts names without a verb."""

import pytest

from scripts.census import is_nominal


@pytest.mark.parametrize(
    ("name", "nominal"),
    [
        ("_joined", True),
        ("of_table", True),
        ("chosen", True),
        ("split_node", False),
        ("seed", False),
    ],
)
def test_participles_and_prepositions_are_counted(name, nominal):
    assert is_nominal(name) == nominal
