"""Former names of parameters and attributes work, with a warning that names the new one."""

from types import SimpleNamespace

import pytest
from sklearn.base import clone

from rulekit import BoxSearchClassifier, IdealDNFClassifier, RuleClassifier
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.evaluation.trust.alternatives import Alternatives
from rulekit.evaluation.trust.stability import Stability


@pytest.mark.parametrize(
    ("learner", "old", "new", "value"),
    [
        (BoxSearchClassifier, "doubt", "label_noise", 0.5),
        (BoxSearchClassifier, "kicks", "n_perturbations", 2),
        (RuleClassifier, "kicks", "n_perturbations", 2),
        (IdealDNFClassifier, "max_features", "max_variables", 3),
    ],
)
def test_former_parameter_names_work_with_a_warning(learner, old, new, value):
    with pytest.warns(FutureWarning, match=f"`{old}` is now `{new}`. Use the new name."):
        made = learner(**{old: value})
    with pytest.warns(FutureWarning, match=f"`{old}` is now `{new}`. Use the new name."):
        assert learner().set_params(**{old: value}).get_params() == made.get_params()
    assert getattr(clone(made), new) == value
    assert old not in made.get_params()
    with pytest.raises(ValueError, match=f"`{old}` is the former name of `{new}`; both"):
        learner(**{old: value, new: value})


def test_a_grid_may_use_former_parameter_names():
    with pytest.warns(FutureWarning, match="`doubt` is now `label_noise`"):
        settings = settings_of({"doubt": [0.0, 1.0]}, BoxSearchClassifier())
    assert settings == ({"label_noise": 0.0}, {"label_noise": 1.0})


@pytest.mark.parametrize("result", [Alternatives, Stability])
def test_former_attributes_of_results_warn(result):
    found = SimpleNamespace(selected="rule", selected_wrong=0.1, selected_cost=0.2)
    for old in (name for name in vars(result) if name.startswith("in_hand")):
        new = old.replace("in_hand", "selected")
        with pytest.warns(FutureWarning, match=f"`{old}` is now `{new}`. Use the new name."):
            assert vars(result)[old].fget(found) == getattr(found, new)
