"""The learners a person can choose from, and what a run makes of its settings.

To offer a learner, write its module as `ui.learner.Learner` says and add its object to `LEARNERS`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ui import literal_learners as literal
from ui.hyperplane_learner import BOXES_FROM_A_PLANE
from ui.ideal_learner import IDEAL_DNF
from ui.learner import SIZES, Cards, Learner
from ui.run_spec import LEARNER_KEY, RunSettings
from ui.state import AppState
from ui.tree_learner import POWER_LAW_TREE

LEARNERS: dict[str, Learner] = {
    learner.key: learner
    for learner in (
        literal.BOX_SEARCH,
        literal.ALTERNATING,
        literal.BLOCK_COORDINATE,
        literal.SET_COVER,
        literal.LINEAR_PROGRAM,
        literal.COLUMN_GENERATION,
        IDEAL_DNF,
        literal.ONE_CLAUSE,
        literal.ONE_CLAUSE_PROVED,
        literal.EXACT,
        POWER_LAW_TREE,
        BOXES_FROM_A_PLANE,
    )
}
# what pages show of some learners' models, each once
CARDS: tuple[Cards, ...] = tuple(
    dict.fromkeys(learner.cards for learner in LEARNERS.values() if learner.cards is not None)
)


@dataclass(frozen=True)
class RunSpec(RunSettings):
    """What a run computes: the settings asked for, and how many fits they are."""

    @property
    def n_settings(self) -> int:
        """How many settings the run tries."""
        return len(settings_of_run(self))

    @property
    def n_fits(self) -> int:
        """How many models the run fits: every setting in every fold."""
        return self.n_settings * self.folds


@dataclass(frozen=True)
class Leg:
    """A sweep of a run: the learners it serves, and how they are varied.

    Attributes
    ----------
    learners : tuple of Learner
        One, or several of a family.
    variant : mapping
        Entries that its settings have besides; empty for the plain form.
    """

    learners: tuple[Learner, ...]
    variant: Mapping[str, Any]

    def settings(self, spec: RunSettings) -> list[dict[str, Any]]:
        """List its settings, under the shared names, in the order of `grid`."""
        return [
            setting | self.variant
            for learner in self.learners
            for setting in learner.settings(spec)
        ]

    def grid(self, spec: RunSettings) -> dict[str, list[Any]]:
        """Return its grid, under the estimator's names."""
        grid = self.learners[0].grid(spec)
        if not self.learners[0].family:
            return grid
        return {"method": [learner.key for learner in self.learners]} | grid


def chosen(spec: RunSettings) -> list[Learner]:
    """List the learners of a run, in the order they were chosen."""
    return [LEARNERS[name] for name in spec.learners if name in LEARNERS]


def answers_at_once(spec: RunSettings) -> bool:
    """Whether every learner of a run finds all its settings of a fold in one fit."""
    return all(learner.whole_front for learner in chosen(spec))


def legs(spec: RunSettings) -> list[Leg]:
    """List the sweeps of a run: plain ones in the order of `LEARNERS`, families together; variants.

    Learners of a family stand in the order they were chosen.
    """
    families: dict[str, list[Learner]] = {}
    for learner in LEARNERS.values():
        families.setdefault(learner.family or learner.key, [])
    for learner in chosen(spec):
        families[learner.family or learner.key].append(learner)
    plain = [Leg(tuple(members), {}) for members in families.values() if members]
    varied = [
        Leg((learner,), variant) for learner in chosen(spec) for variant in learner.variants(spec)
    ]
    return plain + varied


def settings_of_run(spec: RunSettings) -> tuple[dict[str, Any], ...]:
    """List the settings of a run, numbered as its rows are; see `legs` for the order.

    A setting holds ``learner`` and, as far as they are asked for, ``theta`` (of boxes from a plane
    their ν, of trees their τ), ``n_clauses``, of trees ``max_power_laws`` and ``max_depth``, of the
    ideal DNF ``max_features`` alone; of a variant also ``describes`` ("other": the rule is against
    the described class), ``robustness`` and ``doubt``.
    """
    return tuple(setting for leg in legs(spec) for setting in leg.settings(spec))


def run_key(spec: RunSettings, state: AppState) -> str:
    """Return a text that changes whenever the points of a run would."""
    return repr((state.fit_key, spec))


def words_of(setting: Mapping[str, Any]) -> str:
    """Say a setting of a run in words, for captions and hover boxes (escape it there)."""
    return LEARNERS[setting[LEARNER_KEY]].words(setting)


def same_search(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two settings differ in nothing but how large their rules may be."""
    return variant_of(one) == variant_of(other)


def variant_of(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a setting has besides its sizes: the learner, and what makes it a variant."""
    return {name: value for name, value in setting.items() if name not in SIZES}
