"""Exports: text, JSON, SQL, Python, HTML, Excel, PMML and more, verified by running them.

What belongs here: one format a file, each a function from a rule set or a fitted model to text, in
the room of its readers (`documents` for people, `code` to be run, `sheets` for spreadsheets,
`exchange` for other programs); their table `FORMATS`, and `verify_export`, which runs the text and
compares it with `predict`. What does not: drawing (`rulekit.plots`) and learning. May import the
explanations and everything below them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
