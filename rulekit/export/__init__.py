"""Exports: a rule as text, JSON, SQL, Python, HTML, Excel, PMML and more, checked by running them.

What belongs here: one format a file, each a function from a rule set or a fitted model to text, in
the room of its readers (`documents` for people, `code` to be run, `sheets` for spreadsheets,
`exchange` for other programs); their table `FORMATS`, and `verify_export`, which runs the text and
compares it with `predict`. What does not: drawing (`rulekit.plots`) and learning. May import the
explanations and everything below them.
"""

from rulekit.export.code.dialects import to_sql
from rulekit.export.code.python import to_python
from rulekit.export.code.script import Preparation, to_script
from rulekit.export.documents.html import to_html
from rulekit.export.documents.latex import to_latex
from rulekit.export.documents.markdown import to_markdown
from rulekit.export.documents.report import Review, to_report
from rulekit.export.documents.sheet import to_sheet
from rulekit.export.documents.text import to_text
from rulekit.export.documents.text_parser import from_text
from rulekit.export.exchange.dmn import to_dmn
from rulekit.export.exchange.json import from_json, to_json
from rulekit.export.exchange.json_schema import json_schema
from rulekit.export.exchange.pandera import to_pandera
from rulekit.export.exchange.pmml import to_pmml
from rulekit.export.formats import FORMATS, Format
from rulekit.export.numbers import ClauseNumbers, clause_numbers
from rulekit.export.sheets.frame import csv_text, spreadsheet_safe, to_csv, to_frame
from rulekit.export.sheets.points_rows import points_to_rows, rows_to_points
from rulekit.export.sheets.rows import rows_to_rule, rule_to_rows
from rulekit.export.sheets.workbook import to_xlsx
from rulekit.export.verify import VerifiedExport, verify_export

__all__ = [
    "FORMATS",
    "ClauseNumbers",
    "Format",
    "Preparation",
    "Review",
    "VerifiedExport",
    "clause_numbers",
    "csv_text",
    "from_json",
    "from_text",
    "json_schema",
    "points_to_rows",
    "rows_to_points",
    "rows_to_rule",
    "rule_to_rows",
    "spreadsheet_safe",
    "to_csv",
    "to_dmn",
    "to_frame",
    "to_html",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_pandera",
    "to_pmml",
    "to_python",
    "to_report",
    "to_script",
    "to_sheet",
    "to_sql",
    "to_text",
    "to_xlsx",
    "verify_export",
]
