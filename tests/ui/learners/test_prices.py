"""Prices, told in words."""

from ui.learners.prices import price_words


def test_a_price_is_explained_in_rows():
    assert price_words(2.0, 400).startswith(
        "Each condition must save at least 2 misclassified training rows (of 400, 0.5 %)."
    )
    assert "1 misclassified training row (" in price_words(1.0, 400)
