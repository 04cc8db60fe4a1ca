"""`FAMILIES`: every learner that pages, command line, comparisons and tests iterate over."""

from rulekit.families import literal
from rulekit.families.family import Family
from rulekit.families.hyperplane.family import FAMILY as HYPERPLANE
from rulekit.families.ideal_dnf.family import FAMILY as IDEAL_DNF
from rulekit.families.power_law.family import FAMILY as POWER_LAW
from rulekit.families.scorecard.family import FAMILY as SCORECARD

FAMILIES: dict[str, Family] = {
    family.key: family
    for family in (
        literal.SEARCH,
        IDEAL_DNF,
        literal.ONE_CLAUSE_PROVED,
        literal.ONE_CLAUSE,
        HYPERPLANE,
        POWER_LAW,
        SCORECARD,
        *literal.TWO_LEVEL,
        literal.COLUMN_GENERATION,
    )
}
