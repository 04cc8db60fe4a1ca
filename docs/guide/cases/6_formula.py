"""
A ratio that boxes miss
=======================

Where columns act together, as mass over squared height does, boxes need many conditions and a
formula one.
"""

import numpy as np
import pandas as pd

from rulekit import PowerLawTreeClassifier, RuleClassifier, to_text

rng = np.random.default_rng(0)


def drawn(n):
    """Draw people, and say who is above an index of 27."""
    people = pd.DataFrame({"mass": rng.uniform(45, 120, n), "height": rng.uniform(1.5, 2.0, n)})
    return people, np.where(people["mass"] / people["height"] ** 2 > 27, "above", "below")


people, heavy = drawn(600)

boxes = RuleClassifier(max_conditions=6, positive_label="above").fit(people, heavy)
print(to_text(boxes))
print(f"{boxes.training_error_:.1%} wrong with {boxes.n_conditions_} conditions")

# %%
formula = PowerLawTreeClassifier(max_power_laws=1, random_state=0).fit(people, heavy)
print(to_text(formula))
print(f"{formula.training_error_:.1%} wrong")

# %%
# New people, whom neither has seen:
new, truth = drawn(600)
for name, model in {"boxes": boxes, "formula": formula}.items():
    print(f"{name}: {np.mean(model.predict(new) != truth):.1%} wrong")
