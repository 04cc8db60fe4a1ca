"""Many settings on the same folds: fitted, stored, resumed and compared."""
