"""One entry of `FAMILIES`: what pages, command line, comparisons and tests know of a learner."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulekit.style.wording import plural

Setting = Mapping[str, Any]
DefaultGrid = Callable[[Any], Mapping[str, Sequence[Any]]]


def size_words(setting: Setting) -> list[str]:
    """Return how many conditions a setting allows, in words."""
    n = setting.get("max_conditions")
    return [] if n is None else [f"at most {plural(n, 'condition')}"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """A learner: estimators, default settings, capabilities and wording.

    Attributes
    ----------
    key : str
        Its name in settings and records.
    model : classifier
        The unfitted estimator, as it is set up where many settings are tried. Clone it.
    alone : classifier or None
        The unfitted estimator for a single fit; None if `model` serves.
    title : str
        Its name in `compare_learners`; empty if it is not compared by default.
    default_grid : callable (y) or None
        The settings that suit a table, as a grid of the estimator's parameters.
    command : str
        Its name in ``rulekit learn --learner``; empty if it is not offered there.
    question : str
        The choice of the page Models that it belongs to; words in brackets can be searched.
    name, sentence, good_for, ways : str
        What it is called on pages, what it does, what it is good for, what it tries there.
    symbol : str
        The letter of its price.
    shape_words : callable (setting)
        What settings differ in beside price and clauses.
    parameter_names : mapping
        The estimator's names for entries of a setting that have another one there.
    picked : mapping
        Parameters of a picked model alone.
    whole_front : bool
        Whether one fit costs what all settings of a fold cost.
    at_once : bool
        Whether it takes no time beside others.
    many_classes, keeps_constraints, keeps_promises : bool
        Whether it predicts more than two classes, keeps the analyst's constraints, and keeps
        promised directions (or rejects them itself).
    """

    key: str
    model: Any
    alone: Any = None
    title: str = ""
    default_grid: DefaultGrid | None = None
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
    many_classes: bool = False
    keeps_constraints: bool = True
    keeps_promises: bool = True
