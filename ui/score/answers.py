"""What the rule says of the new cases: the table, one case in words, then and now, files."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from rulekit.evaluation.metrics import cost_per_100
from rulekit.explain import Scored
from rulekit.export.sheets.cases import CASE_FILES, cases_frame
from rulekit.learners.loss import COST
from rulekit.rules import wilson_interval
from rulekit.style.wording import measured
from ui.cases import row_number
from ui.escape import file_name, md
from ui.learners.spec import RunSpec
from ui.row_picker import pick_row
from ui.score.new_cases import NewCases
from ui.state import AppState, app_state

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
    if told := cost_sentence(cases, found, app_state()):
        st.markdown(md(told, 300))


def cost_sentence(cases: NewCases, found: Scored, state: AppState) -> str:
    """Say what wrong answers to the cases of known outcome cost, if it was said."""
    costs = RunSpec.from_dict(state.run_settings).error_costs(state.labels)
    if costs is None or cases.outcomes is None:
        return ""
    known = np.array([v is not None for v in cases.outcomes], dtype=bool)
    true = cases.outcomes[known]
    cost = cost_per_100(true, found.answers[known], costs)
    counts = [int((true == label).sum()) for label in state.labels]
    answer, least = costs.cheapest(state.labels, counts)
    return (
        f"Wrong answers cost {measured(cost, COST, costs.unit)} a 100 cases; answering {answer} to "
        f"every one would cost {measured(least, COST, costs.unit)}."
    )


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
        for suffix, kind in CASE_FILES.items():
            st.download_button(
                "Parquet" if suffix == "parquet" else suffix.upper(),
                data=partial(_file, suffix, found),
                file_name=file_name(f"scored {cases.name}", suffix),
                mime=kind.mime,
                on_click="ignore",
                key=f"score_{suffix}",
            )
    st.caption(
        "All cases with answer, deciding clause, conditions missing and the smallest change that "
        "would turn the answer; about a thousandth of a second a case."
    )


def _file(suffix: str, found: Scored) -> bytes:
    return CASE_FILES[suffix].write(cases_frame(found))
