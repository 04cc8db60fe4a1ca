"""Which columns of a wide file are proposed."""

from rulekit.data import Limits
from ui.data.load import proposed

NAMES = [*(f"gene_{k}" for k in range(5_000)), "Age", "ill"]
MOST = Limits().max_columns


def test_without_words_the_first_columns_and_the_target_are_proposed():
    columns = proposed(NAMES, "ill")
    assert len(columns) == MOST
    assert columns == (*NAMES[: MOST - 1], "ill")


def test_words_select_columns_ignoring_case():
    assert proposed(NAMES, "ill", "age, GENE_499 ,") == (
        "gene_499",
        *(f"gene_{k}" for k in range(4_990, 5_000)),
        "Age",
        "ill",
    )


def test_columns_named_one_by_one_are_always_among_them():
    columns = proposed(NAMES, "ill", "", ["gene_4000"])
    assert len(columns) == MOST
    assert "gene_4000" in columns
    assert proposed(NAMES, "ill", "no such", ["Age"]) == ("Age", "ill")
