"""The learners to choose from, and the settings of a run."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from rulekit.evaluation import LearnerGrid
from rulekit.families import FAMILIES
from rulekit.families.table import PAPERS
from rulekit.style.palette import Look, learner_look
from ui.learners import literal
from ui.learners.hyperplane import BOXES_FROM_A_PLANE
from ui.learners.ideal import IDEAL_DNF
from ui.learners.learner import SIZES, Cards, Learner
from ui.learners.points import POINTS_TO_ADD_UP
from ui.learners.spec import LEARNER_KEY, QUICK, RunSpec
from ui.learners.tree import POWER_LAW_TREE
from ui.state import AppState

LEARNERS: dict[str, Learner] = {
    key: learner
    for key in FAMILIES
    for learner in (
        literal.BOX_SEARCH,
        *literal.PAPERS,
        IDEAL_DNF,
        BOXES_FROM_A_PLANE,
        POWER_LAW_TREE,
        POINTS_TO_ADD_UP,
    )
    if learner.key == key
}
# The choices of Models, each with its learners: those with a single learner first.
QUESTIONS: dict[str, tuple[str, ...]] = {}
for key, family in sorted(FAMILIES.items(), key=lambda item: item[1].question == PAPERS):
    QUESTIONS[family.question] = (*QUESTIONS.get(family.question, ()), key)
PLACES = [key for names in QUESTIONS.values() for key in names]  # for the learners' looks
# cards for some learners' models, each once
CARDS: tuple[Cards, ...] = tuple(
    dict.fromkeys(learner.cards for learner in LEARNERS.values() if learner.cards is not None)
)


def list_variants(spec: RunSpec) -> list[tuple[Learner, dict[str, Any]]]:
    """List the learners of a run, plain and then their variants; each is swept separately."""
    chosen = [LEARNERS[name] for name in spec.learners if name in LEARNERS]
    if not spec.thorough:
        sides: list[dict[str, Any]] = [{}, {"describes": "other"}] if spec.against else [{}]
        return [(learner, side | {QUICK: True}) for learner in chosen for side in sides]
    plain = [learner for learner in LEARNERS.values() if learner in chosen]
    # the fast ones come second, so that they do not wait
    ordered = plain[:1] + sorted(plain[1:], key=lambda learner: not learner.at_once)
    variants = [(learner, v) for learner in chosen for v in learner.variants(spec)]
    return [(learner, {}) for learner in ordered] + variants


def settings_of_run(spec: RunSpec) -> tuple[dict[str, Any], ...]:
    """List the settings of a run, numbered like its rows; see `list_variants` for the order."""
    # A setting has ``learner`` and the learner's grid (``theta`` is ν for boxes from a plane, τ for
    # trees); of variants also ``describes``, ``robustness``, ``label_noise`` or ``quick``.
    return tuple(
        setting | variant
        for learner, variant in list_variants(spec)
        for setting in learner.settings(spec)
    )


def families(spec: RunSpec, state: AppState) -> list[LearnerGrid]:
    """List what a run compares; its settings are numbered as `settings_of_run` lists them."""
    grids = []
    for learner, variant in list_variants(spec):
        estimator, grid = learner.estimator(spec, state, variant), learner.grid(spec)
        label = getattr(estimator, "positive_label", state.positive)
        if label != state.positive and not state.several:
            # its F1 is still for the class that the others describe
            grid |= {"positive_label": [label]}
            estimator.set_params(positive_label=state.positive)
        name, front = family_words(learner, variant), learner.whole_front
        # searches hold the interpreter's lock: two in parallel take longer than in sequence
        n_jobs = 1 if front else None
        grids.append(LearnerGrid(name, estimator, grid, front, QUICK not in variant, n_jobs))
    return grids


def family_words(learner: Learner, variant: Mapping[str, Any]) -> str:
    """Return the name of a learner's variant in a run."""
    return ", ".join(learner.variant_words(variant)).capitalize() or learner.name


def rename_costs(costs: Sequence[float], before: AppState, after: AppState) -> tuple[float, ...]:
    """Return the costs of errors in the order of new names of outcomes."""
    new = before.new_names(after)
    pairs = [(new.get(a, a), new.get(b, b)) for a, b in permutations(before.labels, 2)]
    ordered = list(permutations(after.labels, 2))
    if len(costs) != len(pairs) or set(ordered) != set(pairs):
        return tuple(costs)
    return tuple(costs[pairs.index(pair)] for pair in ordered)


def curve_key(spec: RunSpec, state: AppState) -> str:
    """Return a text that is equal for runs whose points share a curve."""
    return repr((state.fit_key, spec.shared))


def learner_of(setting: Mapping[str, Any]) -> Learner:
    """Return the learner of a setting."""
    return LEARNERS[setting[LEARNER_KEY]]


def look_of(setting: Mapping[str, Any], variant: str = "") -> Look:
    """Return the colour and symbol of a setting's learner in all charts and tables."""
    return learner_look(PLACES.index(setting[LEARNER_KEY]), variant)


def same_search(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two settings differ only in the size limits of their rules."""
    variant = one.keys() - set(SIZES)  # the learner, and the variant of its search
    return one.keys() == other.keys() and all(one[name] == other[name] for name in variant)
