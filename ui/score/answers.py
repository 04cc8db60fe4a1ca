"""New cases (a second file, or the test rows) and their predictions, figures and files."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from rulekit.data import Table
from rulekit.data.cells.levels import match_level
from rulekit.data.column import whole
from rulekit.data.columns.report import WORDS as KINDS
from rulekit.data.columns.report import Misfit
from rulekit.data.costs import COST
from rulekit.data.drift import match_levels
from rulekit.data.headers import quote
from rulekit.data.matching import match_outcomes
from rulekit.data.options import LOST, has_kind
from rulekit.evaluation.metrics import cost_per_100
from rulekit.exceptions import DataError, RulekitError
from rulekit.explain import Scored, distance_to_boundary, ranges_of, score
from rulekit.explain.subject import columns_for
from rulekit.export.sheets.frame import CASE_FILES, cases_frame
from rulekit.rules import scorecard_of, wilson_interval
from rulekit.rules.rule_set import rule_of
from rulekit.style.phrases import cap_list, write_outcome
from rulekit.style.wording import format_measure, percent, plural
from ui.cache import compute_once
from ui.escape import file_name, md
from ui.rule_numbers import ANSWER, ROW, TRUTH, read_as_before, respell_levels, row_number
from ui.shell import problem
from ui.state import AppState, app_state
from ui.widgets import COUNT, MISSING, SHARE, pick_row
from ui.words import clause_names, find_fixed_columns, wording

TEST_ROWS = "test rows"
FIRST = re.compile(r"(\(first: row )(\d+)")  # in notes on differences
ONE_LINE = 120  # maximal length of a list of columns that is not folded
SHOWN = 8  # maximal number of columns or rows listed
EQUAL = 0.05  # share of equal training rows above which equal rows may be other cases


@dataclass(frozen=True, eq=False)
class NewCases:
    """Cases to be scored: a name, the rows, and their outcomes as far as known."""

    name: str
    table: Table | pd.DataFrame  # a frame: the test rows of the table that was learned from
    outcomes: NDArray[Any] | None
    key: str
    cells: Mapping[str, Any] = field(default_factory=dict)  # of converted columns, as in the file
    trained: NDArray[np.bool_] | None = None  # which are training rows
    notes: tuple[str, ...] = ()  # sentences on cells and outcomes that do not fit

    @property
    def are_test_rows(self) -> bool:
        """Whether they are test rows of the table that the rule was learned from."""
        return self.key == TEST_ROWS

    @property
    def counted(self) -> NDArray[Any] | None:
        """The known outcomes of rows that the rule was not learned from; None without any."""
        if self.outcomes is None or self.trained is None:
            return self.outcomes
        known = np.where(self.trained, None, self.outcomes)
        return None if pd.isna(known).all() else known


def choose_cases(state: AppState, read: Sequence[str]) -> NewCases | None:
    """Show the upload field; return the uploaded cases, or the test rows without a file."""
    file = st.file_uploader("A table of new cases", key="score_file")
    if read:
        names, machine = ", ".join(md(name) for name in read), "The file stays on this machine."
        if len(names) <= ONE_LINE:
            st.caption(f"Columns needed: {names}. {machine}")
        else:
            with st.popover(f"{plural(len(read), 'column')} needed", type="tertiary"):
                st.markdown("\n".join(f"- {md(name)}" for name in read))
            st.caption(machine)
    if file is None:
        X, y = state.testing
        cases = NewCases("the test rows", X, y.to_numpy(dtype=object), TEST_ROWS)
        return cases if len(X) else None
    try:
        names = (*read, state.target)
        key = repr((file.file_id, state.options, state.table.digest, names))
        read_file = partial(read_as_before, file.getvalue(), file.name[:80], names, state)
        table = compute_once("new cases", key, read_file, copy=False)
    except (RulekitError, ValueError) as error:
        problem(error)
        return None
    levels, key = match_levels(state.table, table, columns=tuple(read)), file.file_id
    parts = []  # the switch that reads unknown levels as the known ones
    for name, same in levels.items():
        rows = plural(int(table.frame[name].isin(list(same)).sum()), "row")
        pairs = [f"{md(new, 30)} as {md(level, 30)}" for new, level in same.items()]
        parts.append(f"{md(state.label(name), 40)}: {cap_list(pairs, 3)} ({rows})")
    if parts and st.toggle(f"Read {'; '.join(parts)}", key=f"respell_{key}"):
        table, key = respell_levels(table, levels), f"{key} respelled"
    number = repr((key, state.fit_key, state.options))
    search = partial(find_training_rows, table.frame, state)
    trained = compute_once("training rows", number, search, copy=False)
    outcomes, strange = outcomes_of(table, state), strange_outcomes(table, state)
    notes = lost_cells(table, read, strange)
    return NewCases(table.name, table, outcomes, key, table.cells, trained, notes)


def lost_cells(table: Table, read: Sequence[str], more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the notes on cells of the rule's columns that became missing or lost a flag."""
    own = {name.casefold() for name in read}
    notes = (note for note in table.notes if has_kind(note, LOST))
    return (*(n for n in notes if n.column.casefold() in own), *more)


def find_training_rows(frame: pd.DataFrame, state: AppState) -> NDArray[np.bool_]:
    """Return which rows equal a training row in every column but the outcome, shape (n,)."""
    # Where training rows equal each other, an equal row may well be another case.
    names = [name for name in frame.columns if name in state.table.frame and name != state.target]
    if not set(state.features) <= set(names):
        return np.zeros(len(frame), dtype=bool)

    kinds = state.table.frame[names].dtypes

    def number_rows(rows: pd.DataFrame) -> NDArray[np.uint64]:
        read = {}
        for name, cells in rows.items():
            if kinds[name].kind not in "if":
                read[name] = cells.astype(str)
                continue
            numbers = pd.to_numeric(cells, errors="coerce").astype(float)
            read[name] = numbers.mask(numbers.isna() & cells.notna(), np.inf)  # a bad cell
        return pd.util.hash_pandas_object(pd.DataFrame(read), index=False).to_numpy()

    new, table = number_rows(frame[names]), number_rows(state.table.frame[names])
    rows = state.training[0].index.to_numpy()
    if np.array_equal(new, table):  # the same file
        return np.isin(np.arange(len(new)), rows)
    training = table[rows]
    if len(np.unique(training)) < (1 - EQUAL) * len(training):
        return np.zeros(len(frame), dtype=bool)
    return np.isin(new, training)


def outcomes_of(table: Table, state: AppState) -> NDArray[Any] | None:
    """Return the known outcomes of the cases in the rule's labels; None if unknown."""
    if state.target not in table.frame.columns:
        return None
    values = table.frame[state.target]
    if not values.notna().any():
        return None
    called, strange = match_classes(table, state)
    if len(state.classes) > 2 and not state.several:
        rest = {v for v, name in called.items() if name not in (None, state.positive)}
        called |= dict.fromkeys(rest | set(strange), state.other_label)
    named = whole(values[values.notna()]).map(called).reindex(values.index).astype(object)
    return named.where(named.notna(), None).to_numpy() if named.notna().any() else None


def match_classes(table: Table, state: AppState) -> tuple[dict[Any, Any], dict[Any, int]]:
    """Return the class that each value of the outcome means, and the rows of those without."""
    values = whole(table.frame[state.target].dropna())
    names = {str(v): state.get_display_name(v) for v in state.class_counts}
    kept = {text: str(name) for text, name in names.items() if name is not None}
    called = match_outcomes(values.unique().tolist(), state.classes, kept)
    left_out = [text for text, name in names.items() if name is None]
    unknown = [v for v, c in called.items() if c is None and match_level(v, left_out) is None]
    return called, {v: int((values == v).sum()) for v in unknown}


def strange_outcomes(table: Table, state: AppState) -> tuple[str, ...]:
    """Return a sentence on values of the outcome that are none of its classes; empty if none."""
    takes_rest = len(state.classes) > 2 and not state.several
    is_checked = state.target in table.frame.columns and not takes_rest
    if not (strange := match_classes(table, state)[1] if is_checked else {}):
        return ()
    listed = cap_list([f"{quote(v)} ({plural(n, 'row')})" for v, n in strange.items()], SHOWN)
    known = cap_list([quote(c) for c in state.classes], SHOWN)
    which = f"Column {quote(state.target)} holds {listed}"
    return (f"{which}, which is no known outcome and not counted. Known are {known}.",)


def score_cases(
    cases: NewCases, model: ClassifierMixin, state: AppState
) -> tuple[NewCases, Scored]:
    """Apply the current rule, once per rule and table, without rows whose cells do not fit."""
    again = cases.are_test_rows  # a comparison with themselves is pointless

    def apply(rows: NewCases) -> Scored:
        return score(
            model,
            rows.table,
            reference=None if again else state.table,
            outcomes=rows.counted,
            before=state.testing if len(state.testing[0]) and not again else state.training,
            training=state.training,
            wording=wording(state),
            immutable=find_fixed_columns(model.rule_set_),
        )

    def compute() -> tuple[NewCases, Scored]:
        scored = apply(cases)
        misfits = [m for m in scored.report.misfits if m.name in model.rule_set_.features]
        return leave_out(cases, misfits, apply) if misfits else (cases, scored)

    names = state.wording, state.texts, state.options
    key = repr((cases.key, state.fit_key, state.rule_json, *names))
    return compute_once("scored", key, compute, copy=False)


def leave_out(
    cases: NewCases, misfits: Sequence[Misfit], apply: Callable[[NewCases], Scored]
) -> tuple[NewCases, Scored]:
    """Score the cases without the rows whose cells are not of their column's kind."""
    frame = cases.table.frame if isinstance(cases.table, Table) else cases.table
    fits, sentences = np.ones(len(frame), dtype=bool), []
    for misfit in misfits:
        fits[misfit.rows] = False
        rows = [f"row {row_number(k)} ({frame[misfit.name].iloc[k]!r})" for k in misfit.rows]
        kind = f"Column {misfit.name!r} is read as {KINDS[misfit.kind]}."
        sentences.append(f"{kind} Left out: {cap_list(rows, SHOWN)}.")
    if not fits.any():
        raise DataError(f"No row can be scored. {' '.join(sentences)}")
    outcomes, trained = (v if v is None else v[fits] for v in (cases.outcomes, cases.trained))
    cells = {name: texts.filter(pa.array(fits)) for name, texts in cases.cells.items()}
    shown = replace(cases, table=frame[fits], outcomes=outcomes, cells=cells, trained=trained)
    shown = replace(shown, notes=(*cases.notes, *sentences))
    scored, kept = apply(shown), np.flatnonzero(fits)  # positions that findings count from 1

    def number_row(found: re.Match[str]) -> str:
        return f"{found[1]}{row_number(int(kept[int(found[2]) - 1]))}"

    drift = tuple(replace(n, sentence=FIRST.sub(number_row, n.sentence)) for n in scored.drift)
    unseen = tuple(replace(one, first=int(kept[one.first])) for one in scored.report.unseen)
    return shown, replace(scored, drift=drift, report=replace(scored.report, unseen=unseen))


def count_predictions(
    predicted: NDArray[Any], training: NDArray[Any], labels: list[Any]
) -> pd.DataFrame:
    """Count how often outcomes are predicted, and their shares, in percent."""
    shares = [[100 * np.mean(rows == label) for label in labels] for rows in (predicted, training)]
    counts = [int(np.sum(predicted == label)) for label in labels]
    outcomes = {"outcome": list(map(str, labels)), "rows": counts}
    return pd.DataFrame(outcomes | {"share": shares[0], "training": shares[1]})


def predictions(scored: Scored, state: AppState) -> None:
    """Show how often the described outcome is predicted, or each of several."""
    table = count_predictions(scored.answers, scored.model.predict(state.training[0]), state.labels)
    if len(table) == 2:
        one, n = table.iloc[0], len(scored)
        shares = f"{percent(one['share'] / 100)}; training {percent(one['training'] / 100)}"
        counts = f"{write_outcome(state.labels[0])}: {one['rows']:,} of {n:,}"
        st.markdown(f"**Predicted {md(f'{counts} ({shares})', 200)}.**")
        return
    alt = "How often each outcome is predicted here, and in the training rows"
    columns = {"rows": COUNT, "share": SHARE, "training": SHARE}
    height = 142 if len(table) > 3 else "content"  # the cases stay on the screen
    st.dataframe(table, hide_index=True, column_config=columns, alt=alt, height=height)


def differences(cases: NewCases, scored: Scored) -> None:
    """Show how the new table differs from the one the rule was learned from."""
    predictions(scored, app_state())
    trained = 0 if cases.trained is None else int(cases.trained.sum())
    words = f", {trained:,} of them training rows" * bool(trained)
    rows = f"**{md(cases.name, 60)}**: {plural(len(scored), 'row')}{words}."
    unseen = scored.report.drop({note.column for note in scored.drift}).unseen
    sentences = *cases.notes, *(each.sentence for each in (*scored.drift, *unseen))
    lines = [f"- {md(sentence, 300)}" for sentence in sentences]
    if cases.are_test_rows:
        st.caption(f"{len(scored):,} test rows. Upload a table to predict its cases.")
    elif not lines:
        st.caption(f"{rows} The columns of the rule look as they did when it was learned.")
    else:
        st.warning("\n".join([f"{rows} What differs:", *lines]))


def case_table(cases: NewCases, scored: Scored, state: AppState) -> int:
    """List the cases, those closest to a limit first; return the position of the selected one."""
    rule, key = rule_of(scored.model), repr((cases.key, state.fit_key, state.rule_json))

    def sort_cases() -> NDArray[np.intp]:
        """Sort by the share of a range to another prediction."""
        ranges = ranges_of(columns_for(scored.model, state.training[0]))
        distance = distance_to_boundary(rule, columns_for(scored.model, scored.X), ranges)
        return np.argsort(distance, kind="stable")

    order = compute_once("closest first", key, sort_cases)
    table = scored.table().drop(columns="missing").rename(columns={"answer": ANSWER})
    if scorecard_of(rule):
        names_of = clause_names(rule)
        table["clause"] = [names_of[k - 1].removeprefix("total ") for k in table["clause"]]
        table = table.rename(columns={"clause": "total"})
    else:
        table["clause"] = [str(k) if k else "none" for k in table["clause"]]
    if cases.outcomes is not None:
        table[TRUTH] = np.where(pd.isna(cases.outcomes), "", cases.outcomes)  # not known
    read = scored.X[[name for name in rule.features if name in scored.X]]
    names = [ROW, *table.columns]
    for column in read.columns:
        name = state.label(column)
        names.append(name if name not in names else f"{name} ({column})")
    numbers = pd.Series(row_number(table.index.to_numpy()), table.index)
    table = pd.concat([numbers, table, read], axis=1).set_axis(names, axis=1)
    table = table.iloc[order]
    position = min(st.session_state.get("score_case", 0), len(table) - 1)
    pick_row(
        table,
        position,
        lambda position: st.session_state.update(score_case=position),
        key="score_table",
        alt="The cases with their predictions and what decided them; select one to explain",
        height=380,
        placeholder=MISSING,
    )
    st.caption("Cases closest to a limit of the rule come first.")
    return int(order[position])


def then_and_now(cases: NewCases, scored: Scored) -> None:
    """Show whether the rule still holds, and the past and present errors of each clause."""
    state, rule = app_state(), rule_of(scored.model)
    if not scored.figures and cases.outcomes is not None:
        st.info("All are training rows: they cannot show whether the rule still holds.")
        return
    if not scored.figures:
        target = f"With a column “{md(state.target, 40)}” this page also shows whether the rule"
        st.caption(f"The outcomes of these cases are not known. {target} still holds.")
        return
    names = {"then": "training rows", "now": "test rows"}
    if not cases.are_test_rows:
        names = {"then": "before", "now": "now"}
        show = st.warning if any(f.worse for f in scored.figures) else st.success
        show = show if scored.figures[0].can_be_worse else st.info
        show(md(scored.sentence, 400))
    lines, names_of = [], clause_names(rule)
    for figures in scored.figures:
        line = {"": names_of[figures.clause - 1] if figures.clause else "whole rule"}
        for when, name in names.items():
            n, right = getattr(figures, f"n_{when}"), getattr(figures, f"right_{when}")
            low, high = wilson_interval(right, n)
            line[f"correct, {name}"] = f"{right:,} of {n:,}"
            line[f"95 %, {name}"] = f"{100 * low:.0f} to {100 * high:.0f} %" if n else "no case"
        lines.append(line)
    st.dataframe(pd.DataFrame(lines), hide_index=True, alt="Correct predictions, part by part.")
    part = "in a range of totals" if scorecard_of(rule) else "a clause decides"
    without = " Training rows are not counted." * bool(np.any(cases.trained))
    st.caption(f"Correct predictions of the rows {part}, with 95 % intervals.{without}")
    if sentence := cost_sentence(cases, scored, state):
        st.markdown(md(sentence, 300))


def cost_sentence(cases: NewCases, scored: Scored, state: AppState) -> str:
    """Return the cost of errors on cases of known outcome; empty without costs or outcomes."""
    costs, known = state.costs, cases.counted
    if costs is None or known is None:
        return ""
    has_outcome = np.array([v is not None for v in known], dtype=bool)
    true = known[has_outcome]
    cost = cost_per_100(true, scored.answers[has_outcome], costs)
    counts = [int((true == label).sum()) for label in state.labels]
    answer, least = costs.cheapest(state.labels, counts)
    return (
        f"Errors cost {format_measure(cost, COST, costs.unit)} a 100 cases; always predicting "
        f"{answer} would cost {format_measure(least, COST, costs.unit)}."
    )


def one_case(scored: Scored, position: int) -> None:
    """Explain the prediction of one case: its reason and the smallest change."""
    (why,) = scored.explain_rows([position])
    st.markdown(f"**Row {row_number(int(scored.X.index[position]))}**")
    st.markdown(md(why.sentence, 900))
    st.markdown(md(why.counterfactual.sentence, 600))
    if why.reasons:
        st.markdown("\n".join(f"- {md(reason.text, 200)}" for reason in why.reasons))


def downloads(cases: NewCases, scored: Scored) -> None:
    """Show downloads of the cases with predictions as CSV, XLSX and Parquet."""
    with st.container(horizontal=True):
        for suffix, kind in CASE_FILES.items():
            label = "Parquet" if suffix == "parquet" else suffix.upper()
            data, name = partial(_file, suffix, scored, cases.cells), f"score_{suffix}"
            file = file_name("scored", suffix, cases.name)
            st.download_button(label, data, file, kind.mime, name, on_click="ignore")
    is_card = bool(scorecard_of(rule_of(scored.model)))
    decided = "total of points, reasons" if is_card else "deciding clause, unmet conditions"
    st.caption(
        f"All cases with prediction, {decided} and the smallest change that would change the "
        "prediction; about a millisecond per case."
    )


def _file(suffix: str, scored: Scored, cells: Mapping[str, Any]) -> bytes:
    return CASE_FILES[suffix].write(cases_frame(scored, cells=cells))
