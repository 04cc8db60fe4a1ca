"""Power-law trees as a learner of Models: settings under the shared names, and back."""

from rulekit.evaluation.grid import SHARED_KEYS, families, settings_of
from ui.hyperplane_learner import NUS, hyperplane_grid
from ui.learners import LEARNER_KEY, RunSpec, settings_of_run
from ui.picked import setting_words
from ui.tree_learner import TAUS, TREE, tree_grid, tree_parameters, tree_settings


def test_settings_stand_in_the_order_of_the_sweep_and_turn_back_into_parameters():
    taus = (0.05, 0.1)
    told = tree_settings(taus)
    assert [tree_parameters(s) for s in told] == list(settings_of(tree_grid(taus)))


def test_a_run_lists_the_trees_with_their_learner():
    found = settings_of_run(RunSpec(learners=(TREE,), taus=(0.05,)))
    assert {s[LEARNER_KEY] for s in found} == {TREE}
    assert len(found) == len(tree_settings((0.05,)))


def test_a_setting_is_told_in_words():
    setting = {LEARNER_KEY: TREE, "theta": 0.05, "max_power_laws": 2, "max_depth": 0}
    assert setting_words(setting) == "Power-law tree, τ 0.05, up to 2 power laws, one split"


def test_a_fold_learns_all_its_trees_together_as_it_does_all_boxes_from_planes():
    for grid in (tree_grid(TAUS), hyperplane_grid(NUS, (1, 5))):
        assert len(families(settings_of(grid), SHARED_KEYS)) == 1
