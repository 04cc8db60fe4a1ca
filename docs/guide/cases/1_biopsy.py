"""
Is the tumor malignant?
=======================

Thirty measurements of cells, and the question how few of them it takes. What does a further
condition buy?
"""

from rulekit import BoxSearchClassifier, compare_learners, load_sample, to_text
from rulekit.plots import plot_curve

X, y = load_sample("breast_cancer").xy("diagnosis")

# %%
# One search answers every number of conditions. Ten folds say what each is worth on rows that the
# rule has not seen.
sizes = {"max_conditions": [1, 2, 3, 4, 5, 6]}
learner = BoxSearchClassifier(n_perturbations=0, positive_label="malignant", random_state=0)
found = compare_learners(X, y, learners={"boxes": (learner, sizes)})
points = found.points()
print(
    points[["max_conditions", "n_conditions", "test_error", "test_error_se"]].round(3).to_string()
)

# %%
# The band is one standard error. Where it covers the next point, the next condition may have
# bought nothing.
points["limit"], points["on_front"] = points["max_conditions"], True
plot_curve(points, x="limit")

# %%
# From three conditions on the curve is flat for all that ten folds can tell. The rule of three,
# learned from all rows:
model = learner.set_params(max_conditions=3).fit(X, y)
print(to_text(model))
