"""Protected attributes, recognised by the names of columns."""

import re
from typing import Any

from rulekit.rules import RuleSet

PROTECTED = frozenset(
    ("age", "citizenship", "disability", "ethnic", "ethnicity", "gender", "nationality", "race")
) | {"religion", "sex"}


def looks_protected(name: Any) -> bool:
    """Check whether a word of a column's name is a protected attribute."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", str(name))
    return not PROTECTED.isdisjoint(word.lower() for word in words)


def fixed_columns(rule: RuleSet) -> list[str]:
    """Return the columns of a rule that "what would change it" leaves alone by default."""
    return [name for name in rule.features if looks_protected(name)]
