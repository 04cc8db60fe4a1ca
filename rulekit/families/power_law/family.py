"""The entry of power-law trees in `FAMILIES`."""

from rulekit.families.family import Family, Setting
from rulekit.families.power_law.tree import PowerLawTreeClassifier

POWER_LAWS = (1, 2, 3)
DEPTHS = (0, 2)
IMPURITIES = (0.02, 0.05, 0.1, 0.2)


def shape_words(setting: Setting) -> list[str]:
    """Return how many power laws and splits a setting allows, in words."""
    laws, depth = setting["max_power_laws"], setting["max_depth"]
    several = f"up to {laws} power law{'s' * (laws != 1)}"
    return [several, "one split" if depth == 0 else f"depth {depth}"]


FAMILY = Family(
    key="power_law_tree",
    model=PowerLawTreeClassifier(inner_folds=None),  # whoever tries settings compares sizes
    alone=PowerLawTreeClassifier(),
    title="power-law tree",
    default_grid=lambda y: {
        "max_power_laws": POWER_LAWS,
        "max_depth": DEPTHS,
        "tau_impurity": IMPURITIES,
    },
    command="formula",
    question="A formula (power-law tree)",
    name="A formula",
    sentence=(
        "A power-law tree: splits by one short formula, such as a * b <= 4 (power laws of a few "
        "columns, in their own units), and grows a tree of such splits; τ is the impurity a split "
        "has to reach. Columns of text are left out."
    ),
    good_for="columns that act together, as products or ratios, where boxes need many conditions.",
    ways=(
        f"The formula is tried with up to 1 to {max(POWER_LAWS)} power laws in a split, "
        f"with one split and with splits to depth {max(DEPTHS)}, and with τ at "
        f"{', '.join(f'{tau:g}' for tau in IMPURITIES)}. Shape, clauses, prices θ and the cut "
        "points of Binning are not asked of it. Of the constraints it keeps promises alone; a "
        "column whose promise cannot be proved is not read."
    ),
    symbol="τ",
    shape_words=shape_words,
    parameter_names={"theta": "tau_impurity"},
    many_classes=True,
    keeps_constraints=False,
)
