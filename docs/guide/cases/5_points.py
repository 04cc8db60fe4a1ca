"""
Points to add up
================

Some readers would rather add than follow lines. Conditions and whole points are chosen together.
"""

from rulekit import ScorecardClassifier, load_sample, to_text
from rulekit.evaluation import reliability
from rulekit.plots import reliability_figure

X, y = load_sample("breast_cancer").xy("diagnosis")
model = ScorecardClassifier(max_conditions=4, positive_label="malignant").fit(X, y)
print(to_text(model))

# %%
# The probability of each total was measured on folds that the points were not learned from.
print(model.chances_)

# %%
# Do these chances come true? On the line they do.
chance = model.predict_proba(X)[:, list(model.classes_).index("malignant")]
reliability_figure(reliability(y == "malignant", chance), "malignant")
