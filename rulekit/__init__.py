"""From a table to a short rule that a person can check.

::

    read_table / load_sample  ->  RuleClassifier (the one to start with), and its kin  ->  rule_set_
    sweep, compare_learners   the curve of error against size; suggest names a point on it
    explain                   why one row is decided as it is
    to_text, to_sql, ...      write the rule; verify_export runs it and compares every row

The names below are the public interface; the packages say in their docstrings what belongs where.
`rulekit.explain` is a package that can be called.
"""

import lazy_loader

from rulekit import _notebook

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "1.0.0"


def _write_notebook(subject: object) -> str:
    """Write an object for a notebook; only then are the exports loaded."""
    from rulekit.export.documents.html import write_notebook

    return write_notebook(subject)


_notebook.WRITERS.append(_write_notebook)
