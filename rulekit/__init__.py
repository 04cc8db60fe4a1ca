"""From a table to a short rule that a person can check.

::

    read_table / load_sample  ->  TwoLevelRuleClassifier, OneLevelRuleClassifier  ->  rule_set_
    sweep                     the curve of error against size, and a suggested point on it
    explain                   why one row is decided as it is
    to_text, to_sql, ...      take the rule away; verify_export runs it and compares every row

The names below are the public interface; the packages say in their docstrings what belongs where.
`rulekit.explain` is the function: its package is reached by
``from rulekit.explain import ...``.
"""

from rulekit.binarize import Binarizer, BinaryMatrix, BinCodes
from rulekit.data import (
    Limits,
    Table,
    columns_of,
    list_samples,
    load_sample,
    make_folds,
    planted_two_level,
    read_table,
)
from rulekit.estimators import (
    LPSVM,
    Certificate,
    ConditionScreening,
    FixedRuleClassifier,
    HyperplaneRuleClassifier,
    IdealDNFClassifier,
    OneLevelRuleClassifier,
    PowerLawTreeClassifier,
    RulePath,
    SampleGuarantee,
    TwoLevelRuleClassifier,
    certify,
    screen_conditions,
)
from rulekit.evaluation import (
    THETA_GRID,
    SweepResult,
    SweepStore,
    baselines,
    pareto_front,
    search_grid,
    sweep,
)
from rulekit.exceptions import DataError, ExportError, RuleError, RulekitError, SolverError
from rulekit.explain import (
    Explanation,
    HyperplaneExplanation,
    explain,
    explain_with_hyperplane,
)
from rulekit.export import (
    VerifiedExport,
    from_json,
    to_html,
    to_json,
    to_latex,
    to_markdown,
    to_python,
    to_sql,
    to_text,
    verify_export,
)
from rulekit.rules import Clause, LinearSplit, Literal, PowerLawSplit, RuleSet
from rulekit.rules.constraints import Constraints

__version__ = "0.1.0"

__all__ = [
    "LPSVM",
    "THETA_GRID",
    "BinCodes",
    "Binarizer",
    "BinaryMatrix",
    "Certificate",
    "Clause",
    "ConditionScreening",
    "Constraints",
    "DataError",
    "Explanation",
    "ExportError",
    "FixedRuleClassifier",
    "HyperplaneExplanation",
    "HyperplaneRuleClassifier",
    "IdealDNFClassifier",
    "Limits",
    "LinearSplit",
    "Literal",
    "OneLevelRuleClassifier",
    "PowerLawSplit",
    "PowerLawTreeClassifier",
    "RuleError",
    "RulePath",
    "RuleSet",
    "RulekitError",
    "SampleGuarantee",
    "SolverError",
    "SweepResult",
    "SweepStore",
    "Table",
    "TwoLevelRuleClassifier",
    "VerifiedExport",
    "baselines",
    "certify",
    "columns_of",
    "explain",
    "explain_with_hyperplane",
    "from_json",
    "list_samples",
    "load_sample",
    "make_folds",
    "pareto_front",
    "planted_two_level",
    "read_table",
    "screen_conditions",
    "search_grid",
    "sweep",
    "to_html",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_python",
    "to_sql",
    "to_text",
    "verify_export",
]
