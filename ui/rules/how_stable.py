"""The tab "Stability" of Rules: the rule learned again from resamples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from rulekit.evaluation import Stability, stability
from rulekit.plots import band_figure, band_sentence, returned_figure, returned_sentence
from ui.escape import md
from ui.learners.spec import quiet
from ui.rule_numbers import Rows
from ui.runs.background import answer_of
from ui.runs.worker import Reporter
from ui.state import AppState
from ui.theme import chart

N_RESAMPLES = 100
BUDGET_SECONDS = 60.0
OTHERS = 5  # maximal number of clauses of other rules to list
BY_HAND = (
    "Stability is only known for learned rules; this one was edited or selected from others. Use "
    "“Back to the learned rule”, or select a rule on Models."
)


@dataclass(frozen=True, eq=False)
class Repeating:
    """The rule learned from resamples as a job; its result is a `Stability`."""

    model: ClassifierMixin
    X: pd.DataFrame
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    groups: NDArray[np.object_] | None
    n_resamples: int

    def __call__(self, reporter: Reporter) -> Stability:
        """Learn the rule on resamples and report progress."""
        quiet()
        return stability(
            self.model,
            self.X,
            self.y,
            n_resamples=self.n_resamples,
            budget_seconds=BUDGET_SECONDS,
            groups=self.groups,
            sample_weight=self.weight,
            on_progress=lambda stability: reporter.report(done=stability.n_made, interim=stability),
            should_stop=reporter.should_stop,
        )


def how_stable_card(model: ClassifierMixin, train: Rows, state: AppState) -> None:
    """Learn the rule again from resamples on demand, and show how often its parts return."""
    if "edited" in (state.setting or {}):
        st.info(BY_HAND)
        return
    whole = "whole_file" in (state.setting or {})
    groups = state.groups
    if groups is not None and not whole:
        groups = groups[state.rows()[0]]
    weight = state.sample_weight if whole else state.training_weight
    st.caption(
        f"Learns the rule again from {N_RESAMPLES} resamples of the training rows, each drawn with "
        "replacement, with the settings it was learned with, and counts what returns."
    )
    stability = answer_of(
        "stable",
        "Learning again",
        repr((state.fit_key, state.rule_json, state.setting, state.run_settings)),
        Repeating(model, train.X, train.target, weight, groups, N_RESAMPLES),
        offer="Learn it from resamples",
        total=N_RESAMPLES,
    )
    if stability is None or not stability.n_made:
        return
    names = {name: state.label(name) for name in train.columns}
    st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in stability.sentences(names)))
    if len(stability.columns):
        words = returned_sentence(stability, names)
        chart(returned_figure(stability, names), "stable_columns", words)
    if (stability.cuts["returned"] > 0).any():
        chart(band_figure(stability, names), "stable_cuts", band_sentence(stability, names))
    _tables(stability, names)


def _tables(stability: Stability, names: dict[str, str]) -> None:
    """Show the same figures as tables."""
    columns = stability.columns.assign(
        column=[names.get(c, c) for c in stability.columns["column"]]
    )
    cuts = stability.cuts.assign(column=[names.get(c, c) for c in stability.cuts["column"]])
    clauses = stability.clauses
    is_clause = clauses["number"] > 0
    clauses = pd.concat([clauses[is_clause], clauses[~is_clause].head(OTHERS)])
    clauses = clauses.assign(overlap=100 * clauses["overlap"])
    for title, table in (("Columns", columns), ("Cuts", cuts), ("Clauses", clauses)):
        with st.expander(f"{title} as a table"):
            st.dataframe(
                table,
                hide_index=True,
                alt=f"{title} and in how many of {stability.n_made} resamples they returned",
                column_config={
                    "selected": "in the rule",
                    "near": st.column_config.NumberColumn(
                        help="So near that at most 5 % of the rows lie between."
                    ),
                    "low": st.column_config.NumberColumn("a tenth up to"),
                    "middle": st.column_config.NumberColumn("half up to"),
                    "high": st.column_config.NumberColumn("nine tenths up to"),
                    "number": st.column_config.NumberColumn("clause no."),
                    "overlap": st.column_config.NumberColumn("same rows", format="%.0f %%"),
                },
            )
