"""Power-law trees as a learner of Models.

The price ``theta`` of a setting is here τ, the impurity a split has to reach: the larger it is, the
shorter the formulas. Depth and the number of power laws make settings of different shape.
"""

from typing import Any

from rulekit.families import PowerLawTreeClassifier
from ui.learners.learner import Cards, Dial, Learner, Setting
from ui.learners.spec import FIT_SECONDS, TAUS, RunSpec
from ui.learners.tree_cards import case_in_bspace, tree_card
from ui.state import AppState

TREE = "power_law_tree"
DEPTHS = (0, 2)
POWER_LAWS = (1, 2, 3)
TAU_HELP = (
    "The impurity (Gini) that a split has to reach; the shortest formula that does is taken. The "
    "larger τ is, the fewer exponents."
)


def estimator(spec: RunSpec, state: AppState, variant: Setting) -> PowerLawTreeClassifier:
    """Return the unfitted estimator; see `Learner`."""
    return PowerLawTreeClassifier(
        inner_folds=None,  # the run itself compares sizes
        positive_label=state.positive,
        class_weight=spec.class_weight,
        costs=spec.error_costs(state.labels),
        constraints=spec.constraints(state.features, state.positive),
        random_state=0,
        time_limit=FIT_SECONDS,
    )


def grid(spec: RunSpec) -> dict[str, list[Any]]:
    """Return the grid: power laws in a split, depth of the tree, impurity to reach."""
    return {
        "max_power_laws": list(POWER_LAWS),
        "max_depth": list(DEPTHS),
        "tau_impurity": list(spec.taus),
    }


def shape_words(setting: Setting) -> list[str]:
    """Say how many power laws and splits there may be."""
    laws, depth = setting["max_power_laws"], setting["max_depth"]
    several = f"up to {laws} power law{'s' * (laws != 1)}"
    return [several, "one split" if depth == 0 else f"depth {depth}"]


POWER_LAW_TREE = Learner(
    TREE,
    "A formula",
    "A power-law tree: splits by one short formula, such as a * b <= 4 (power laws of a few "
    "columns, in their own units), and grows a tree of such splits; τ is the impurity a split "
    "has to reach. Columns of text are left out.",
    "columns that act together, as products or ratios, where boxes need many conditions.",
    estimator,
    grid,
    parameter_names={"theta": "tau_impurity"},
    quick=False,
    many_classes=True,
    keeps_constraints=False,
    ways=(
        f"The formula is tried with up to 1 to {max(POWER_LAWS)} power laws in a split, "
        f"with one split and with splits to depth {max(DEPTHS)}, and with τ at "
        f"{', '.join(f'{tau:g}' for tau in TAUS)}. Shape, clauses, prices θ and the cut points of "
        "Binning are not asked of it. Of the constraints it keeps promises alone; a column whose "
        "promise cannot be proved is not read."
    ),
    symbol="τ",
    shape_words=shape_words,
    dials=lambda setting, n_rows: [Dial("theta", "Impurity τ a split has to reach", TAU_HELP)],
    cards=Cards(pictures=tree_card, explain=case_in_bspace),
)
