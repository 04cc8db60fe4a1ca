"""Explanations: why a row is predicted as it is, and what would change the prediction.

What belongs here: questions about single rows (what decided, what is missing and by how much, the
smallest change, past cases alike) and the sentences that answer them. What does not: drawing,
export formats, anything that learns. May import the estimators and everything below them.

The package can be called: ``rulekit.explain(model, X)`` is ``rulekit.explain.explain(model, X)``,
so that no function hides the package of its name.
"""

import sys
from types import ModuleType
from typing import Any

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


class _CallablePackage(ModuleType):
    """A package that can be called like `explain`."""

    def __call__(self, model: Any, X: Any, y: Any = None, **options: Any) -> Any:
        """Explain the prediction of a rule for each row; see `rulekit.explain.explain`."""
        from rulekit.explain.row import explain

        return explain(model, X, y, **options)


sys.modules[__name__].__class__ = _CallablePackage
