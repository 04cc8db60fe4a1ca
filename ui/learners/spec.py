"""The settings of a run of Models as one plain value that can be compared and saved."""

# A setting that only one learner reads is a field like any other; its module draws the widget.

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rulekit.data import Costs
from rulekit.data.association import promising_columns
from rulekit.data.folds import draw_rows
from rulekit.evaluation.sweeps.grid import THETA_GRID
from rulekit.exceptions import EmptyRuleWarning, MonotonicityWarning
from rulekit.learners.training import as_constraints

LEARNER_KEY = "learner"  # in a setting: its learner
FIT_SECONDS = 20.0  # approximate time limit of a single fit of a run
QUICK = "quick"  # in a setting of the quick search: searched without perturbations, on `quick_part`
CHOSEN = "chosen"  # in a setting that `RuleClassifier` selects: its price;
REFINED = "refined"  # in such a setting: the cuts of its rule are refined,
UNCOSTED = "uncosted"  # it is learned without costs
# parameters of the box search that `RuleClassifier` runs with its defaults
SEARCH_OF_CHOICE = {"max_conditions": 8, "n_perturbations": 0, "refine": False, "time_limit": None}
QUICK_SECONDS = 2.0  # approximate time limit of a quick search
QUICK_CELLS = 30_000  # maximal number of training rows of a quick search,
QUICK_ROWS = 1_000  # but at least this many rows, if there are as many,
QUICK_COLUMNS = 60  # and the most promising columns
NUS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
TAUS = (0.02, 0.05, 0.1)
LIMITS = tuple(range(1, 13))  # numbers of conditions on the main curve
QUICK_LIMITS = (1, 2, 3, 5, 8)  # the same for the quick search with several outcomes
SHARED = (  # fields that all points of a curve share; any other field belongs to one run
    *("folds", "form", "class_weight", "costs", "cost_unit"),
    *("forbidden", "required", "allow_not_equal", "directions"),
)


@dataclass(frozen=True)
class RunSpec:
    """The settings of a run."""

    learners: tuple[str, ...] = ("search",)  # none if `RuleClassifier` alone selects
    view: str = "conditions"  # sweep of the box search: over `limits`, or "prices"
    limits: tuple[int, ...] = LIMITS
    thorough: bool = True  # False is the quick search
    budget: float | None = None  # seconds for all learners of a comparison together
    thetas: tuple[float, ...] = tuple(THETA_GRID)
    clauses: tuple[int, int] = (1, 5)
    folds: int = 10
    form: str = "dnf"
    rounding: str = "redundancy"
    refine: bool = False
    allow_disabled: bool = False
    class_weight: str | None = None
    # for each pair of different labels, in their order, the cost of predicting the second for a row
    # of the first; empty if errors are counted
    costs: tuple[float, ...] = ()
    cost_unit: str = ""
    forbidden: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    allow_not_equal: bool = True
    directions: tuple[tuple[str, str], ...] = ()  # (column, ">" or "<")
    baselines: bool = True
    against: bool = True  # also search rules of the other class
    robust: bool = True  # ... in which more than one condition excludes each wrong row
    noisy: bool = True  # ... with doubtful rows discounted
    ideal_cuts: str = "binning"  # or "median"
    ideal_mode: str = "compact"
    nus: tuple[float, ...] = NUS  # prices of "hyperplane"
    plane_answers: bool = False  # its plane predicts the rows outside all boxes
    taus: tuple[float, ...] = TAUS  # impurities of "power_law_tree"
    gap_column: str = ""
    max_gap: float | None = None  # between its groups, in training rows, for a suggested rule only

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the run from the result of `to_dict`; unknown entries are ignored."""
        fields = {k: _frozen(v) for k, v in values.items() if k in cls.__dataclass_fields__}
        return replace(cls(), **fields)

    @property
    def chooses(self) -> bool:
        """Whether `RuleClassifier` selects the suggested rule."""
        # it learns no CNF, and takes long with required columns
        return (
            self.thorough
            and self.budget is None
            and self.view == "conditions"
            and (not self.learners or "search" in self.learners)
            and self.form == "dnf"
            and not self.required
        )

    @property
    def shared(self) -> tuple[Any, ...]:
        """The settings that all points of a curve share."""
        return tuple(getattr(self, name) for name in SHARED)

    def error_costs(self, labels: Sequence[Any]) -> Costs | None:
        """Return the costs of errors between these labels; None if errors are counted."""
        if not self.costs:
            return None
        pairs = list(permutations(labels, 2))
        if len(pairs) != len(self.costs):
            raise ValueError(
                f"Costs must be one for each pair of {len(labels)} outcomes, {len(pairs)} in all; "
                f"this run has {len(self.costs)}. Set the costs again on Models."
            )
        return Costs(matrix=dict(zip(pairs, self.costs, strict=True)), unit=self.cost_unit)

    def constraints(self, features: Sequence[str], towards: Any) -> dict[str, Any] | None:
        """Return the constraints of the run, None without any; directions lead to `towards`."""
        given = {
            "forbidden": tuple(name for name in self.forbidden if name in features),
            "required": self.required,  # the learner rejects columns that are not features
            "directions": {name: sign for name, sign in self.directions if name in features},
        }
        if self.allow_not_equal and not any(given.values()):
            return None
        if given["directions"]:
            given["towards"] = towards
        return given | {"allow_not_equal": self.allow_not_equal}


def quick_rows(X: pd.DataFrame, y: pd.Series, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Draw the rows of the quick search; the same ones every time."""
    n_columns = max(1, min(X.shape[1], QUICK_COLUMNS))
    return draw_rows(rows, np.asarray(y), max(QUICK_ROWS, QUICK_CELLS // n_columns))


def quick_part(
    X: pd.DataFrame, y: pd.Series, rows: NDArray[np.intp], estimator: Any
) -> tuple[NDArray[np.intp], list[str]]:
    """Select the rows of the quick search, and the columns named in settings or most associated."""
    part = quick_rows(X, y, rows)
    if X.shape[1] <= QUICK_COLUMNS:
        return part, list(X.columns)
    constraints = as_constraints(estimator.constraints)
    named = {*constraints.features, *(estimator.binarizer.thresholds or ())}
    offered = X.drop(columns=[name for name in X.columns if name in named])
    chosen = named | set(promising_columns(offered.iloc[part], y.iloc[part], QUICK_COLUMNS))
    return part, [name for name in X.columns if name in chosen]


def quick_table(
    X: pd.DataFrame, y: pd.Series, weight: NDArray[np.float64] | None, estimator: Any
) -> tuple[pd.DataFrame, pd.Series, NDArray[np.float64] | None]:
    """Return the part of the training rows that a quick search learns from."""
    rows, columns = quick_part(X, y, np.arange(len(y)), estimator)
    return X[columns].iloc[rows], y.iloc[rows], None if weight is None else weight[rows]


def make_setting(selected: Mapping[str, Any], positive: Any) -> dict[str, Any]:
    """Return the setting of a run with the `best_params_` of a `RuleClassifier`."""
    setting = {LEARNER_KEY: "search", CHOSEN: selected["theta"], "n_clauses": selected["n_clauses"]}
    setting |= {k: selected[k] for k in ("robustness", "label_noise") if selected.get(k)}
    if selected.get("positive_label", positive) != positive:
        setting["describes"] = "other"
    if selected["refine_thresholds"]:
        setting[REFINED] = True
    return setting | ({UNCOSTED: True} if "costs" in selected else {})


def quiet() -> None:
    """Silence warnings that the pages show in their own words, process-wide."""
    # `catch_warnings` is not thread-safe, and runs may be fitted in threads
    for category in (ConvergenceWarning, EmptyRuleWarning, MonotonicityWarning):
        warnings.simplefilter("ignore", category)


def _frozen(value: Any) -> Any:
    """Convert the lists of JSON to tuples."""
    return tuple(_frozen(v) for v in value) if isinstance(value, (list, tuple)) else value
