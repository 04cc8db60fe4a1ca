"""The export formats of a rule, the choice of one, and the record of the run it comes from."""

import io
import json
import platform
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit import export
from rulekit.data import ParseOptions, list_samples
from rulekit.data.matching import describe_reading
from rulekit.data.options import cell_options
from rulekit.evaluation.metrics import error_rate
from rulekit.exceptions import ExportError
from rulekit.export.formats import Format
from rulekit.learners import FixedRuleClassifier
from rulekit.rules.schema import schema_of
from rulekit.style.wording import capital
from ui.cache import compute_once
from ui.escape import md
from ui.learners.spec import QUICK, quick_part
from ui.rule_numbers import row_name, row_position
from ui.state import CATEGORIES, CUT, DATES, DURATIONS, NUMERIC, UNITS, WORDS, AppState
from ui.words import find_fixed_columns, wording

EDITED = "A rule that was written or changed by hand was not learned, so no script learns it again."
PACKAGES = ("rulekit-dashboard", "numpy", "pandas", "scipy", "scikit-learn", "highspy", "joblib")


def run_record(state: AppState, model: ClassifierMixin) -> dict[str, Any]:
    """Describe an analysis so that another person can repeat it: plain values, never its rows."""
    train, test = state.rows()
    rule, parts = model.rule_set_, (state.training, state.testing)
    errors = [error_rate(y, model.predict(X)) if len(y) else None for X, y in parts]
    record = {
        "record": 1,
        "data": {
            "name": state.table.name,
            "sha256": state.table.digest,
            "rows": state.table.n_rows,
            "notes": list(state.table.notes),
        },
        "target": state.target,
        "described_class": None if state.several else state.positive,
        "classes": list(state.labels),
        "roles": {c.name: c.role for c in state.table.columns},
        "split": {
            **asdict(state.split),
            "training_rows": len(train),
            "test_rows": len(test),
            "test_rows_looked_at": state.test_looks,
        },
        "binning": asdict(state.binning),
        "run": state.run_settings,
        "setting": state.setting or {},
        "random_state": 0,
        "result": {
            "clauses": rule.n_clauses,
            "conditions": rule.n_conditions,
            "training_error": errors[0],
            "test_error": errors[1],
        },
        "notes": state.notes,
        "reviews": state.case_notes,
        "versions": {"python": platform.python_version()} | {n: _version(n) for n in PACKAGES},
    }
    # tuples become lists, and NumPy's scalars those of Python
    return json.loads(json.dumps(record, default=lambda value: value.item()))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def obstacle(form: Format, model: ClassifierMixin) -> str:
    """Return why a model cannot be written in a format; empty if it can."""
    return EDITED if form.learned and isinstance(model, FixedRuleClassifier) else ""


def write_format(name: str, state: AppState, model: ClassifierMixin) -> str | bytes:
    """Write the rule in a format, with the figures of each clause where it shows them."""
    if name in OWN:
        return OWN[name](state, model)
    numbers = {"numbers": counts(state, model)} if FORMATS[name].counted else {}
    return FORMATS[name].write(model, **numbers)


def counts(state: AppState, model: ClassifierMixin) -> Sequence[export.ClauseNumbers]:
    """Return the counts of each clause: training rows it decides, and how many correctly."""
    key = repr((state.fit_key, export.to_json(model)))
    return compute_once("clause counts", key, lambda: export.clause_numbers(model, *state.training))


def report(state: AppState, model: ClassifierMixin) -> str:
    """Return a self-contained page: rule, training and test figures, cases, the record."""
    names = partial(row_name, state=state)
    return export.to_report(
        model,
        *((X.rename(index=names), y) for X, y in (state.training, state.testing) if len(X)),
        title=f"{_question(state)} A rule and what it is worth",
        record=run_record(state, model),
        wording=wording(state, clause="line"),
        reviews=reviews(state, model),
        immutable=find_fixed_columns(model.rule_set_),
    )


def reviews(state: AppState, model: ClassifierMixin) -> list[export.Review]:
    """List the reviews of cases from Explain, with the current prediction if it has changed."""
    X, _ = state.data
    notes = []
    for number, review in sorted(state.case_notes.items(), key=lambda item: int(item[0])):
        position = row_position(int(number))
        answer = str(review["answer"])
        if position in X.index and (now := str(model.predict(X.loc[[position]])[0])) != answer:
            answer = f"{answer} (now {now})"
        name = row_name(position, state)
        notes.append(export.Review(name, answer, review["verdict"], review.get("note", "")))
    return notes


def _question(state: AppState) -> str:
    """Return what the rule answers."""
    one = f"When is {state.target} {state.positive}?"
    return f"Which {state.target}?" if state.several else one


def script(state: AppState, model: ClassifierMixin) -> str:
    """Return a program that reads the table, learns the rule again and compares."""
    given, fields = state.options, ParseOptions.__dataclass_fields__
    options = {name: value for name, value in given.items() if name in fields}
    if state.is_edited:  # nothing was learned from these rows
        model = FixedRuleClassifier(model.rule_set_)
    rows, features = state.rows()[0], state.features
    if QUICK in (state.setting or {}):
        part, features = quick_part(*state.training, np.arange(len(rows)), model)
        rows = rows[part]
    source = state.table.name
    if not options and source in {sample.name for sample in list_samples()}:
        source = f"sample_data/{source}.csv"
    return export.to_script(
        model,
        source=source,
        target=state.target,
        features=features,
        rows=rows.tolist() if len(rows) < len(state.data[0]) else None,
        digest=state.table.digest,
        preparation=export.Preparation(
            options,
            tuple(given.get(NUMERIC, ())),
            categories=tuple(given.get(CATEGORIES, ())),
            dates=given.get(DATES, {}),
            durations=tuple(given.get(DURATIONS, ())),
            orders=state.orders,
            cuts=given.get(CUT, {}),
            units=given.get(UNITS, {}),
            outcomes=state.outcomes,
            weight=state.column_with_role("weight"),
            others=state.other_label if len(state.labels) < len(state.classes) else None,
        ),
    )


def verify_format(state: AppState, model: ClassifierMixin, name: str) -> export.VerifiedExport:
    """Run (or read back) a format's text on every row and compare with the model; kept."""
    key = repr((state.fit_key, export.to_json(model), name))
    verify = partial(export.verify_export, model, state.data[0], name, numbers=counts(state, model))
    return compute_once("verified", key, verify)


def rule_file(state: AppState, model: ClassifierMixin) -> str:
    """Write the rule as JSON, with how the texts of its columns became values."""
    rule, given = model.rule_set_, state.options
    read = cell_options(given)
    orders = {name: order for name, order in given.get(DATES, {}).items() if order is not None}
    read = replace(read, day_first_in={**(read.day_first_in or {}), **orders})
    lasting = {c.name for c in state.table.columns if c.is_duration}
    columns = schema_of(rule).columns
    kinds = tuple(replace(c, kind="duration") if c.name in lasting else c for c in columns)
    schema = replace(schema_of(rule), columns=kinds)
    schema = describe_reading(schema, read, given.get(UNITS, {}), given.get(WORDS, {}))
    named = {str(test) for test in rule.tests}
    texts = {text: name for text, name in state.texts.items() if text in named}
    return export.to_json(replace(rule, schema=replace(schema, texts=texts)))


# formats with more content than the rule, or with the display names of columns
OWN: dict[str, Callable[[AppState, ClassifierMixin], str | bytes]] = {
    "json": rule_file,
    "report": report,
    "script": script,
    "app": lambda state, model: export.to_app(
        model,
        *((X, y) for X, y in (state.training, state.testing) if len(X)),
        title=_question(state),
        date=date.today().isoformat(),
        wording=wording(state, clause="line"),
    ),
    "sheet": lambda state, model: export.to_sheet(
        model, title=_question(state), wording=wording(state)
    ),
    "xlsx": lambda state, model: export.to_xlsx(model, wording=wording(state, clause="line")),
}
NOT_OFFERED = {"sqlite"}  # runs "sql" as it is
FORMATS = {name: form for name, form in export.FORMATS.items() if name not in NOT_OFFERED}


def record_text(state: AppState, model: ClassifierMixin) -> str:
    """Return the run record as JSON text."""
    return json.dumps(run_record(state, model), indent=2, ensure_ascii=False, allow_nan=False)


def bundle(state: AppState, model: ClassifierMixin) -> bytes:
    """Return a zip file with the rule in every format; equal rules give equal files on a day."""
    buffer = io.BytesIO()
    files: dict[str, str | bytes] = {}
    left_out = ""
    for name, form in FORMATS.items():
        try:
            if not obstacle(form, model):
                files[f"rule.{form.suffix}"] = write_format(name, state, model)
        except ExportError as error:
            left_out += f"{form.name}: {error}\n"
    files["rule.schema.json"] = json.dumps(export.json_schema(), indent=2)
    if left_out:
        files["left-out.txt"] = left_out
    files["run-record.json"] = record_text(state, model)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


FORMAT = "_export_format"  # session key of the chosen format
CODE = "code"  # the choice of one of the formats in `LANGUAGES`
LANGUAGES = tuple(name for name, form in FORMATS.items() if form.name.startswith("SQL"))
LANGUAGES += ("python", "javascript")
CHOICES: dict[str, tuple[str, str]] = {  # label and caption
    name: (form.name, capital(f"{form.purpose}.")) for name, form in FORMATS.items()
} | {
    "text": ("Text for a document", "The rule in a few lines, also for an e-mail."),
    "xlsx": ("Excel", "A workbook that computes itself: type a case, and its prediction appears."),
    CODE: ("SQL, Python or JavaScript", "For a database, or a function without dependencies."),
}
FIRST = ("text", "xlsx", CODE)
AUDIENCES = {
    "For readers": ("markdown", "report", "app", "html", "sheet", "latex"),
    "For analysts": ("csv", "cases", "json", "script"),
    "For decision services": ("pmml", "dmn", "dmn-cases"),
}


def choose_format() -> str:
    """Show the formats; return the chosen one, which the address contains."""
    requested = st.query_params.get("export_format", "")
    if requested and requested not in FORMATS:
        st.warning(f"Unknown format in the address: {md(requested, 60)}. Select one below.")
    if FORMAT not in st.session_state:
        st.session_state[FORMAT] = requested if requested in FORMATS else FIRST[0]
    chosen = st.session_state[FORMAT]
    st.query_params["export_format"] = chosen  # the format's key; display names may change
    _choices("Format", FIRST, CODE if chosen in LANGUAGES else chosen)
    for audience, names in AUDIENCES.items():
        title = f"{audience}: {', '.join(FORMATS[name].name for name in names)}"
        with st.expander(title, expanded=chosen in names):
            _choices(audience, names, chosen)
    return chosen


def choose_language(chosen: str) -> None:
    """Show the languages of a rule that is written as code."""
    if chosen in LANGUAGES:
        key, words = "export_language", {name: FORMATS[name].name for name in LANGUAGES}
        st.session_state[key], act = chosen, partial(_choose, key)
        st.selectbox("Language", LANGUAGES, format_func=words.get, key=key, on_change=act)


def _choices(label: str, names: tuple[str, ...], chosen: str) -> None:
    """Show some formats; none is marked if the chosen one is elsewhere."""
    key = f"export_{label}"
    st.session_state[key] = chosen if chosen in names else None
    options = {"captions": [CHOICES[name][1] for name in names], "on_change": partial(_choose, key)}
    options["label_visibility"] = "visible" if names == FIRST else "collapsed"
    st.radio(label, names, format_func=lambda name: CHOICES[name][0], key=key, **options)


def _choose(key: str) -> None:
    """Select the format of a field; of code, the first language."""
    value = st.session_state[key]
    st.session_state[FORMAT] = LANGUAGES[0] if value == CODE else value
