import numpy as np

from rulekit import HyperplaneRuleClassifier, load_sample


def test_planes_one_after_the_other_make_one_list():
    X, y = load_sample("iris").xy("species")
    model = HyperplaneRuleClassifier(confidence_folds=0).fit(X, y)
    rule, left = model.rule_set_, np.ones(len(y), bool)
    assert list(dict.fromkeys(rule.labels)) == list(model.against_rest_)
    for label, one in model.against_rest_.items():
        alone = HyperplaneRuleClassifier(confidence_folds=0, positive_label=True)
        alone.fit(X[left], (y == label)[left])
        assert one.rule_set_ == alone.rule_set_
        left &= ~one.predict(X).astype(bool)
    assert model.training_error_ == np.mean(model.predict(X) != y) < 0.1
