"""
Why was this loan refused?
==========================

A case is explained by the clause that decided, by the clauses that nearly did, and by the
smallest change that would turn the answer.
"""

from rulekit import RuleClassifier, explain, load_sample, to_text

X, y = load_sample("credit").xy("risk")
model = RuleClassifier(max_conditions=4, positive_label="high").fit(X, y)
print(to_text(model))

# %%
# One loan, and all that is known about its answer.
found = explain(model, X.iloc[[4]], training=(X, y))[0]
print(found.sentence)
print(found.counterfactual.sentence)
for near in found.near_misses:
    print(near.sentence)

# %%
# A loan that is not refused has a reason, too: what it lacks.
print(explain(model, X.iloc[[0]])[0].sentence)
