"""The exact text of every format. ``python -m tests.export.test_golden`` writes the files anew.

Do so only when a format was changed on purpose, and read the difference before committing it.
"""

from pathlib import Path

import pytest

from rulekit import OneLevelRuleClassifier
from rulekit.export import FORMATS
from rulekit.export.code.dialects import TYPED
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from tests.explain.tables import patients
from tests.export.readers import as_text

FOLDER = Path(__file__).parents[1] / "golden" / "exports"
OPTIONS = {
    "sqlite": {"table": "patients"},
    "duckdb": {"part": "where", "table": "patients"},
    "latex": {"caption": "Who is ill"},
    "script": {"source": "patients.csv", "target": "ill"},
    "xlsx": {"n_cases": 2},
}


def rules():
    """A DNF, its mirror image, every kind of test with three answers, sums, and a scorecard."""
    dnf, _ = patients()
    tests = (
        Clause(
            (Literal("age", ">=", 20), Literal("age", "<", 30.5), Literal("smoker", "==", True))
        ),
        Clause((Literal("town", "in", ("Bonn", "Ulm")), Literal("bmi", "missing"))),
        Clause(
            (Literal("town", "not-in", ('"x"', "a\nb"), missing=True), Literal("x < 5", "!=", 0))
        ),
        Clause((Literal("bmi", "not-missing"),)),
    )
    mixed = RuleSet(tests, ("low", "middle", "middle", "high"), "dnf", "none of these")
    plane = LinearSplit((("age", 0.5), ("glucose", -1.25)), ">", 3.0)
    ratio = PowerLaw(-2.5, (Factor("glucose"), Factor("age", -2, shift=1.0, floor=20.0)))
    band = PowerLawSplit((ratio, PowerLaw(1.0, (Factor("age"),))), 40.0, 1e-7, missing=True)
    sums = RuleSet((Clause((plane, band.negate())), Clause((band,))), ("ill",) * 2, "dnf", "well")
    given = (
        Literal("glucose", ">", 126.5),
        Literal("age", ">", 50),
        Literal("colour", "==", "red"),
    )
    bands = tuple(Clause((PointsSplit(given, (3, 2, -1), total),)) for total in (4, 2))
    points = RuleSet(bands, ("ill", "watch"), "dnf", "well")
    return {"dnf": dnf, "cnf": dnf.negate(), "mixed": mixed, "sums": sums, "points": points}


def written():
    """The text of every format, by the file it is recorded in."""
    _, frame = patients()
    table, labels = frame[["glucose", "age", "colour"]], ["ill", "well", "ill", "well"]
    model = OneLevelRuleClassifier(theta=0.5).fit(table, labels)
    results = {}
    for name, form in FORMATS.items():
        options = OPTIONS.get(name, {})
        subjects = {"model": model} if form.learned else rules()
        for subject, rule in subjects.items():
            if name in TYPED and subject not in ("mixed", "sums"):
                continue
            if name in ("app", "dmn-cases") and subject != "points":
                continue  # most of a page is the template; cases are the same in every format
            if name == "report" and not set(rule.features) <= set(table):
                continue
            if name == "report":
                options = {"training": (table, labels)}
            suffix = f"{form.suffix}.txt" if form.suffix.endswith(("py", "xlsx")) else form.suffix
            results[f"{subject}.{suffix}"] = (form, rule, options)
    return results


WRITTEN = written()


@pytest.mark.parametrize("file", WRITTEN)
def test_export_is_word_for_word_the_recorded_one(file):
    form, rule, options = WRITTEN[file]
    assert as_text(form.write(rule, **options)) == (FOLDER / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_recorded_text(name):
    assert any(form is FORMATS[name] for form, _, _ in WRITTEN.values())


def test_nothing_is_recorded_that_no_format_writes():
    assert {path.name for path in FOLDER.iterdir()} == set(WRITTEN)


def write_anew():
    """Record what the formats look like now."""
    for file, (form, rule, options) in WRITTEN.items():
        (FOLDER / file).write_text(as_text(form.write(rule, **options)), encoding="utf-8")


if __name__ == "__main__":
    write_anew()
