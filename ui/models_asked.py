"""Which settings of a run each learner reads, so that the others can be greyed out, with words."""

from collections.abc import Sequence

from ui.hyperplane_learner import HYPERPLANE
from ui.learners import IDEAL, LEARNERS
from ui.tree_learner import DEPTHS, POWER_LAWS, TAUS, TREE

SHARED = ("alternating", "block_coordinate", "set_cover", "lp", "exact")
WITH_CONDITIONS = tuple(name for name in LEARNERS if name not in (IDEAL, HYPERPLANE, TREE))
READERS = {
    "form": WITH_CONDITIONS,
    "thetas": WITH_CONDITIONS,
    "clauses": ("search", *SHARED, HYPERPLANE),
    "rounding": (*SHARED, "one_level"),
    "refine": ("search", *SHARED, "column_generation"),
    "allow_disabled": SHARED,
    "against": ("search",),
    "robust": ("search",),
}
GREY = "What is greyed out, the chosen learners do not read."


def unread(setting: str, learners: Sequence[str]) -> bool:
    """Whether none of some learners reads a setting; False of settings that all read.

    Parameters
    ----------
    setting : str
        A field of `ui.learners.RunSpec`.
    learners : sequence of str
        Keys of `ui.learners.LEARNERS`; of no learner at all everything may still be asked.

    Returns
    -------
    bool
    """
    readers = READERS.get(setting, tuple(LEARNERS))
    return bool(learners) and not set(readers) & set(learners)


def own_ways(learners: Sequence[str]) -> list[str]:
    """Say of learners with ways of their own what they try, and what is not asked of them."""
    words = []
    if TREE in learners:
        depth = max(DEPTHS)
        taus = ", ".join(f"{tau:g}" for tau in TAUS)
        words.append(
            f"The power-law tree is tried with up to 1 to {max(POWER_LAWS)} power laws in a split, "
            f"with one split and with splits to depth {depth}, and with τ at {taus}. Shape, "
            "clauses, prices θ and the cut points of Binning are not asked of it, and it keeps no "
            "constraints."
        )
    if HYPERPLANE in learners:
        words.append(
            "Boxes from a plane are asked for prices ν (in the first fold-out below) and a number "
            "of clauses, which are its boxes. Shape, prices θ and the cut points of Binning are "
            "not asked of it, and it keeps no constraints."
        )
    return words
