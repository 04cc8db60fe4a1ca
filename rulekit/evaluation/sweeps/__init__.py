"""Many settings on the same folds: run, kept, resumed, compared, and the curve they give."""
