"""Format names, numbers and quoted text as the text form writes them."""

import json
import re

KEYWORDS = (
    "IF", "THEN", "OTHERWISE", "AND", "OR", "ALL", "OF", "IN", "NOT", "IS", "MISSING", "ALWAYS",
    "NEVER", "CONTAINS", "YEAR", "MONTH", "WEEKDAY", "HOUR", "DAYS",
)  # fmt: skip
PLAIN_NAME = re.compile(r"[^\W\d][\w.%/()-]*(?: [\w.%/()-]+)*")
PLAIN_TERM = re.compile(r"[^\W\d]\w*(?: \w+)*")
HAS_KEYWORD = re.compile(rf"\b(?:{'|'.join(KEYWORDS)})\b")


def name_text(name: str) -> str:
    """Write a column's name, in quotes if it could be misread."""
    plain = PLAIN_NAME.fullmatch(name) and name.isprintable() and not HAS_KEYWORD.search(name)
    return name if plain else quoted(name)


def term_name_text(name: str) -> str:
    """Write the name of a column within a sum, where a minus sign would be misread."""
    plain = PLAIN_TERM.fullmatch(name) and not HAS_KEYWORD.search(name)
    return name if plain else quoted(name)


def label_free_name(name: str) -> str:
    """Write the name of a column within a formula, in which "max" is a keyword."""
    return quoted(name) if name == "max" else term_name_text(name)


def number_text(value: float) -> str:
    """Write a float as the shortest decimal of the same value."""
    text = repr(float(value))
    return text.removesuffix(".0")


def quoted(text: str) -> str:
    """Return text in double quotes, all on one line, with JSON's escapes."""
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in escaped)
