"""Files damaged at random: each is read or refused in a sentence; a seed names the damage."""

import numpy as np
import pytest

from scripts import fuzz


@pytest.mark.slow
def test_a_damaged_table_is_read_or_refused_in_a_sentence():
    ends, wrong = fuzz.run(seed=11, n=250)
    assert wrong == []
    kinds = {end.split()[0]: end.split()[1] for end in ends}
    assert set(kinds) == {"csv", "xlsx", "parquet"}
    assert sum(n for end, n in ends.items() if end.endswith("read")) > 20  # not all is refused


def test_a_seed_names_the_damage():
    first, again, other = (
        fuzz.damaged(bytes(range(256)), np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_unhandled_files_are_reported_with_their_seed(monkeypatch):
    def broken(*_, **__):
        raise IndexError("of a bug")

    monkeypatch.setattr(fuzz, "read_table", broken)
    ends, wrong = fuzz.run(seed=2, n=1)
    assert ends["wrong"] == 3
    assert wrong[0] == "csv, seed 2000000: IndexError: of a bug"
