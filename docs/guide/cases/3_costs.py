"""
A miss costs five times
=======================

The same table, the same size of rule, two prices of an error.
"""

from rulekit import Costs, RuleClassifier, load_sample
from rulekit.evaluation import operating_points
from rulekit.plots import operating_figure

X, y = load_sample("breast_cancer").xy("diagnosis")
costs = Costs(miss=5, false_alarm=1, unit="points", positive="malignant")
plain = RuleClassifier(max_conditions=4, positive_label="malignant").fit(X, y)
dear = RuleClassifier(max_conditions=4, positive_label="malignant", costs=costs).fit(X, y)
print(plain)
print(dear)

# %%
# Every rule can also be stopped earlier or go further: the share of tumors found, against false
# alarms.
points = operating_points(dear, X, y, by="chances", costs=costs)
print(points.round(3).to_string(index=False))

# %%
operating_figure(points, "malignant")
