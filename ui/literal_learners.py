"""The learners of rules of conditions: a two-level rule, or a single clause."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.estimators import OneLevelRuleClassifier, TwoLevelRuleClassifier
from ui.certificate_card import certificate_card, quick_certificate
from ui.escape import md
from ui.learner import Cards, Learner, Setting
from ui.proved_card import proved_card
from ui.run_spec import FIT_SECONDS, RunSettings
from ui.state import KEEP, AppState

ROBUST = (0.1, 0.3)  # robustness of the box search besides 0
DOUBTING: tuple[Setting, ...] = ({"doubt": 1.0}, {"robustness": 0.1, "doubt": 1.0})
LARGE = 200_000  # cells of the training rows from which on variants are run only when asked for
AGAINST, DOUBTED = "rule against the class", "doubtful rows discounted"
TWO_LEVEL = ("form", "thetas", "clauses", "rounding", "refine", "allow_disabled")


def proof_on_models(model: ClassifierMixin, state: AppState) -> None:
    """Say what learning has proved; of other rules of one clause what a short look proves."""
    if not proved_card(model):
        quick_certificate(model, state)


def proof_on_rules(model: ClassifierMixin, state: AppState) -> None:
    """Say what learning has proved; of other rules offer to look for a proof."""
    if not proved_card(model):
        certificate_card(model, state)


CARDS = Cards(models=proof_on_models, rules=proof_on_rules)


@dataclass(frozen=True)
class LiteralLearner(Learner):
    """A learner of literals, over the cut points of Binning and with the analyst's constraints."""

    cards: ClassVar[Cards | None] = CARDS

    def grid(self, spec: RunSettings) -> dict[str, list[Any]]:
        """Return the grid: prices."""
        return {"theta": list(spec.thetas)}

    def measured(self, spec: RunSettings) -> tuple[list[dict[str, Any]], float]:
        """Take the middle price, with every number of clauses, for all prices."""
        prices = sorted(spec.thetas)
        every, _ = super().measured(spec)
        middle = [asked for asked in every if asked["theta"] == prices[len(prices) // 2]]
        return middle, float(len(prices))

    def common(self, spec: RunSettings, state: AppState, variant: Setting) -> dict[str, Any]:
        """Return the parameters that all of them have."""
        against = "describes" in variant
        return {
            "form": spec.form,
            "rounding": spec.rounding,
            "positive_label": state.other_label if against else state.positive,
            "class_weight": spec.class_weight,
            "binarizer": state.binning.binarizer(),
            "constraints": spec.constraints(state.features, against=against),
            "random_state": 0,
            "time_limit": FIT_SECONDS,
        }


@dataclass(frozen=True)
class TwoLevel(LiteralLearner):
    """A method of `TwoLevelRuleClassifier` that is asked for a number of clauses."""

    reads: tuple[str, ...] = TWO_LEVEL
    family: ClassVar[str] = "two-level"

    def grid(self, spec: RunSettings) -> dict[str, list[Any]]:
        """Return the grid: numbers of clauses, and prices."""
        low, high = spec.clauses
        return {"n_clauses": list(range(low, high + 1)), "theta": list(spec.thetas)}

    def estimator(self, spec: RunSettings, state: AppState, variant: Setting) -> ClassifierMixin:
        """Return the unfitted estimator; see `Learner.estimator`."""
        return TwoLevelRuleClassifier(
            method=self.key,
            refine=spec.refine,
            allow_disabled=spec.allow_disabled,
            robustness=variant.get("robustness", 0.0),
            doubt=variant.get("doubt", 0.0),
            **self.common(spec, state, variant),
        )


@dataclass(frozen=True)
class BoxSearch(TwoLevel):
    """The search that answers a whole front at once, for either class and more robust, too."""

    reads: tuple[str, ...] = (
        *("form", "thetas", "clauses", "refine"),
        *("against", "robust", "doubting"),
    )
    whole_front: ClassVar[bool] = True
    keeps_models: ClassVar[bool] = True

    def variants(self, spec: RunSettings) -> tuple[dict[str, Any], ...]:
        """List rules against the class, robust and doubting ones, as far as they are asked for."""
        sides = [{}, {"describes": "other"}] if spec.against else [{}]
        kinds: list[Setting] = [{}]
        if spec.robust:
            kinds += [{"robustness": value} for value in ROBUST]
        if spec.doubting:
            kinds += [kind for kind in DOUBTING if spec.robust or "robustness" not in kind]
        return tuple({**side, **kind} for side, kind in product(sides, kinds) if side or kind)

    def measured(self, spec: RunSettings) -> tuple[list[dict[str, Any]], float]:
        """Take all settings, as one search answers them, for every variant."""
        every = [self.parameters(s, spec) for s in self.settings(spec)]
        return every, float(1 + len(self.variants(spec)))

    def variant_words(self, setting: Setting) -> list[str]:
        """Say on which side a rule is, how robust, and whether doubtful rows counted less."""
        words = [AGAINST] if "describes" in setting else []
        if "robustness" in setting:
            words.append(f"robustness {setting['robustness']:g}")
        return words + [DOUBTED] * ("doubt" in setting)

    def usual(self, X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
        """Run nothing but the plain search on a large table unless more is asked for."""
        variants = ("against", "robust", "doubting")
        return dict.fromkeys(variants, False) if X.size > LARGE else {}

    def finer_form(
        self, state: AppState, usual: RunSettings, learners: Sequence[str]
    ) -> dict[str, Any] | None:
        """Ask for variants; greyed out where other learners are chosen."""
        unread = bool(learners) and self.key not in learners
        against = st.toggle(
            f"Box search: also rules against {md(state.positive, 60)}",
            value=usual.against,
            key="run_against",
            disabled=unread,
            help="Rules that say when a row is of the other class; all others are "
            f"{md(state.positive, 60)}. One of the two is often much shorter. Directions asked "
            "for below are turned for them. Twice the searches.",
            **KEEP,
        )
        robust = st.toggle(
            "Box search: also more robust rules",
            value=usual.robust,
            key="run_robust",
            disabled=unread,
            help="Rules that keep rows of the other class out by more than one condition where "
            "that is cheap, so that small errors of measurement upset them less. Three times the "
            "searches.",
            **KEEP,
        )
        doubting = st.toggle(
            "Box search: also with doubtful rows discounted",
            value=usual.doubting,
            key="run_doubting",
            disabled=unread,
            help="Rows that look like the other class count less in the search: a random forest is "
            "asked about each row by the trees grown without it. Labels that are noise then buy "
            "fewer conditions. Errors shown count every row in full. Nearly twice the searches.",
            **KEEP,
        )
        return {"against": against, "robust": robust, "doubting": doubting}


@dataclass(frozen=True)
class ColumnGeneration(LiteralLearner):
    """Column generation, which takes as many clauses as pay for themselves."""

    reads: tuple[str, ...] = ("form", "thetas", "refine")
    quick: bool = False

    def estimator(self, spec: RunSettings, state: AppState, variant: Setting) -> ClassifierMixin:
        """Return the unfitted estimator; see `Learner.estimator`."""
        return TwoLevelRuleClassifier(
            method=self.key,
            refine=spec.refine,
            allow_disabled=spec.allow_disabled,
            **self.common(spec, state, variant),
        )


@dataclass(frozen=True)
class OneClause(LiteralLearner):
    """A single clause, by rounding or with a proof."""

    exact: bool = False

    def estimator(self, spec: RunSettings, state: AppState, variant: Setting) -> ClassifierMixin:
        """Return the unfitted estimator; see `Learner.estimator`."""
        proved = {"exact": True, "screening": "duality"} if self.exact else {}
        return OneLevelRuleClassifier(**proved, **self.common(spec, state, variant))


BOX_SEARCH = BoxSearch(
    "search",
    "Box search",
    "Improves whole intervals directly; one search answers every price and number of clauses.",
    "most tables, as the first choice: the whole front in seconds, with fewer training errors for "
    "its size.",
)
ALTERNATING = TwoLevel(
    "alternating",
    "Alternating minimisation",
    "Shares the rows out among the clauses, relearns every clause, and repeats.",
    "comparison: the most accurate of the two-level paper's methods.",
)
BLOCK_COORDINATE = TwoLevel(
    "block_coordinate",
    "Block coordinate descent",
    "Improves one clause at a time while the others stay, until none gets better.",
    "a steady second opinion; its objective never rises.",
)
SET_COVER = TwoLevel(
    "set_cover",
    "Set covering",
    "Learns one clause after the other, each for what the earlier ones left over.",
    "quick answers on large tables.",
)
LINEAR_PROGRAM = TwoLevel(
    "lp",
    "Two-level linear program",
    "Relaxes the whole rule into one linear program and rounds its answer.",
    "small tables, and to see how far rounding is from the relaxation.",
    quick=False,
)
EXACT = TwoLevel(
    "exact",
    "Exact optimum",
    "Proves the best two-level rule by integer programming, within a time limit.",
    "tables of a few hundred rows with few cut points.",
    quick=False,
)
COLUMN_GENERATION = ColumnGeneration(
    "column_generation",
    "Column generation",
    "Adds clauses to a linear program until none helps, then chooses among them; a clause "
    "costs as much as a condition, and a wrongly taken row counts once for every clause.",
    "a bound: it can say how far the rule is from the best possible.",
)
ONE_CLAUSE = OneClause(
    "one_level",
    "One clause",
    "A single AND (or OR) of conditions from one linear program.",
    "the shortest possible rules.",
    reads=("form", "thetas", "rounding"),
)
ONE_CLAUSE_PROVED = OneClause(
    "one_level_exact",
    "One clause, provably optimal",
    "Finds the single AND (or OR) that costs least and proves it, or says how far it may be "
    "from the best; a row can count once for every condition.",
    "a proof, also with a cut point at every distinct value (Binning).",
    reads=("form", "thetas"),
    exact=True,
)
