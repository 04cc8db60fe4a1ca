"""Which settings of a run each learner reads, so that the others can be greyed out, with words."""

from collections.abc import Sequence

from ui.learners import LEARNERS

ASKED = (
    "form",
    "thetas",
    "clauses",
    "rounding",
    "refine",
    "allow_disabled",
    "against",
    "robust",
    "doubting",
)
READERS = {
    setting: tuple(name for name, learner in LEARNERS.items() if setting in learner.reads)
    for setting in ASKED
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
    return [LEARNERS[name].ways for name in learners if LEARNERS[name].ways]
