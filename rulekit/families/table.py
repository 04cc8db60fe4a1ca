"""`FAMILIES`: every learner that pages, command line, comparisons and tests iterate over."""

from rulekit.families.family import Family, size_words, state_errors
from rulekit.families.hyperplane.hyperplane import FAMILY as HYPERPLANE
from rulekit.families.ideal_dnf.ideal_dnf import FAMILY as IDEAL_DNF
from rulekit.families.power_law.tree import FAMILY as POWER_LAW
from rulekit.families.rule_classifier import RuleClassifier
from rulekit.families.scorecard.scorecard import FAMILY as SCORECARD
from rulekit.learners import (
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
    search_grid,
)

PAPERS = "The papers' methods (Boolean rules by linear programs)"
SEARCH = Family(
    key="search",
    model=BoxSearchClassifier(),
    alone=RuleClassifier(),
    title="box search",
    default_grid=search_grid,
    command="short-rule",
    question="Short rule (recommended; Boolean, DNF or CNF)",
    name="Short rule",
    sentence=(
        "A few clauses, each of conditions that must all hold; one search answers every size."
    ),
    good_for=(
        "most tables, as the first choice. On 11 public tables: 13.2 % wrong with 7.0 conditions; "
        "one condition 18.0 %."
    ),
    shape_words=size_words,
    whole_front=True,
)
ONE_CLAUSE_PROVED = Family(
    key="one_level_exact",
    model=OneLevelRuleClassifier(exact=True, screening="duality"),
    alone=OneLevelRuleClassifier(exact=True),
    command="one-clause",
    question="One clause, proved best (checklist)",
    name="One clause, proved best",
    sentence=(
        "Finds the single AND (or OR) that costs least and proves it, or says how far it may be "
        "from the best; a row can count once for every condition."
    ),
    good_for=f"a proved checklist. {state_errors(16.1, 2.5)}",
)
ONE_CLAUSE = Family(
    key="one_level",
    model=OneLevelRuleClassifier(),
    title="one clause",
    default_grid=lambda y: {"theta": search_grid(y)["theta"]},
    question=PAPERS,
    name="One clause, rounded",
    sentence="A single AND (or OR) of conditions from one linear program.",
    good_for=f"very short rules on large tables. {state_errors(16.1, 2.6)}",
)
TWO_LEVEL = {
    "alternating": (
        "Alternating minimisation",
        "Shares the rows out among the clauses, relearns every clause, and repeats.",
        f"comparison with the paper. {state_errors(14.6, 5.4)}",
    ),
    "block_coordinate": (
        "Block coordinate descent",
        "Improves one clause at a time while the others stay; its objective never rises.",
        f"a second opinion. {state_errors(14.0, 5.0)}",
    ),
    "set_cover": (
        "Set covering",
        "Learns one clause after the other, each for what the earlier ones left over.",
        f"quick answers. {state_errors(15.0, 4.1)}",
    ),
    "lp": (
        "Two-level linear program",
        "Relaxes the whole rule into one linear program and rounds its answer.",
        "small tables, and to see how far rounding is from the relaxation.",
    ),
    "exact": (
        "Exact optimum",
        "Proves the best two-level rule by integer programming, within a time limit.",
        "tables of a few hundred rows with few cut points.",
    ),
}
COLUMN_GENERATION = Family(
    key="column_generation",
    model=ColumnGenerationClassifier(),
    question=PAPERS,
    name="Column generation",
    sentence=(
        "Adds clauses to a linear program until none helps, then chooses among them; a clause "
        "costs as much as a condition, and a wrongly taken row counts once for every clause."
    ),
    good_for=f"a bound on the best rule. {state_errors(14.1, 5.3)}",
)
FAMILIES: dict[str, Family] = {
    family.key: family
    for family in (
        SEARCH,
        IDEAL_DNF,
        ONE_CLAUSE_PROVED,
        ONE_CLAUSE,
        HYPERPLANE,
        POWER_LAW,
        SCORECARD,
        *(
            Family(
                key=method,
                model=TwoLevelRuleClassifier(method),
                question=PAPERS,
                name=name,
                sentence=sentence,
                good_for=good_for,
            )
            for method, (name, sentence, good_for) in TWO_LEVEL.items()
        ),
        COLUMN_GENERATION,
    )
}
