"""The exact text of every format. ``python -m tests.export.test_golden`` writes the files anew.

Do so only when a format was changed on purpose, and read the difference before committing it.
"""

from functools import partial
from pathlib import Path

import pytest

from rulekit import export
from rulekit.rules import Clause, Literal, RuleSet
from tests.explain.tables import patients

FOLDER = Path(__file__).parents[1] / "golden" / "exports"
WRITERS = {
    "txt": export.to_text,
    "md": export.to_markdown,
    "json": export.to_json,
    "sql": export.to_sql,
    "sqlite.sql": partial(export.to_sql, dialect="sqlite", table="patients"),
    "duckdb.sql": partial(export.to_sql, dialect="duckdb", part="where", table="patients"),
    "py.txt": export.to_python,
    "html": export.to_html,
    "tex": partial(export.to_latex, caption="Who is ill"),
    "csv": export.to_csv,
}


def rules():
    """A DNF, its mirror image, and a rule with every kind of condition and three answers."""
    dnf, _ = patients()
    kinds = (
        Clause(
            (Literal("age", ">=", 20), Literal("age", "<", 30.5), Literal("smoker", "==", True))
        ),
        Clause((Literal("town", "in", ("Bonn", "Ulm")), Literal("bmi", "missing"))),
        Clause(
            (Literal("town", "not-in", ('"x"', "a\nb"), missing=True), Literal("x < 5", "!=", 0))
        ),
        Clause((Literal("bmi", "not-missing"),)),
    )
    mixed = RuleSet(kinds, ("low", "middle", "middle", "high"), "dnf", "none of these")
    return {"dnf": dnf, "cnf": dnf.negated(), "mixed": mixed}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("name", ["dnf", "cnf", "mixed"])
def test_export_is_word_for_word_the_recorded_one(name, suffix):
    recorded = (FOLDER / f"{name}.{suffix}").read_text(encoding="utf-8")
    assert WRITERS[suffix](rules()[name]) == recorded


def write_anew():
    """Record what the formats look like now."""
    for name, rule in rules().items():
        for suffix, write in WRITERS.items():
            (FOLDER / f"{name}.{suffix}").write_text(write(rule), encoding="utf-8")


if __name__ == "__main__":
    write_anew()
