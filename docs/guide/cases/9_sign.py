"""
Sign a rule
===========

Before a rule decides about people, a person signs it. What holds for *every* possible
case, not only for the rows of a table?
"""

from rulekit import RuleClassifier, load_sample, to_text
from rulekit.export import from_text, to_python
from rulekit.rules import make_cases, verify_rule

X, y = load_sample("credit").xy("risk")
model = RuleClassifier(max_conditions=4, positive_label="high").fit(X, y)
print(to_text(model))

# %%
# Every clause decides some case, no part can go, and each outcome can be reached. With the training
# rows the check also names combinations of values that no row had, and limits within rounding.
print(verify_rule(model, X))

# %%
# A rule that was edited by hand is another matter.
edited = from_text(
    '1. IF late_payments > 1 AND guarantor = "no" THEN high\n'
    '2. IF late_payments > 2 AND guarantor = "no" AND amount > 5000 THEN high\n'
    "OTHERWISE low"
)
print(verify_rule(edited))

# %%
# Test cases belong to any program that applies the rule. Any small change of the rule, a limit
# moved by its last digit or a lost level, turns the answer of one of them.
for case in make_cases(model):
    print(case.answer, case.row, case.shows, sep="; ")

# %%
# The exported function brings them along.
module = {}
exec(to_python(model), module)
module["test_cases"]()
