"""Which words are asked for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.binning.words import FEWEST_ROWS, choose_words, holds_words
from rulekit.rules.condition import words_of
from tests.strategies.rules import NOTES


def gini_of(rows, classes):
    """The Gini impurity of rows, times their number, by counting pairs."""
    own = [classes[i] for i in rows]
    return sum(a != b for a in own for b in own) / len(own) if own else 0.0


@given(st.lists(st.tuples(st.sampled_from(NOTES), st.integers(0, 2)), min_size=8, max_size=40))
def test_the_words_chosen_are_those_that_part_the_classes_best(rows):
    texts, classes = [t for t, _ in rows], np.array([c for _, c in rows])
    every = sorted({w for t in texts for w in words_of(t).split()})
    holders = {w: {i for i, t in enumerate(texts) if w in words_of(t).split()} for w in every}
    known = [w for w in every if FEWEST_ROWS <= len(holders[w]) < len(rows)]
    everyone = set(range(len(rows)))

    def left(word):
        impurity = gini_of(holders[word], classes) + gini_of(everyone - holders[word], classes)
        return (round(impurity, 9), -len(holders[word]), word)

    for most in (1, 2, 50):
        assert choose_words(texts, classes, most) == tuple(sorted(sorted(known, key=left)[:most]))


def test_phrases_are_chosen_by_words_of_half_the_rows():
    texts = ["red car"] * 10 + ["red house"] * 5 + ["blue house"] * 5
    assert choose_words(texts, None, 1) == ("car",)
    assert choose_words(texts, None) == ("blue", "car", "house", "red")
    assert holds_words(["paid late", "not paid"])
    assert not holds_words(["Anna", "Bert"])
    assert not holds_words([])
    assert not holds_words(["1.25", "-3.5", "10,75", "2.300e-01"])  # numbers kept as text
