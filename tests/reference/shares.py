"""Shares of the classes among rows like a row, counted row by row as the definition reads."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from rulekit.learners.shares import SHRINK


def likeness(rule, columns, i):
    """Whether each clause decides a row, then which conditions it meets."""
    row = {name: values[i : i + 1] for name, values in columns.items()}
    flip = rule.form == "cnf"
    conditions = dict.fromkeys(c for clause in rule.clauses for c in clause.conditions)
    met = {c: bool(c.mask(row)[0]) != flip for c in conditions}
    decides = (all(met[c] for c in clause.conditions) for clause in rule.clauses)
    return (*decides, *met.values())


def shares(rule, train, codes, weight, n_classes, new):
    """Draw the shares of rows with the same conditions towards scikit-learn's regression."""
    known = np.array([likeness(rule, train, i) for i in range(len(codes))], dtype=float)
    new = np.array(
        [likeness(rule, new, i) for i in range(len(next(iter(new.values()))))], dtype=float
    )
    average = np.tile(weight @ known / weight.sum(), (n_classes, 1))
    rows, weights = np.vstack([known, average]), np.append(weight, np.ones(n_classes))
    classes = np.append(codes, np.arange(n_classes))
    result = np.zeros((len(new), n_classes))
    for k in range(n_classes):
        if known.shape[1]:
            model = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-12, max_iter=1000)
            model.fit(rows, classes == k, weights)
            result[:, k] = model.predict_proba(new)[:, 1]
        else:
            result[:, k] = weights[classes == k].sum() / weights.sum()
    result /= result.sum(axis=1, keepdims=True)
    for i in range(len(new)):
        alike = (known == new[i]).all(axis=1)
        counts = np.bincount(codes[alike], weight[alike], minlength=n_classes)
        result[i] = (counts + SHRINK * result[i]) / (counts.sum() + SHRINK)
    return result
