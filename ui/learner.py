"""What a learner is to the pages: one object that says, asks, sets up and shows.

A learner is a module of `ui` with such an object, and a line in `ui.learners.LEARNERS`. The pages
know learners by this face alone. A setting of a run has the same names for all of them: ``theta``
is the price, whatever its letter is, and ``n_clauses`` the most clauses.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
from sklearn.base import ClassifierMixin

from rulekit.evaluation.grid import settings_of
from ui.prices import price_words
from ui.run_spec import LEARNER_KEY, RunSettings
from ui.state import AppState

SIZES = ("theta", "n_clauses", "max_features")  # of a setting: how large its rule may be
Setting = Mapping[str, Any]


def nothing(*_: Any, **__: Any) -> None:
    """Show nothing: the card of a learner that has none in a place."""


@dataclass(frozen=True)
class Cards:
    """What pages show of some learners' models alone; each card is silent on other models.

    Attributes
    ----------
    models : callable (model, state)
        On Models, below the picked rule.
    rules : callable (model, state)
        On Rules, below the figures.
    pictures : callable (model, train, rows, words)
        On Rules, below the clauses.
    explain : callable (model, X, train, words, plain=)
        On Explain, below the decision; `X` has the one row, `plain` is the presenter mode.
    """

    models: Callable[..., Any] = nothing
    rules: Callable[..., Any] = nothing
    pictures: Callable[..., Any] = nothing
    explain: Callable[..., Any] = nothing


@dataclass(frozen=True)
class Dial:
    """A slider of the picked rule: the entry of the setting it moves, its label, a caption."""

    entry: str
    label: str
    caption: str = ""


CLAUSES_DIAL = Dial("n_clauses", "Clauses allowed")


@dataclass(frozen=True)
class Learner(ABC):
    """One learner.

    Attributes
    ----------
    key : str
        Its name in settings.
    name, sentence, good_for : str
        What it is called, what it does, and what it is good for.
    reads : tuple of str
        Settings of a run that not all learners read, as far as this one does; see
        `ui.models_asked.ASKED`.
    quick : bool
        Whether a fit may be measured while the reader waits.

    Notes
    -----
    Of the class:

    - `family`: a word that learners share which one sweep serves, over the parameter ``method``.
    - `whole_front`: one fit costs what all settings of a fold cost.
    - `keeps_models`: settings share so much that a run fits them all on all training rows, too.
    - `at_once`: it takes no time beside others.
    - `many_classes`: it tells more than two classes apart.
    - `keeps_constraints`: it keeps to the analyst's constraints, or refuses them itself.
    - `symbol`: the letter of its price.
    - `parameter_names`: the estimator's names for entries of a setting that it calls otherwise.
    - `picked`: parameters of the picked model alone.
    - `ways`: what it tries and what is not asked of it, in words.
    - `cards`: what pages show of its models alone.
    """

    key: str
    name: str
    sentence: str
    good_for: str
    reads: tuple[str, ...] = ()
    quick: bool = True

    family: ClassVar[str] = ""
    whole_front: ClassVar[bool] = False
    keeps_models: ClassVar[bool] = False
    at_once: ClassVar[bool] = False
    many_classes: ClassVar[bool] = False
    keeps_constraints: ClassVar[bool] = True
    symbol: ClassVar[str] = "θ"
    parameter_names: ClassVar[Mapping[str, str]] = {}
    picked: ClassVar[Mapping[str, Any]] = {}
    ways: ClassVar[str] = ""
    cards: ClassVar[Cards | None] = None

    # What is learned -----------------------------------------------------------------------

    @abstractmethod
    def estimator(self, spec: RunSettings, state: AppState, variant: Setting) -> ClassifierMixin:
        """Return the unfitted estimator with everything but the swept parameters.

        Parameters
        ----------
        spec : RunSettings
        state : AppState
        variant : mapping
            One of `variants`, or a setting; only what makes it a variant is read.
        """

    @abstractmethod
    def grid(self, spec: RunSettings) -> dict[str, list[Any]]:
        """Return the grid of a sweep: values by the estimator's names."""

    def variants(self, spec: RunSettings) -> tuple[dict[str, Any], ...]:
        """List how it is varied beside its plain form: entries that settings then have, too."""
        return ()

    def settings(self, spec: RunSettings) -> list[dict[str, Any]]:
        """List the settings of the grid, in its order, under the shared names."""
        shared = {theirs: ours for ours, theirs in self.parameter_names.items()}
        return [
            {LEARNER_KEY: self.key, **{shared.get(k, k): v for k, v in setting.items()}}
            for setting in settings_of(self.grid(spec))
        ]

    def parameters(self, setting: Setting, spec: RunSettings) -> dict[str, Any]:
        """Return the estimator's parameters that a setting of the grid stands for."""
        named = {self.parameter_names.get(k, k): v for k, v in setting.items()}
        return {k: v for k, v in named.items() if k in self.grid(spec)}

    def measured(self, spec: RunSettings) -> tuple[list[dict[str, Any]], float]:
        """Say by which fits the time of a fold is told: their parameters, and how often they come.

        These are all settings, once.
        """
        return [self.parameters(s, spec) for s in self.settings(spec)], 1.0

    # What is asked -------------------------------------------------------------------------

    def usual(self, X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
        """Return fields of a run that depend on the table, as a first run has them."""
        return {}

    def form(self, usual: RunSettings) -> dict[str, Any]:
        """Ask for the learner's main settings where it is chosen; return fields of the run."""
        return {}

    def finer_form(
        self, state: AppState, usual: RunSettings, learners: Sequence[str]
    ) -> dict[str, Any] | None:
        """Ask for settings that are folded away; None, after a sentence, if one cannot be read."""
        return {}

    # What is said --------------------------------------------------------------------------

    def words(self, setting: Setting) -> str:
        """Say a setting in words, for captions and hover boxes (escape it there)."""
        words = [self.name, f"{self.symbol} {setting['theta']:g}", *self.shape_words(setting)]
        if "n_clauses" in setting:
            n = setting["n_clauses"]
            words.append(f"at most {n} clause{'s' * (n != 1)}")
        return ", ".join([*words, *self.variant_words(setting)])

    def shape_words(self, setting: Setting) -> list[str]:
        """Say what else settings differ in, before the number of clauses."""
        return []

    def variant_words(self, setting: Setting) -> list[str]:
        """Say what makes a setting a variant; nothing for the plain form."""
        return []

    def dials(self, setting: Setting, n_rows: int) -> list[Dial]:
        """List the sliders of a picked setting, for a table of so many training rows."""
        told = price_words(setting["theta"], n_rows)
        return [Dial("theta", "Price θ of a condition", told), CLAUSES_DIAL]
