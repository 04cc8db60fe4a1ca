"""Prices of a run: text input, parsing and wording."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from ui.escape import md


def price_input(
    label: str, usual: Sequence[float], symbol: str, **widget: Any
) -> tuple[float, ...] | None:
    """Return the prices entered as text; None, after an error message, if it is invalid."""
    text = st.text_input(label, value=_price_text(usual), persist_state="session", **widget)
    try:
        return parsed_prices(text, symbol)
    except ValueError as error:
        st.error(md(error, 300))
        return None


def parsed_prices(text: str, symbol: str = "θ") -> tuple[float, ...]:
    """Parse prices separated by spaces or commas, sorted and without repeats."""
    words = text.replace(",", " ").replace(";", " ").split()
    numbers = set()
    for word in words:
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            raise ValueError(
                f"Each price {symbol} must be a positive number, found {word!r}; write them as in "
                "'0.1, 0.5, 2', with a point as the decimal sign."
            )
        numbers.add(number)
    if not numbers:
        raise ValueError(
            f"A run needs at least one price {symbol}; write for example '0.1, 0.5, 2'."
        )
    return tuple(sorted(numbers))


def as_entered(prices: Iterable[float]) -> tuple[float, ...]:
    """Return prices as the form returns them: rounded as in the text input."""
    return parsed_prices(_price_text(prices))


def _price_text(prices: Iterable[float]) -> str:
    """Write prices as `parsed_prices` reads them."""
    return ", ".join(f"{price:.15g}" for price in sorted(prices))


def price_words(theta: float, n_rows: int) -> str:
    """Return the meaning of a price of a condition."""
    return (
        f"Each condition must save at least {theta:g} misclassified training "
        f"row{'s' * (theta != 1)} (of {n_rows:,}, {100 * theta / n_rows:.2g} %). "
        "A higher price gives a shorter rule."
    )
