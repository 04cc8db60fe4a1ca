"""Power-law trees as a learner of Models.

The price ``theta`` of a setting is here τ, the impurity a split has to reach: the larger it is, the
shorter the formulas. Depth and the number of power laws make settings of different shape.
"""

from typing import Any

from rulekit.families.power_law.tree import DEPTHS, POWER_LAWS
from ui.learners.learner import Cards, Dial, Learner
from ui.learners.spec import RunSpec
from ui.learners.tree_cards import case_in_bspace, tree_card

TREE = "power_law_tree"
TAU_HELP = (
    "The impurity (Gini) that a split has to reach; the shortest formula that does is taken. The "
    "larger τ is, the fewer exponents."
)


def grid(spec: RunSpec) -> dict[str, list[Any]]:
    """Return the grid: power laws in a split, depth of the tree, impurity to reach."""
    return {
        "max_power_laws": list(POWER_LAWS),
        "max_depth": list(DEPTHS),
        "tau_impurity": list(spec.taus),
    }


POWER_LAW_TREE = Learner.of(
    TREE,
    grid=grid,
    own=lambda spec, state, variant: {"positive_label": state.positive},
    dials=lambda setting, n_rows: [Dial("theta", "Impurity τ a split has to reach", TAU_HELP)],
    cards=Cards(pictures=tree_card, explain=case_in_bspace),
)
