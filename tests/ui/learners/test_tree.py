"""Power-law trees as a learner of Models: settings under the shared names, and back."""

import re

from hypothesis import given
from hypothesis import strategies as st

from rulekit.evaluation.sweeps.grid import settings_of, units_of
from rulekit.explain.checks import read_split
from rulekit.rules import Branch, Factor, Literal, PowerLaw, PowerLawSplit
from rulekit.rules.analysis.tree import Leaf, rule_of_tree
from rulekit.style.phrases import Wording
from ui.learners.hyperplane import BOXES_FROM_A_PLANE, HYPERPLANE
from ui.learners.offered import RunSpec
from ui.learners.spec import CHOSEN, LEARNER_KEY
from ui.learners.tree import (
    POWER_LAW_TREE,
    TREE,
    changes_table,
    changes_words,
    formula,
    splits_words,
    typeset_name,
)
from ui.picked import setting_words

SPLIT = PowerLawSplit(
    (PowerLaw(0.5, (Factor("mass_kg"), Factor("height", -2, floor=0.1))),), 27.0, missing=True
)


def test_formulas_and_trees_are_in_words():
    text = formula(SPLIT, Wording(names={"height": "body height"}))
    assert text == (
        r"0.5 \cdot \frac{\text{mass\_kg}}{\max(\text{body height}, 0.1)^{2}} \le 27"
        r"\quad\text{(or missing)}"
    )
    setting = {LEARNER_KEY: TREE, "theta": 0.05, "max_exponents": 2, "max_depth": 0}
    assert setting_words(setting) == "A formula, τ 0.05, up to 2 exponents a split, one split"
    setting = {LEARNER_KEY: HYPERPLANE, "theta": 0.1, "n_clauses": 3}
    assert setting_words(setting) == "From a linear model, ν 0.1, at most 3 clauses"
    assert setting_words(setting, several=True).endswith("at most 3 clauses for each outcome")
    setting = {LEARNER_KEY: "search", CHOSEN: 2.5, "n_clauses": 3}
    assert setting_words(setting) == "Short rule, at most 3 clauses"
    words = setting_words(setting, variant=True)
    assert words.endswith(", selected by RuleClassifier at θ 2.5")
    for learner in (POWER_LAW_TREE, BOXES_FROM_A_PLANE):
        assert len(units_of(learner.model, settings_of(learner.grid(RunSpec())))) == 1


def test_tree_size_is_reported_if_paths_repeat_splits():
    inner = Branch(Literal("age", ">", 50.0), Leaf("watch"), Leaf("fine"))
    tree = Branch(SPLIT, Leaf("heavy"), inner)
    rule = rule_of_tree(tree, "fine")
    assert rule.n_conditions == 2 + (2 + 1)
    assert "have 3 conditions" in splits_words(tree, rule)
    assert splits_words(tree, rule).endswith(": 5.")
    alone = Branch(SPLIT, Leaf("heavy"), Leaf("fine"))
    assert splits_words(alone, rule_of_tree(alone, "fine")) == ""


@given(st.floats(1.0, 300.0), st.floats(0.2, 3.0))
def test_the_table_of_changes_states_the_numbers_of_the_sentences(mass, height):
    reading = read_split(SPLIT, {"mass_kg": mass, "height": height})
    table = changes_table(reading, Wording())
    assert len(table) == len(reading.changes) > 0
    texts = [c.text for c in reading.changes]
    assert list(table["changes the result at"]) == [text.rpartition(" ")[2] for text in texts]
    assert changes_words(reading).endswith(f" to {table['changes the result at'][0]}.")


@given(st.text())
def test_a_name_holds_no_command_but_escaped_signs(name):
    shown = typeset_name(name)
    assert not re.search(r"[{}$^&#~]", shown)
    assert set(re.findall(r"\\.", shown)) <= {r"\_", r"\%"}
