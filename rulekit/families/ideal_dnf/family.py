"""The entry of the ideal DNF in `FAMILIES`."""

from rulekit.families.family import Family
from rulekit.families.ideal_dnf.ideal_dnf import IdealDNFClassifier
from rulekit.style.wording import plural

CONDITIONS = tuple(range(1, 11))

FAMILY = Family(
    key="ideal",
    model=IdealDNFClassifier(),
    title="ideal DNF",
    default_grid=lambda y: {"max_features": list(CONDITIONS)},
    command="combinations",
    question="Every combination of a few conditions (ideal DNF, truth table)",
    name="Every combination of a few conditions",
    sentence=(
        "Chooses a few conditions, one for each number, and counts the best formula over them: the "
        "ideal DNF."
    ),
    good_for="a first answer at once, on tables of any size: the most a few conditions can do.",
    ways=(
        "The combination of conditions is asked for 1 to 10 of them; shape, clauses, prices and "
        "rounding are not asked of it, and of the constraints it keeps “must not appear” alone."
    ),
    shape_words=lambda s: [f"at most {plural(s['max_features'], 'chosen condition')}"],
    at_once=True,
    keeps_promises=False,
)
