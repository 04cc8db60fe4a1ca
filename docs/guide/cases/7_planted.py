"""
Does it find what is there?
===========================

A table is made by a known rule, and one label in twenty is turned. A learner should find the rule
and leave the noise alone; how often its parts return says how sure one may be.
"""

from rulekit import RuleClassifier, stability, to_text
from rulekit.data import plant_two_level
from rulekit.plots import plot_returned

planted = plant_two_level(noise=0.05, random_state=3)
X, y = planted.frame, planted.labels
print(planted.description)

# %%
model = RuleClassifier(max_conditions=6, positive_label="yes").fit(X, y)
print(to_text(model))
print(f"{model.training_error_:.1%} wrong, where 5 % of the labels are")

# %%
# Learned again from twenty resamples:
found = stability(model, X, y, n_resamples=20)
print(*found.sentences(), sep="\n")

# %%
plot_returned(found)
