"""Numbers in text and figures: few digits, no float noise, counts with nouns."""

import math

from rulekit.data.costs import COST


def percent(share: float) -> str:
    """Format a share in [0, 1] as a percentage with one decimal, ``"—"`` for NaN."""
    return "—" if math.isnan(share) else f"{100 * share:.1f} %"


def format_measure(value: float, measure: str, unit: str = "") -> str:
    """Format a measure: a share as a percentage, a cost as a number with its unit."""
    if measure != COST:
        return percent(value)
    return "—" if math.isnan(value) else f"{short_number(float(f'{value:.4g}'))} {unit}".rstrip()


def short_number(value: float) -> str:
    """Format a number with at most four significant digits, whole numbers in full."""
    return f"{value:,.0f}" if abs(value) >= 1e4 and value == round(value) else f"{value:.4g}"


def capital(text: str) -> str:
    """Capitalise the first letter of a text and keep the rest: DuckDB, F1, NULL."""
    return text[:1].upper() + text[1:]


def plural(count: float, word: str) -> str:
    """Format a count, or a mean of counts to one digit, with its noun: ``2.5 conditions``."""
    shown = round(count, 1)
    number = f"{shown:,.0f}" if shown >= 1000 else short_number(shown)
    return f"{number} {word}{'' if shown == 1 else 's'}"
