"""
Three vineyards
===============

More than two outcomes: an ordered list, of which the first line that holds decides.
"""

import pandas as pd

from rulekit import RuleClassifier, load_sample, to_text
from rulekit.plots import plot_rule

X, y = load_sample("wine").xy("cultivar")
model = RuleClassifier(max_conditions=4).fit(X, y)
print(to_text(model))
print(
    f"{model.choice_.error:.1%} wrong on the inner folds, {model.training_error_:.1%} in training"
)

# %%
# Which outcomes are taken for which?
confusion = pd.crosstab(y, model.predict(X))
print(confusion.to_string())

# %%
# Where the rows go: each line takes its rows, and what it leaves goes on to the next.
plot_rule(model, X, y)
