"""The cases to be scored: a second file, or the test rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from rulekit.data import Table
from rulekit.data.column import whole
from rulekit.data.drift import respelled_levels
from rulekit.data.reading.loading import read_with_options
from rulekit.exceptions import RulekitError
from rulekit.explain import Scored, score
from rulekit.style.wording import plural
from ui.cache import kept
from ui.escape import md
from ui.protected import fixed_columns
from ui.shell import problem
from ui.state import CATEGORIES, CUT, DATES, DURATIONS, NUMERIC, AppState
from ui.words import wording

TEST_ROWS = "test rows"
SHOWN = 8  # maximal number of columns listed


@dataclass(frozen=True, eq=False)
class NewCases:
    """Cases to be scored: a name, the rows, and their outcomes as far as known."""

    name: str
    table: Table | pd.DataFrame
    outcomes: NDArray[Any] | None
    key: str

    @property
    def are_test_rows(self) -> bool:
        """Whether they are test rows of the table that the rule was learned from."""
        return self.key == TEST_ROWS


def chosen_cases(state: AppState, read: Sequence[str]) -> NewCases | None:
    """Show the upload field; return the uploaded cases, or the test rows without a file.

    `read` are the columns of the rule.
    """
    file = st.file_uploader("A table of new cases", key="score_file")
    names = ", ".join(md(name, 40) for name in read[:SHOWN])
    more = f" and {len(read) - SHOWN} more" if len(read) > SHOWN else ""
    if read:
        st.caption(f"Columns needed: {names}{more}. The file stays on this machine.")
    if file is not None:
        try:
            key = repr((file.file_id, state.options))
            given = kept("new cases", key, lambda: _read(file.name, file.getvalue()), copy=False)
            table = as_before(given, state)
        except (RulekitError, ValueError) as error:
            problem(error)
            return None
        levels = respelled_levels(state.table, table, columns=tuple(read))
        key = file.file_id
        if levels and st.toggle(respelled_words(levels, table, state), key=f"respell_{key}"):
            frame = table.frame.replace(levels)
            table, key = Table.from_frame(frame, name=table.name), f"{key} respelled"
        return NewCases(table.name, table, outcomes_of(table, state), key)
    X, y = state.testing
    if not len(X):
        return None
    return NewCases("the test rows", X, y.to_numpy(dtype=object), TEST_ROWS)


def _read(name: str, content: bytes) -> Table:
    return read_with_options(content, name=name[:80])[0]


def respelled_words(levels: dict[str, dict[str, str]], table: Table, state: AppState) -> str:
    """Return the label of the switch that reads unknown levels as the known ones."""
    parts = []
    for name, same in levels.items():
        n_rows = int(table.frame[name].isin(list(same)).sum())
        pairs = [f"{md(new, 30)} as {md(level, 30)}" for new, level in list(same.items())[:3]]
        more = f" and {len(same) - 3} more" if len(same) > 3 else ""
        parts.append(
            f"{md(state.label(name), 40)}: {', '.join(pairs)}{more} ({plural(n_rows, 'row')})"
        )
    return f"Read {'; '.join(parts)}"


def as_before(table: Table, state: AppState) -> Table:
    """Convert columns to the types that the user selected in the first table."""
    for name, day_first in state.options.get(DATES, {}).items():
        if name in table.frame.columns:
            table = table.as_date(name, day_first=day_first)
    for kind, turn in (
        (NUMERIC, Table.as_numeric),
        (CATEGORIES, Table.as_category),
        (DURATIONS, Table.as_duration),
    ):
        for name in state.options.get(kind, ()):
            if name in table.frame.columns:
                table = turn(table, name)
    for name, cut in state.options.get(CUT, {}).items():
        if name in table.frame.columns and table.column(name).is_number:
            table = table.with_cut(name, cut)
    return table


def outcomes_of(table: Table, state: AppState) -> NDArray[Any] | None:
    """Return the known outcomes of the cases in the rule's labels; None if unknown."""
    if state.target not in table.frame.columns:
        return None
    values = table.frame[state.target]
    present = values.notna().to_numpy()
    if not present.any():
        return None
    called = {value: state.called(value) for value in whole(values[present]).unique()}
    named = values.map(called).to_numpy(dtype=object)
    if len(state.classes) > 2 and not state.several:
        named[named != state.positive] = state.other_label
    named[~present] = None
    return named


def scored(cases: NewCases, model: ClassifierMixin, state: AppState) -> Scored:
    """Apply the current rule, once per rule and table."""
    X, y = state.testing if len(state.testing[0]) else state.training
    again = cases.are_test_rows  # a comparison with themselves is pointless
    before = state.training if again else (X, y)

    def compute() -> Scored:
        return score(
            model,
            cases.table,
            reference=None if again else state.table,
            outcomes=cases.outcomes,
            before=before,
            training=state.training,
            wording=wording(state),
            immutable=fixed_columns(model.rule_set_),
        )

    return kept("scored", repr((cases.key, state.fit_key, state.rule_json)), compute, copy=False)


def differences(cases: NewCases, scored: Scored) -> None:
    """Show how the new table differs from the one the rule was learned from."""
    rows = f"**{md(cases.name, 60)}**: {len(scored):,} rows."
    if cases.are_test_rows:
        st.caption(f"{rows} Upload a table to predict its cases.")
    elif not scored.drift:
        st.caption(f"{rows} The columns of the rule look as they did when it was learned.")
    else:
        st.warning(
            "\n".join(
                [f"{rows} What differs:", *(f"- {md(n.sentence, 300)}" for n in scored.drift)]
            )
        )
