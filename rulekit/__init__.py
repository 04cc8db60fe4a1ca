"""From a table to a short rule that a person can check.

::

    read_table / load_sample  ->  RuleClassifier (the one to start with), and its kin  ->  rule_set_
    sweep, compare_learners   the curve of error against size; suggest names a point on it
    explain                   why one row is decided as it is
    to_text, to_sql, ...      take the rule away; verify_export runs it and compares every row

The names below are the public interface; the packages say in their docstrings what belongs where.
`rulekit.explain` is a package that can be called.
"""

import rulekit.explain as explain
from rulekit.binarize import Binarizer
from rulekit.data import (
    Costs,
    Table,
    load_sample,
    read_table,
)
from rulekit.evaluation import (
    alternatives,
    compare_learners,
    group_metrics,
    stability,
    suggest,
    sweep,
)
from rulekit.exceptions import DataError, ExportError, RuleError, RulekitError, SolverError
from rulekit.export import (
    from_json,
    from_text,
    to_json,
    to_python,
    to_sql,
    to_text,
    verify_export,
)
from rulekit.families import (
    LPSVM,
    HyperplaneRuleClassifier,
    IdealDNFClassifier,
    PowerLawTreeClassifier,
    RuleClassifier,
    ScorecardClassifier,
)
from rulekit.learners import (
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    FixedRuleClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
    certify,
)
from rulekit.rules import (
    Clause,
    Constraints,
    Literal,
    RuleSet,
    compare_rules,
    rule_statistics,
)

__version__ = "0.1.0"

__all__ = [
    "LPSVM",
    "Binarizer",
    "BoxSearchClassifier",
    "Clause",
    "ColumnGenerationClassifier",
    "Constraints",
    "Costs",
    "DataError",
    "ExportError",
    "FixedRuleClassifier",
    "HyperplaneRuleClassifier",
    "IdealDNFClassifier",
    "Literal",
    "OneLevelRuleClassifier",
    "PowerLawTreeClassifier",
    "RuleClassifier",
    "RuleError",
    "RuleSet",
    "RulekitError",
    "ScorecardClassifier",
    "SolverError",
    "Table",
    "TwoLevelRuleClassifier",
    "alternatives",
    "certify",
    "compare_learners",
    "compare_rules",
    "explain",
    "from_json",
    "from_text",
    "group_metrics",
    "load_sample",
    "read_table",
    "rule_statistics",
    "stability",
    "suggest",
    "sweep",
    "to_json",
    "to_python",
    "to_sql",
    "to_text",
    "verify_export",
]
