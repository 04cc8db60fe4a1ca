"""Predictions for the new cases: the table, one case in words, past and present errors, files."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from rulekit.evaluation.metrics import cost_per_100
from rulekit.explain import Scored, distance_to_boundary, ranges_of
from rulekit.explain.subject import columns_for
from rulekit.export.sheets.frame import CASE_FILES, cases_frame
from rulekit.learners.choice import COST
from rulekit.rules import wilson_interval
from rulekit.style.wording import measured
from ui.cache import kept
from ui.cases import ANSWER, ROW, TRUTH, row_number
from ui.escape import file_name, md
from ui.learners.spec import RunSpec
from ui.row_picker import pick_row
from ui.score.new_cases import NewCases
from ui.state import AppState, app_state

NO_CLAUSE = "none"


def case_table(cases: NewCases, scored: Scored, state: AppState) -> int:
    """List the cases, those closest to a limit first; return the position of the selected one."""
    key = repr((cases.key, state.fit_key, state.rule_json))
    order = kept("closest first", key, lambda: closest_first(scored, state.training[0]))
    table = scored.table().drop(columns="missing").rename(columns={"answer": ANSWER})
    table["clause"] = [str(k) if k else NO_CLAUSE for k in table["clause"]]
    if cases.outcomes is not None:
        table[TRUTH] = cases.outcomes
    read = scored.X[[name for name in scored.model.rule_set_.features if name in scored.X]]
    table = pd.concat([table, read.rename(columns=state.label)], axis=1)
    table.insert(0, ROW, row_number(table.index.to_numpy()))
    table = table.iloc[order]
    position = min(st.session_state.get("score_case", 0), len(table) - 1)
    pick_row(
        table,
        position,
        lambda position: st.session_state.update(score_case=position),
        key="score_table",
        alt="The cases with their predictions and the clause that decided; select one to explain",
        height=380,
    )
    st.caption("Cases closest to a limit of the rule come first.")
    return int(order[position])


def closest_first(scored: Scored, training: pd.DataFrame) -> NDArray[np.intp]:
    """Return positions of the cases by the share of a range to another prediction, shape (n,)."""
    rule = scored.model.rule_set_
    ranges = ranges_of(columns_for(scored.model, training))
    distance = distance_to_boundary(rule, columns_for(scored.model, scored.X), ranges)
    return np.argsort(distance, kind="stable")


def then_and_now(cases: NewCases, scored: Scored) -> None:
    """Show whether the rule still holds, and the past and present errors of each clause."""
    if not scored.figures:
        st.caption(
            "The outcomes of these cases are not known. With a column "
            f"“{md(app_state().target, 40)}” this page also shows whether the rule still holds."
        )
        return
    if cases.are_test_rows:
        names = {"then": "training rows", "now": "test rows"}
    else:
        names = {"then": "before", "now": "now"}
        show = st.warning if any(f.worse for f in scored.figures) else st.success
        show(md(scored.sentence, 400))
    lines = []
    for figures in scored.figures:
        line = {"": f"clause {figures.clause}" if figures.clause else "whole rule"}
        for when, name in names.items():
            n, right = getattr(figures, f"n_{when}"), getattr(figures, f"right_{when}")
            low, high = wilson_interval(right, n)
            line[f"correct, {name}"] = f"{right:,} of {n:,}"
            line[f"95 %, {name}"] = f"{100 * low:.0f} to {100 * high:.0f} %" if n else "no case"
        lines.append(line)
    st.dataframe(pd.DataFrame(lines), hide_index=True, alt="Correct predictions, clause by clause.")
    st.caption("Correct predictions of the rows a clause decides, with 95 % intervals.")
    if sentence := cost_sentence(cases, scored, app_state()):
        st.markdown(md(sentence, 300))


def cost_sentence(cases: NewCases, scored: Scored, state: AppState) -> str:
    """Return the cost of errors on cases of known outcome; empty without costs or outcomes."""
    costs = RunSpec.from_dict(state.run_settings).error_costs(state.labels)
    if costs is None or cases.outcomes is None:
        return ""
    has_outcome = np.array([v is not None for v in cases.outcomes], dtype=bool)
    true = cases.outcomes[has_outcome]
    cost = cost_per_100(true, scored.answers[has_outcome], costs)
    counts = [int((true == label).sum()) for label in state.labels]
    answer, least = costs.cheapest(state.labels, counts)
    return (
        f"Errors cost {measured(cost, COST, costs.unit)} a 100 cases; always predicting {answer} "
        f"would cost {measured(least, COST, costs.unit)}."
    )


def one_case(scored: Scored, position: int) -> None:
    """Explain the prediction of one case: its reason and the smallest change."""
    (why,) = scored.explained([position])
    st.markdown(f"**Row {row_number(int(scored.X.index[position]))}**")
    st.markdown(md(why.sentence, 900))
    st.markdown(md(why.counterfactual.sentence, 600))


def downloads(cases: NewCases, scored: Scored) -> None:
    """Show downloads of the cases with predictions as CSV, XLSX and Parquet."""
    with st.container(horizontal=True):
        for suffix, kind in CASE_FILES.items():
            st.download_button(
                "Parquet" if suffix == "parquet" else suffix.upper(),
                data=partial(_file, suffix, scored),
                file_name=file_name(f"scored {cases.name}", suffix),
                mime=kind.mime,
                on_click="ignore",
                key=f"score_{suffix}",
            )
    st.caption(
        "All cases with prediction, deciding clause, unmet conditions and the smallest change that "
        "would change the prediction; about a millisecond per case."
    )


def _file(suffix: str, scored: Scored) -> bytes:
    return CASE_FILES[suffix].write(cases_frame(scored))
