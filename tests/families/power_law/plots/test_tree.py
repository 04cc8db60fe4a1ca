"""A tree drawn with its rows."""

import numpy as np

from rulekit.families.power_law import tree_figure, tree_sentence
from rulekit.rules import Branch, Literal
from rulekit.rules.analysis.tree import Leaf

TREE = Branch(
    Literal("age", ">", 50),
    Branch(Literal("bmi", ">", 30), Leaf("ill"), Leaf("well")),
    Leaf("well"),
)
COLUMNS = {"age": np.array([60.0, 70, 40, 30]), "bmi": np.array([35.0, 20, 35, np.nan])}
LABELS = np.array(["ill", "ill", "well", "well"], dtype=object)


def test_every_node_but_the_root_hangs_on_a_line():
    figure = tree_figure(TREE, COLUMNS, LABELS)
    lines = [t for t in figure.data if t.mode == "lines"]
    assert len(lines) == 4


def test_leaves_show_their_class_and_rows():
    figure = tree_figure(TREE, COLUMNS, LABELS)
    texts = " ".join(str(t.text) for t in figure.data) + str(figure.layout.annotations)
    assert "ill" in texts
    assert "well" in texts


def test_the_sentence_counts_splits_and_leaves():
    sentence = tree_sentence(TREE, COLUMNS, LABELS)
    assert "2 splits" in sentence
    assert "3 leaves" in sentence
