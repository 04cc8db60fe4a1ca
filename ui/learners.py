"""The learners a person can choose from, in words, and the settings of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from sklearn.base import ClassifierMixin

from rulekit.binarize import Binarizer
from rulekit.estimators import (
    IdealDNFClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
)
from rulekit.evaluation import THETA_GRID
from rulekit.evaluation.grid import settings_of
from ui.hyperplane_learner import (
    HYPERPLANE,
    NUS,
    hyperplane_estimator,
    hyperplane_settings,
)
from ui.state import AppState, BinningSpec
from ui.tree_learner import TAUS, TREE, tree_estimator, tree_settings

LEARNER_KEY = "learner"
WHOLE_FRONT = {"search"}  # one fit of these costs what all settings of a fold cost
# no number of clauses is asked of these
WITHOUT_CLAUSES = ("one_level", "one_level_exact", "column_generation")
IDEAL = "ideal"  # is asked for a number of conditions, not for prices and clauses
IDEAL_FEATURES = tuple(range(1, 11))
OWN_GRIDS = (*WITHOUT_CLAUSES, IDEAL, HYPERPLANE, TREE)
ROBUST = (0.1, 0.3)  # robustness of the box search besides 0
EXACT_CELLS = 20_000  # rows times conditions up to which an exact answer comes in useful time
FIT_SECONDS = 20.0  # no single fit of a run takes longer than about this


@dataclass(frozen=True)
class Learner:
    """How one learner is told to a person: its name, what it does, when it is good."""

    name: str
    sentence: str
    good_when: str


LEARNERS = {
    "search": Learner(
        "Box search",
        "Improves whole intervals directly; one search answers every price and number of clauses.",
        "the first choice: the whole front in seconds, with fewer training errors for its size.",
    ),
    "alternating": Learner(
        "Alternating minimisation",
        "Shares the rows out among the clauses, relearns every clause, and repeats.",
        "the most accurate of the two-level paper's methods, for comparison.",
    ),
    "block_coordinate": Learner(
        "Block coordinate descent",
        "Improves one clause at a time while the others stay, until none gets better.",
        "a steady second opinion; its objective never rises.",
    ),
    "set_cover": Learner(
        "Set covering",
        "Learns one clause after the other, each for what the earlier ones left over.",
        "quick answers on large tables.",
    ),
    "lp": Learner(
        "Two-level linear program",
        "Relaxes the whole rule into one linear program and rounds its answer.",
        "small tables, and to see how far rounding is from the relaxation.",
    ),
    "column_generation": Learner(
        "Column generation",
        "Adds clauses to a linear program until none helps, then chooses among them; a clause "
        "costs as much as a condition, and a wrongly taken row counts once for every clause.",
        "one wants a bound: it can say how far the rule is from the best possible.",
    ),
    IDEAL: Learner(
        "Ideal DNF",
        "Chooses a few conditions, one for each number, and counts the best formula over them.",
        "a first answer at once, on tables of any size: the most a few conditions can do.",
    ),
    "one_level": Learner(
        "One clause",
        "A single AND (or OR) of conditions from one linear program.",
        "when the shortest possible rule is wanted.",
    ),
    "one_level_exact": Learner(
        "One clause, provably optimal",
        "Finds the single AND (or OR) that costs least and proves it, or says how far it may be "
        "from the best; a row can count once for every condition.",
        "one wants a proof, also with a cut point at every distinct value (Binning).",
    ),
    "exact": Learner(
        "Exact optimum",
        "Proves the best two-level rule by integer programming, within a time limit.",
        "tables of a few hundred rows with few cut points.",
    ),
    TREE: Learner(
        "Power-law tree",
        "Splits by one short formula, such as a * b <= 4 (power laws of a few columns, in their "
        "own units), and grows a tree of such splits; τ is the impurity a split has to reach. "
        "Columns of text are left out.",
        "boxes need many conditions because columns act together, as products or ratios.",
    ),
    HYPERPLANE: Learner(
        "Boxes from a plane",
        "Learns a weighted sum of few columns (a 1-norm support vector machine, ν its price of "
        "errors) and cuts one side of it into boxes that do not overlap; always a DNF. Rows with a "
        "gap teach it nothing.",
        "a score is trusted already: every case gets a box around it and a confidence.",
    ),
}
FORMS = {
    "dnf": "any AND (DNF)",
    "cnf": "every OR (CNF)",
}
ROUNDINGS = {
    "redundancy": "redundancy-aware (best on most tables)",
    "threshold": "threshold",
    "random": "randomised",
}


@dataclass(frozen=True)
class RunSpec:
    """What a run computes; a plain value, so that two runs can be compared and kept.

    `forbidden`, `required` and `directions` name columns; a direction is ">" or "<". `against` and
    `robust` say whether the box search also looks for rules of the other class, and for rules that
    more than one condition protects; `ideal_cuts` how the ideal DNF cuts numbers ("median" or
    "binning"), `ideal_mode` its mode. `nus` are the prices of "hyperplane", and `plane_answers`
    says whether its plane answers the rows that no box holds; `taus` the impurities of
    "power_law_tree".
    """

    learners: tuple[str, ...] = ("search",)
    thetas: tuple[float, ...] = tuple(THETA_GRID)
    clauses: tuple[int, int] = (1, 5)
    folds: int = 10
    form: str = "dnf"
    rounding: str = "redundancy"
    refine: bool = False
    allow_disabled: bool = False
    class_weight: str | None = None
    forbidden: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    allow_not_equal: bool = True
    directions: tuple[tuple[str, str], ...] = ()
    baselines: bool = field(default=True)
    against: bool = True
    robust: bool = True
    ideal_cuts: str = "median"
    ideal_mode: str = "compact"
    nus: tuple[float, ...] = NUS
    plane_answers: bool = False
    taus: tuple[float, ...] = TAUS

    @property
    def n_settings(self) -> int:
        """How many settings the run tries."""
        return len(settings_of_run(self))

    @property
    def n_fits(self) -> int:
        """How many models the run fits: every setting in every fold."""
        return self.n_settings * self.folds

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values that JSON can keep."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "RunSpec":
        """Return the run that `to_dict` described; unknown entries are left out."""
        spec = cls()
        known = {k: _frozen(v) for k, v in values.items() if hasattr(spec, k) and k != "n_fits"}
        known.pop("n_settings", None)
        return replace(spec, **known)

    def constraints(
        self, features: Sequence[str], *, against: bool = False
    ) -> dict[str, Any] | None:
        """Return what the analyst rules out or insists on, None if nothing.

        Wishes that a column not among the features keeps by its absence are left out; one that
        asks for it stays, for the learner to refuse. For a rule against the described class every
        direction is turned: where more speaks for the class, less speaks against it.
        """
        turned = {">": "<", "<": ">"} if against else {}
        wishes = {
            "forbidden": tuple(name for name in self.forbidden if name in features),
            "required": self.required,
            "directions": {
                name: turned.get(sign, sign) for name, sign in self.directions if name in features
            },
        }
        if self.allow_not_equal and not any(wishes.values()):
            return None
        return wishes | {"allow_not_equal": self.allow_not_equal}


def two_level_grid(spec: RunSpec) -> dict[str, list[Any]]:
    """Return the grid of the learners of a run that are asked for a number of clauses."""
    low, high = spec.clauses
    return {
        "method": [n for n in spec.learners if n not in OWN_GRIDS],
        "n_clauses": list(range(low, high + 1)),
        "theta": list(spec.thetas),
    }


def variants(spec: RunSpec) -> tuple[dict[str, Any], ...]:
    """List how the box search is varied beside its plain form; empty if it does not run."""
    if "search" not in spec.learners:
        return ()
    sides = [{}, {"describes": "other"}] if spec.against else [{}]
    degrees = [{}, *({"robustness": value} for value in ROBUST)] if spec.robust else [{}]
    return tuple(side | degree for side, degree in product(sides, degrees) if side or degree)


def settings_of_run(spec: RunSpec) -> tuple[dict[str, Any], ...]:
    """List the settings of a run, numbered as its rows are.

    Learners with a number of clauses come first, then those without, then boxes from a plane,
    then power-law trees, then the variants of the box search. A setting holds ``learner``,
    ``theta`` (of boxes from a plane their ν, of trees their τ) and, if it is asked for,
    ``n_clauses``; of a variant also ``describes`` ("other": the rule is against the described
    class) and ``robustness``, of trees ``max_power_laws`` and ``max_depth``. The ideal DNF comes
    last, with ``max_features`` alone.
    """
    found: list[dict[str, Any]] = []
    grid = two_level_grid(spec)
    if grid["method"]:
        for setting in settings_of(grid):
            found.append({LEARNER_KEY: setting.pop("method"), **setting})
    for name in WITHOUT_CLAUSES:
        if name in spec.learners:
            found += [{LEARNER_KEY: name, "theta": theta} for theta in spec.thetas]
    if HYPERPLANE in spec.learners:
        boxes = hyperplane_settings(spec.nus, spec.clauses)
        found += [{LEARNER_KEY: HYPERPLANE, **setting} for setting in boxes]
    if TREE in spec.learners:
        found += [{LEARNER_KEY: TREE, **setting} for setting in tree_settings(spec.taus)]
    for variant in variants(spec):
        for setting in settings_of(grid | {"method": ["search"]}):
            found.append({LEARNER_KEY: setting.pop("method"), **setting, **variant})
    if IDEAL in spec.learners:
        found += [{LEARNER_KEY: IDEAL, "max_features": k} for k in IDEAL_FEATURES]
    return tuple(found)


def run_key(spec: RunSpec, state: AppState) -> str:
    """Return a text that changes whenever the points of a run would."""
    return repr((state.fit_key, spec))


def binarizer(binning: BinningSpec) -> Binarizer:
    """Return the binarizer the Binning page describes."""
    return Binarizer(
        method=binning.method,
        n_thresholds=binning.n_thresholds,
        thresholds=binning.thresholds,
        max_levels=binning.max_levels,
    )


def estimator_for(
    learner: str, spec: RunSpec, state: AppState, variant: Mapping[str, Any] | None = None
) -> ClassifierMixin:
    """Return the unfitted estimator of one learner with everything but the swept parameters.

    Parameters
    ----------
    learner : str
        A key of `LEARNERS`.
    spec : RunSpec
    state : AppState
    variant : mapping, optional
        One of `variants`, or a setting; only what makes it a variant is read.

    Returns
    -------
    classifier
    """
    if learner == TREE:
        return tree_estimator(state.positive, spec.class_weight, FIT_SECONDS)
    if learner == HYPERPLANE:
        return hyperplane_estimator(state.positive, spec.class_weight, spec.plane_answers)
    varied = variant or {}
    if learner == IDEAL:
        return _ideal(spec, state)
    common = {
        "form": spec.form,
        "rounding": spec.rounding,
        "positive_label": state.other_label if "describes" in varied else state.positive,
        "class_weight": spec.class_weight,
        "binarizer": binarizer(state.binning),
        "constraints": spec.constraints(state.features, against="describes" in varied),
        "random_state": 0,
        "time_limit": FIT_SECONDS,
    }
    if learner == "one_level":
        return OneLevelRuleClassifier(**common)
    if learner == "one_level_exact":
        return OneLevelRuleClassifier(exact=True, screening="duality", **common)
    return TwoLevelRuleClassifier(
        method=learner,
        refine=spec.refine,
        allow_disabled=spec.allow_disabled,
        robustness=varied.get("robustness", 0.0),
        **common,
    )


def _ideal(spec: RunSpec, state: AppState) -> IdealDNFClassifier:
    """Return the unfitted ideal DNF; it refuses constraints that counting cannot keep."""
    return IdealDNFClassifier(
        mode=spec.ideal_mode,
        positive_label=state.positive,
        class_weight=spec.class_weight,
        binarizer=binarizer(state.binning) if spec.ideal_cuts == "binning" else None,
        constraints=spec.constraints(state.features),
        random_state=0,
    )


def _frozen(value: Any) -> Any:
    """Turn the lists JSON gives back into tuples."""
    return tuple(_frozen(v) for v in value) if isinstance(value, (list, tuple)) else value
