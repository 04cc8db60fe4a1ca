"""
Nothing shorter is better: a proof
==================================

A checklist of conditions that must all hold, with the proof that no other costs less, and the
rules that are as good.
"""

from rulekit import BoxSearchClassifier, alternatives, certify, load_sample

X, y = load_sample("breast_cancer").xy("diagnosis")
model = BoxSearchClassifier(n_clauses=1, theta=8.0, positive_label="malignant", random_state=0).fit(
    X, y
)
print(model)
print(certify(model, X, y).sentence)

# %%
# Best is not alone. Within one row in a hundred of it there are
found = alternatives(model, X, y, within=0.01)
print(*found.sentences(), sep="\n")

# %%
# Each of them, with what it gets wrong:
print(found.table.head(10).to_string())
