"""What the rule says of the new cases: the table, one case in words, then and now, files."""

import io
from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from rulekit.explain import Scored
from rulekit.export.sheets.frame import csv_text, spreadsheet_safe
from rulekit.rules import wilson_interval
from ui.cases import row_number
from ui.escape import file_name, md
from ui.row_picker import pick_row
from ui.score.new_cases import NewCases
from ui.state import AppState

EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
NO_CLAUSE = "none"


def case_table(cases: NewCases, found: Scored, state: AppState) -> int:
    """List the cases with their answers; return the one that is picked."""
    table = found.table().drop(columns="missing")
    table["clause"] = [str(k) if k else NO_CLAUSE for k in table["clause"]]
    if cases.outcomes is not None:
        table["outcome"] = cases.outcomes
    read = found.X[[name for name in found.model.rule_set_.features if name in found.X]]
    table = pd.concat([table, read.rename(columns=state.label)], axis=1)
    table.insert(0, "row", row_number(table.index.to_numpy()))
    picked = min(st.session_state.get("score_case", 0), len(table) - 1)
    pick_row(
        table,
        picked,
        lambda place: st.session_state.update(score_case=place),
        key="score_table",
        alt="The new cases with their answers and the clause that decided; choosing one tells why",
        height=380,
    )
    return picked


def then_and_now(cases: NewCases, found: Scored) -> None:
    """Say whether the rule still holds, and show each clause then and now."""
    if not found.figures:
        st.caption(
            "Their outcomes are not known: with a column of the target's name this page also says "
            "whether the rule still holds."
        )
        return
    if cases.are_test_rows:
        names = {"then": "training rows", "now": "test rows"}
    else:
        names = {"then": "before", "now": "now"}
        say = st.warning if any(f.worse for f in found.figures) else st.success
        say(md(found.sentence, 400))
    lines = []
    for figures in found.figures:
        line = {"": f"clause {figures.clause}" if figures.clause else "whole rule"}
        for when, name in names.items():
            n, right = getattr(figures, f"n_{when}"), getattr(figures, f"right_{when}")
            low, high = wilson_interval(right, n)
            line[f"right, {name}"] = f"{right:,} of {n:,}"
            line[f"that is, {name}"] = f"{100 * low:.0f} to {100 * high:.0f} %" if n else "no case"
        lines.append(line)
    st.dataframe(
        pd.DataFrame(lines), hide_index=True, alt="Rows decided rightly, clause by clause."
    )
    st.caption("Rightly decided rows, each with the range that its share lies in (95 %).")


def one_case(found: Scored, place: int) -> None:
    """Say why one case got its answer, what nearly decided, and what would turn it."""
    (why,) = found.explained([place])
    st.markdown(f"**Row {row_number(int(found.X.index[place]))}**")
    st.markdown(md(why.sentence, 900))
    if len(why.near_misses) > 1 and not why.fired:
        st.markdown(md(why.near_misses[0].sentence, 600))
    st.markdown(md(why.counterfactual.sentence, 600))


def downloads(cases: NewCases, found: Scored) -> None:
    """Give the cases with their answers as CSV, XLSX and Parquet; made when asked for."""
    with st.container(horizontal=True):
        for suffix, (mime, write) in FILES.items():
            st.download_button(
                "Parquet" if suffix == "parquet" else suffix.upper(),
                data=partial(_file, write, found),
                file_name=file_name(f"scored {cases.name}", suffix),
                mime=mime,
                on_click="ignore",
                key=f"score_{suffix}",
            )
    st.caption(
        "All cases with answer, deciding clause, conditions missing and the smallest change that "
        "would turn the answer; about a thousandth of a second a case."
    )


def with_answers(found: Scored) -> pd.DataFrame:
    """Return the new table with what the rule says of each case, smallest change included."""
    frame = found.X.reset_index(drop=True)
    added = found.table(changes=True).reset_index(drop=True)
    return frame.join(added.rename(columns=lambda name: _free(name, frame)))


def _free(name: str, frame: pd.DataFrame) -> str:
    """Return a name that no column of the table has."""
    while name in frame.columns:
        name = f"{name} (rule)"
    return name


def _file(write: Callable[[pd.DataFrame], bytes], found: Scored) -> bytes:
    return write(with_answers(found))


def _csv(frame: pd.DataFrame) -> bytes:
    return csv_text(frame).encode()


def _xlsx(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    spreadsheet_safe(frame).to_excel(file, index=False)
    return file.getvalue()


def _parquet(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    mixed = {c: frame[c].map(str, na_action="ignore") for c in frame if frame[c].dtype == object}
    frame.assign(**mixed).to_parquet(file, index=False)
    return file.getvalue()


FILES = {
    "csv": ("text/csv", _csv),
    "xlsx": (EXCEL, _xlsx),
    "parquet": ("application/octet-stream", _parquet),
}
