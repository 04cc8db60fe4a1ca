"""Exports: a rule as text, Markdown, JSON, SQL, Python, HTML, LaTeX, each checked by running it.

What belongs here: one format a file, each a function from a rule set or a fitted model to text,
and `verify_export`, which runs the text and compares it with `predict`. What does not: drawing
(`rulekit.plots`) and learning. May import the explanations and everything below them.
"""

from rulekit.export.json import from_json, to_json
from rulekit.export.text import to_text
from rulekit.export.text_parser import from_text

__all__ = ["from_json", "from_text", "to_json", "to_text"]
