"""A rule that no run has learned, made the chosen one: written by hand, or met on the way."""

from rulekit.estimators import FixedRuleClassifier
from rulekit.export import to_json
from rulekit.rules import RuleSet
from ui.state import app_state, change


def pick_rule(rule_set: RuleSet, *, source: str) -> None:
    """Make a rule that a person wrote or changed the chosen model.

    Parameters
    ----------
    rule_set : RuleSet
    source : str
        What it was made from, in words.
    """
    X, y = app_state().training
    model = FixedRuleClassifier(rule_set).fit(X, y)
    change(setting={"edited": source}, model=model, rule_json=to_json(model))
