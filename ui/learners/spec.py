"""The settings of a run of Models as one plain value that can be compared and saved.

A setting that one learner alone reads is a field like any other; that learner's module asks for it.
"""

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
from rulekit.evaluation.sweeps.compare import drawn_rows
from rulekit.evaluation.sweeps.grid import THETA_GRID
from rulekit.exceptions import EmptyRuleWarning, MonotonicityWarning
from rulekit.learners.training import as_constraints

LEARNER_KEY = "learner"  # in a setting: which learner it is of
FIT_SECONDS = 20.0  # no single fit of a run takes longer than about this
QUICK = "quick"  # in a setting of the quick search: searched without disturbances, on `quick_part`
QUICK_SECONDS = 2.0  # and no search of it takes longer than about this
QUICK_CELLS = 30_000  # of training rows that it learns from at most,
QUICK_ROWS = 1_000  # but never from fewer rows than these, where there are as many,
QUICK_COLUMNS = 60  # and from the most promising columns
NUS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
TAUS = (0.02, 0.05, 0.1, 0.2)
LIMITS = tuple(range(1, 13))  # of conditions, on the main curve
QUICK_LIMITS = (1, 2, 3, 5, 8)  # of the quick search where there are several outcomes
SHARED = (  # what all points of a curve have in common; any other field belongs to one run
    *("folds", "form", "class_weight", "costs", "cost_unit"),
    *("forbidden", "required", "allow_not_equal", "directions"),
)

FORMER_FIELDS = {"doubting": "noisy"}  # in older files


@dataclass(frozen=True)
class RunSpec:
    """The settings of a run.

    `view` says what the box search is swept over: "conditions", the whole numbers in `limits`, or
    "prices", `thetas` and `clauses`. `thorough` is false of the quick search, `budget` the seconds
    that all learners of a comparison have together (None for no limit), `baselines` whether
    reference models are fitted, too.

    `costs` says what wrong answers cost, in `cost_unit`: for each pair of different answers, in the
    order of the labels, that of a row of the first that is given the second; empty where errors
    are counted.

    `forbidden`, `required` and `directions` name columns; a direction is ">" or "<". `against`,
    `robust` and `noisy` say whether the box search also looks for rules of the other class, for
    rules that more than one condition protects, and with doubtful rows discounted; `ideal_cuts` how
    the ideal DNF cuts numbers ("median" or "binning"), `ideal_mode` its mode. `nus` are the prices
    of "hyperplane", and `plane_answers` says whether its plane answers the rows that no box holds;
    `taus` the impurities of "power_law_tree".
    """

    learners: tuple[str, ...] = ("search",)
    view: str = "conditions"
    limits: tuple[int, ...] = LIMITS
    thorough: bool = True
    budget: float | None = None
    thetas: tuple[float, ...] = tuple(THETA_GRID)
    clauses: tuple[int, int] = (1, 5)
    folds: int = 10
    form: str = "dnf"
    rounding: str = "redundancy"
    refine: bool = False
    allow_disabled: bool = False
    class_weight: str | None = None
    costs: tuple[float, ...] = ()
    cost_unit: str = ""
    forbidden: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    allow_not_equal: bool = True
    directions: tuple[tuple[str, str], ...] = ()
    baselines: bool = True
    against: bool = True
    robust: bool = True
    noisy: bool = True
    ideal_cuts: str = "median"
    ideal_mode: str = "compact"
    nus: tuple[float, ...] = NUS
    plane_answers: bool = False
    taus: tuple[float, ...] = TAUS

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values that JSON can keep."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the run that `to_dict` described; unknown entries are left out."""
        given = {FORMER_FIELDS.get(k, k): v for k, v in values.items()}
        fields = {k: _frozen(v) for k, v in given.items() if k in cls.__dataclass_fields__}
        return replace(cls(), **fields)

    @property
    def shared(self) -> tuple[Any, ...]:
        """The settings that all points of a curve share."""
        return tuple(getattr(self, name) for name in SHARED)

    def error_costs(self, labels: Sequence[Any]) -> Costs | None:
        """Return the costs of errors between these labels; None if errors are counted.

        Raises
        ------
        ValueError
            If the costs are those of another number of labels.
        """
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
        """Return the constraints of the run, None without any.

        Constraints on columns that are not features are left out, except required columns, which
        the learner then refuses. Directions lead to the class `towards`,
        whichever class a rule describes.
        """
        given = {
            "forbidden": tuple(name for name in self.forbidden if name in features),
            "required": self.required,
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
    return drawn_rows(rows, np.asarray(y), max(QUICK_ROWS, QUICK_CELLS // n_columns))


def quick_part(
    X: pd.DataFrame, y: pd.Series, rows: NDArray[np.intp], estimator: Any
) -> tuple[NDArray[np.intp], list[str]]:
    """Select the rows and columns of the quick search.

    The columns are those most associated with the outcome in these rows, and those that the
    estimator's settings name. Other rows have no influence.
    """
    part = quick_rows(X, y, rows)
    if X.shape[1] <= QUICK_COLUMNS:
        return part, list(X.columns)
    named = {
        *as_constraints(estimator.constraints).features,
        *(estimator.binarizer.thresholds or ()),
    }
    offered = X.drop(columns=[name for name in X.columns if name in named])
    chosen = named | set(promising_columns(offered.iloc[part], y.iloc[part], QUICK_COLUMNS))
    return part, [name for name in X.columns if name in chosen]


def quiet() -> None:
    """Silence warnings that the pages show in their own words.

    Set for the whole process: runs may be fitted in threads, and Python's usual way of silencing
    warnings for a while (`warnings.catch_warnings`) is not safe there.
    """
    for category in (ConvergenceWarning, EmptyRuleWarning, MonotonicityWarning):
        warnings.simplefilter("ignore", category)


def _frozen(value: Any) -> Any:
    """Convert the lists of JSON to tuples."""
    return tuple(_frozen(v) for v in value) if isinstance(value, (list, tuple)) else value
