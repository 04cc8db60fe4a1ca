"""Power-law trees as a learner of Models."""

# The price ``theta`` of a setting is τ here, the required impurity of a split: a larger one gives
# shorter formulas. Depth and the number of power laws are separate settings.

import re

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.explain import explain_path
from rulekit.explain.checks import SplitReading
from rulekit.export.documents.latex import LatexWriter, latex_number
from rulekit.families.power_law import (
    bspace_figure,
    bspace_sentence,
    columns_figure,
    log_helps,
    split_points,
)
from rulekit.families.power_law.tree import DEPTHS, EXPONENT_LIMITS
from rulekit.rules import Branch, PowerLawSplit, RuleSet, Tree, tree_of_rule
from rulekit.rules.sums import power_law_of
from rulekit.style.phrases import Wording, exact, number
from rulekit.style.wording import percent
from ui.escape import md
from ui.learners.learner import Cards, Learner
from ui.rule_numbers import Cases
from ui.state import app_state
from ui.widgets import chart, choice

VIEWS = {
    "b": "power laws",
    "log": "power laws, log scale",
    "solid": "in space (turn it)",
    "x": "columns as they are",
}
Node = tuple[PowerLawSplit, np.ndarray]


def tree_card(model: ClassifierMixin, train: Cases, rows: Cases, words: Wording) -> None:
    """Show the formulas of a tree's splits and its rows in B-space."""
    rule: RuleSet = model.rule_set_
    tree = tree_of_rule(rule)
    nodes = _nodes(tree, rows) if isinstance(tree, Branch) else []
    if tree is None or not nodes:
        return
    st.markdown("**The tree's formulas**")
    if words_of_splits := splits_words(tree, rule):
        st.caption(md(words_of_splits, 600))
    for k, (split, _) in enumerate(nodes, start=1):
        left, right = st.columns([1, 8], vertical_alignment="center")
        left.markdown(f"**split {k}**")
        right.latex(formula(split, words))
    k = 0
    if len(nodes) > 1:
        splits = {i: f"split {i + 1}" for i in range(len(nodes))}
        k = choice("Rows at split", splits, 0, "tree_node", persist_state=None)
    split, reached = nodes[k]
    answers = rule.predict(rows.columns)
    points = split_points(split, rows.columns, rows.y, answers, reached, app_state().classes)
    if not len(points.margin):
        st.caption("No row of these comes to this split.")
        return
    n, n_columns = len(split.terms), len(split.features)
    logs = n <= 2 and (points.laws > 0).all()
    can = {"b": True, "log": logs, "solid": n == 3, "x": n_columns == 2}
    offered = {name: VIEWS[name] for name in VIEWS if can[name]}
    view = "b"
    if len(offered) > 1:
        view = choice("Axes", offered, "b", f"tree_view_{n}_{n_columns}")
    names = {f: words.name(f) for f in split.features}
    sentence = bspace_sentence(split, points)
    if view == "x":
        figure = columns_figure(split, points, rows.columns, names=names)
    else:
        figure = bspace_figure(split, points, log=view == "log", solid=view == "solid", names=names)
    chart(figure, f"bspace_{view}", sentence)
    hint = " A log scale would spread the points." if view == "b" and log_helps(points) else ""
    st.caption(md(sentence + hint, 500))


def case_in_bspace(
    model: ClassifierMixin, X: pd.DataFrame, train: Cases, words: Wording, *, plain: bool
) -> None:
    """Show the case at each split on its path; also the changes that change a result."""
    rule = model.rule_set_
    (path,) = explain_path(model, X, training=(train.X, train.y), wording=words)
    if not path:
        return
    nodes = dict(_nodes(tree_of_rule(rule), train))
    answers, case = rule.predict(train.columns), model.read_columns(X)
    with st.container() if plain else st.expander("On its way through the tree"):
        for k, reading in enumerate(path, start=1):
            if not plain:
                st.markdown(f"- Split {k}: {md(reading.sentence, 600)}")
            if reading.changes and not plain:
                table = changes_table(reading, words)
                st.dataframe(table, hide_index=True, alt=changes_words(reading))
            if reading.total is not None and (split := reading.split) in nodes:
                rows = train.columns, train.y, answers, nodes[split], app_state().classes
                points = split_points(split, *rows)
                names = {f: words.name(f) for f in split.features}
                figure = bspace_figure(split, points, case=case, names=names)
                chart(figure, f"case_b_{k}", bspace_sentence(split, points))


def splits_words(tree: Tree, rule: RuleSet) -> str:
    """Return the number of conditions of a tree's splits if its clauses have more."""

    def count(node: Tree) -> int:
        if not isinstance(node, Branch):
            return 0
        return getattr(node.condition, "n_conditions", 1) + count(node.yes) + count(node.no)

    if (here := count(tree)) >= rule.n_conditions:
        return ""
    return (
        f"Its splits have {here} conditions (exponents); written as clauses, which is what Models "
        f"and Rules count, the splits on each path are repeated: {rule.n_conditions}."
    )


def formula(split: PowerLawSplit, words: Wording) -> str:
    """Return a split as a formula for `st.latex`."""
    names = {f: typeset_name(words.name(f)) for f in split.features}
    writer = LatexWriter(names.__getitem__, lambda value: latex_number(float(f"{value:.6g}")))
    body, _, tail = writer.write(split).replace(r"\mbox{", r"\text{").strip("$").partition("$")
    return body + (r"\quad\text{(or missing)}" if tail else "")


def typeset_name(name: str) -> str:
    """Write a column's name in a formula on screen; characters of commands become dots."""
    plain = re.sub(r"[^\w .,:()/+%-]", "·", " ".join(name.split()))
    return plain.replace("_", r"\_").replace("%", r"\%")


def changes_table(reading: SplitReading, words: Wording) -> pd.DataFrame:
    """List the changes of one column that change the result at a split."""
    changes = reading.changes
    table = {
        "changed alone": [words.name(change.feature) for change in changes],
        "now": [number(change.old) for change in changes],
        "changes the result at": [exact(change.new) for change in changes],
        "share of its range": ["" if c.share is None else percent(c.share) for c in changes],
    }
    return pd.DataFrame(table)


def changes_words(reading: SplitReading) -> str:
    """Return the first of these changes in words, as alternative text of the table."""
    first = reading.changes[0]
    return f"The nearest change of one column is {first.feature} to {exact(first.new)}."


def _nodes(tree: Tree | None, rows: Cases) -> list[Node]:
    """List the power-law splits of a tree from the root on, each with the rows that reach it."""
    nodes: list[Node] = []
    todo = [(tree, np.ones(len(rows.y), dtype=bool))]
    while todo:
        node, reached = todo.pop(0)
        if not isinstance(node, Branch):
            continue
        held = node.condition.mask(rows.columns)
        if split := power_law_of(node.condition):
            nodes.append((split, reached))
        todo += [(node.yes, reached & held), (node.no, reached & ~held)]
    return nodes


TREE = "power_law_tree"
TAU_HELP = (
    "The impurity (Gini) that a split has to reach; the shortest formula that does is taken. The "
    "larger τ is, the fewer exponents."
)


POWER_LAW_TREE = Learner.from_family(
    TREE,
    grid=lambda spec: {
        "max_exponents": list(EXPONENT_LIMITS),
        "max_depth": list(DEPTHS),
        "tau_impurity": list(spec.taus),
    },
    own_parameters=lambda spec, state, variant: {"positive_label": state.positive},
    dials=lambda setting, n_rows: {"theta": ("Impurity τ a split has to reach", TAU_HELP)},
    cards=Cards(pictures=tree_card, explain=case_in_bspace),
)
