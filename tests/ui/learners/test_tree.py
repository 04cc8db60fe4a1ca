"""Power-law trees as a learner of Models: settings under the shared names, and back."""

from rulekit.evaluation.sweeps.grid import SHARED_KEYS, families, settings_of
from ui.learners.hyperplane import BOXES_FROM_A_PLANE
from ui.learners.offered import RunSpec, settings_of_run
from ui.learners.spec import LEARNER_KEY
from ui.learners.tree import POWER_LAW_TREE, TREE
from ui.picked import setting_words


def test_settings_keep_sweep_order_and_convert_to_parameters():
    spec = RunSpec(learners=(TREE,), taus=(0.05, 0.1))
    result = POWER_LAW_TREE.settings(spec)
    requested = [POWER_LAW_TREE.parameters(s) for s in result]
    assert requested == list(settings_of(POWER_LAW_TREE.grid(spec)))


def test_a_run_lists_the_trees_with_their_learner():
    spec = RunSpec(learners=(TREE,), taus=(0.05,))
    found = settings_of_run(spec)
    assert {s[LEARNER_KEY] for s in found} == {TREE}
    assert list(found) == POWER_LAW_TREE.settings(spec)


def test_setting_in_words():
    setting = {LEARNER_KEY: TREE, "theta": 0.05, "max_power_laws": 2, "max_depth": 0}
    assert setting_words(setting) == "A formula, τ 0.05, up to 2 power laws, one split"


def test_fold_learns_all_trees_together_like_all_boxes():
    for learner in (POWER_LAW_TREE, BOXES_FROM_A_PLANE):
        assert len(families(settings_of(learner.grid(RunSpec())), SHARED_KEYS)) == 1
