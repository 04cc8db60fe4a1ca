"""The learners of rules that are compared by default, and their settings."""

from rulekit.evaluation.sweeps.family import rule_learners
from rulekit.families.hyperplane.hyperplane import plane_prices


def test_all_families_that_take_the_classes_are_there_by_default():
    names = [family.name for family in rule_learners(["a", "b"] * 30)]
    assert names[0] == "box search"
    assert len(set(names)) == 5
    for family in rule_learners(["a", "b", "c"] * 30):
        assert family.name != "ideal DNF"
        assert family.estimator.__sklearn_tags__().classifier_tags.multi_class
        names = set(family.estimator.get_params())
        assert {name for name in family.grid if "__" not in name} <= names
    for family in rule_learners(["a", "b"] * 30):
        assert len(family.settings) >= 9


def test_prices_of_a_plane_scale_with_the_smaller_class():
    assert plane_prices(50) == [0.02, 0.03, 0.04, 0.06, 0.1, 0.16, 0.3, 0.6]
    assert plane_prices(0) == plane_prices(1)


def test_only_the_search_answers_its_front_in_one_fit():
    families = rule_learners(["a", "b"] * 30)
    assert [family.name for family in families if family.whole_front] == ["box search"]
    assert all(family.settings is family.settings for family in families)


def test_those_that_draw_have_the_seed_0_unless_another_is_given():
    y = ["ill"] * 20 + ["well"] * 30
    for seed, families in ((0, rule_learners(y)), (5, rule_learners(y, random_state=5))):
        seeds = [f.estimator.get_params().get("random_state", seed) for f in families]
        assert seeds == [seed] * len(families)
