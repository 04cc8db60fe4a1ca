"""One entry of `FAMILIES`: what pages, command line, comparisons and tests know of a learner."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulekit.style.wording import plural

Setting = Mapping[str, Any]


def size_words(setting: Setting) -> list[str]:
    """Return how many conditions a setting allows, in words."""
    n = setting.get("max_conditions")
    return [] if n is None else [f"at most {plural(n, 'condition')}"]


def state_errors(wrong: float, size: float) -> str:
    """Return error (%) and conditions on the public tables, beside those of the short rule."""
    return (
        f"On 11 public tables: {wrong} % wrong with {size} conditions; the short rule 13.2 % with "
        "7.0, one condition 18.0 %."
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """A learner: estimators, default settings, capabilities and wording."""

    key: str
    model: Any
    alone: Any = None
    title: str = ""
    default_grid: Callable[[Any], Mapping[str, Sequence[Any]]] | None = None
    command: str = ""
    question: str
    name: str
    sentence: str
    good_for: str
    ways: str = ""
    symbol: str = "θ"
    shape_words: Callable[[Setting], list[str]] = lambda setting: []
    parameter_names: Mapping[str, str] = field(default_factory=dict)
    picked: Mapping[str, Any] = field(default_factory=dict)
    whole_front: bool = False
    at_once: bool = False
    many_classes: bool = True
    keeps_constraints: bool = True
    keeps_monotonic_constraints: bool = True
