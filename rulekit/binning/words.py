"""Choose the words to test in a column of text: a short vocabulary from training rows."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.rules.condition import words_of

MAX_WORDS = 50
FEWEST_ROWS = 5  # a word of fewer rows is no evidence for new ones


def choose_words(
    texts: Sequence[str], classes: NDArray[np.intp] | None, max_words: int = MAX_WORDS
) -> tuple[str, ...]:
    """Choose the words that separate classes most: O(n w c) for w words a text and c classes."""
    labels = np.zeros(len(texts), dtype=np.intp) if classes is None else classes
    total = np.bincount(labels, minlength=1)
    words: dict[str, NDArray[np.int64]] = {}
    for (text, label), times in Counter(zip(texts, labels.tolist(), strict=True)).items():
        for word in set(words_of(text).split(" ")) - {""}:
            words.setdefault(word, np.zeros_like(total))[label] += times
    n = len(texts)
    common = {w: c for w, c in words.items() if FEWEST_ROWS <= c.sum() < n}

    def rank(word: str) -> tuple[float, int, str]:
        with_it = common[word]
        rows = int(with_it.sum())
        if classes is None:
            return (abs(rows - n / 2), -rows, word)
        return (_impurity(with_it) + _impurity(total - with_it), -rows, word)

    return tuple(sorted(sorted(common, key=rank)[:max_words]))


def _impurity(counts: NDArray[np.int64]) -> float:
    """Return the Gini impurity of rows of each class, times their number."""
    rows = int(counts.sum())
    return rows - int((counts * counts).sum()) / rows if rows else 0.0


def holds_words(texts: Sequence[Any]) -> bool:
    """Return whether cells are phrases rather than names or numbers."""
    # Half of (1 000) have two words or more, not all of which begin with a digit.
    some = [words_of(str(v)).split() for v in texts[:1000]]
    several = sum(len(words) > 1 and not all(w[0].isdecimal() for w in words) for words in some)
    return bool(some) and 2 * several >= len(some)
