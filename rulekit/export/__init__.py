"""Exports: text, JSON, SQL, Python, HTML, Excel, PMML and more, verified by running them.

What belongs here: one format per file, each a function from a rule set or a fitted model to text,
in a folder by use (`documents` for people, `code` for execution, `sheets` for spreadsheets,
`exchange` for other programs); their table `FORMATS`, and `verify_export`, which runs the text and
compares it with `predict`. Each raises ExportError if there is no rule, or if its format cannot
express the rule. What does not: drawing (`rulekit.plots`) and learning. May import the explanations
and everything below them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
