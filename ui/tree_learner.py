"""Power-law trees as a learner of Models: their settings under the names all learners share.

There a setting has a price ``theta``. Here it is τ, the impurity a split has to reach: the larger
it is, the shorter the formulas. Depth and the number of power laws make variants.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rulekit.estimators import PowerLawTreeClassifier
from rulekit.evaluation.grid import settings_of

TREE = "power_law_tree"
TAUS = (0.02, 0.05, 0.1, 0.2)
DEPTHS = (0, 2)
POWER_LAWS = (1, 2, 3)
PARAMETERS = {"theta": "tau_impurity"}
TAU_HELP = (
    "The impurity (Gini) that a split has to reach; the shortest formula that does is taken. The "
    "larger τ is, the fewer exponents."
)


def tree_grid(taus: Sequence[float]) -> dict[str, list[Any]]:
    """Return the grid of a sweep: power laws in a split, depth of the tree, impurity to reach."""
    return {
        "max_power_laws": list(POWER_LAWS),
        "max_depth": list(DEPTHS),
        "tau_impurity": list(taus),
    }


def tree_settings(taus: Sequence[float]) -> list[dict[str, Any]]:
    """List the settings of that grid, in its order, under the shared names."""
    names = {theirs: ours for ours, theirs in PARAMETERS.items()}
    return [
        {names.get(name, name): value for name, value in setting.items()}
        for setting in settings_of(tree_grid(taus))
    ]


def tree_parameters(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the estimator's parameters for a setting under the shared names."""
    known = ("theta", "max_power_laws", "max_depth")
    return {PARAMETERS.get(k, k): v for k, v in setting.items() if k in known}


def tree_estimator(positive: Any, class_weight: str | None, seconds: float) -> Any:
    """Return the unfitted estimator with everything but the swept parameters."""
    return PowerLawTreeClassifier(
        positive_label=positive, class_weight=class_weight, random_state=0, time_limit=seconds
    )


def tree_words(setting: Mapping[str, Any]) -> list[str]:
    """Say what makes a setting a variant of the tree."""
    if "max_power_laws" not in setting:
        return []
    laws, depth = setting["max_power_laws"], setting["max_depth"]
    several = f"up to {laws} power law{'s' * (laws != 1)}"
    return [several, "one split" if depth == 0 else f"depth {depth}"]
