"""Modules without a test file of their own, below the file whose tests hold them.

Each is a part of what that file tests. The table may only shrink: a new module brings its tests.
"""

AT_MOST = 23
PARTS = {
    "tests/data/cells/test_columns.py": ("rulekit/data/cells/texts.py",),
    "tests/data/reading/test_delimited.py": ("rulekit/data/samples/synthetic.py",),
    "tests/data/test_headers.py": ("rulekit/data/options.py",),
    "tests/explain/test_boundary.py": ("rulekit/explain/similar.py",),
    "tests/export/test_formats.py": (
        "rulekit/export/code/formulas.py",
        "rulekit/export/documents/latex.py",
        "rulekit/export/documents/markdown.py",
    ),
    "tests/export/test_golden.py": ("rulekit/export/subject.py",),
    "tests/learners/literal/test_certificate.py": ("rulekit/learners/literal/base.py",),
    "tests/families/test_table.py": ("rulekit/families/family.py",),
    "tests/pages/data/test_predicting.py": ("ui/data/split.py",),
    "tests/pages/data/test_tables.py": ("ui/data/server_tables.py",),
    "tests/search/clause_generation/test_column_generation.py": (
        "rulekit/search/clause_generation/exact_kernels.py",
    ),
    "tests/test_common.py": ("rulekit/exceptions.py",),
    "tests/ui/learners/test_offered.py": (
        "ui/learners/ideal.py",
        "ui/learners/learner.py",
        "ui/learners/literal.py",
        "ui/learners/spec.py",
    ),
    "tests/ui/learners/test_tree.py": ("ui/learners/hyperplane.py",),
}
