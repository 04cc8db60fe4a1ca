from .code.javascript import to_javascript as to_javascript
from .code.python import Preparation as Preparation
from .code.python import to_python as to_python
from .code.python import to_script as to_script
from .code.sql import to_sql as to_sql
from .documents.app import to_app as to_app
from .documents.html import to_html as to_html
from .documents.latex import to_latex as to_latex
from .documents.markdown import to_markdown as to_markdown
from .documents.report import Review as Review
from .documents.report import to_report as to_report
from .documents.sheet import to_sheet as to_sheet
from .documents.text import from_text as from_text
from .documents.text import to_text as to_text
from .exchange.dmn import to_dmn as to_dmn
from .exchange.dmn import to_dmn_cases as to_dmn_cases
from .exchange.json import from_json as from_json
from .exchange.json import json_schema as json_schema
from .exchange.json import to_json as to_json
from .exchange.pmml import to_pmml as to_pmml
from .formats import FORMATS as FORMATS
from .formats import Format as Format
from .formats import VerifiedExport as VerifiedExport
from .formats import verify_export as verify_export
from .sheets.frame import to_cases as to_cases
from .sheets.frame import to_csv as to_csv
from .sheets.rows import points_to_rows as points_to_rows
from .sheets.rows import rows_to_points as rows_to_points
from .sheets.rows import rows_to_rule as rows_to_rule
from .sheets.rows import rule_to_rows as rule_to_rows
from .sheets.workbook import to_xlsx as to_xlsx
from .subject import ClauseNumbers as ClauseNumbers
from .subject import clause_numbers as clause_numbers

__all__ = [
    "FORMATS",
    "ClauseNumbers",
    "Format",
    "Preparation",
    "Review",
    "VerifiedExport",
    "clause_numbers",
    "from_json",
    "from_text",
    "json_schema",
    "points_to_rows",
    "rows_to_points",
    "rows_to_rule",
    "rule_to_rows",
    "to_app",
    "to_cases",
    "to_csv",
    "to_dmn",
    "to_dmn_cases",
    "to_html",
    "to_javascript",
    "to_json",
    "to_latex",
    "to_markdown",
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
