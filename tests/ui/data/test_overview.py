"""Columns at one glance: histograms, association with the outcome, protected attributes."""

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table
from rulekit.data.association import cramers_v
from ui.data import overview
from ui.data.overview import column_figures, protected_features
from ui.protected import looks_protected


def made(n=400):
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.4
    frame = pd.DataFrame(
        {
            "glucose": np.where(ill, 150, 90) + rng.normal(0, 5, n),
            "town": rng.choice(["Bonn", "Ulm", "Rom"], n, p=[0.6, 0.3, 0.1]),
            "noise": rng.normal(size=n),
            "ill": np.where(ill, "yes", "no"),
        }
    )
    frame.loc[:9, "noise"] = np.nan
    return Table.from_frame(frame).with_roles({"ill": "target"}), frame


def test_figures_are_counts_of_values_and_the_association():
    table, frame = made()
    found = column_figures(table)
    spread = dict(zip(frame.columns, found["spread"], strict=True))
    assert spread["glucose"] == np.histogram(frame["glucose"], overview.BARS)[0].tolist()
    assert spread["town"] == frame["town"].value_counts().tolist()
    assert sum(spread["noise"]) == len(frame) - 10
    strength = found["association"].tolist()
    assert strength[:3] == cramers_v(frame.iloc[:, :3], frame["ill"]).tolist()
    assert strength[0] > 0.8 > 0.3 > strength[2]
    assert np.isnan(strength[3])


def test_no_association_without_target_and_no_figures_of_wide_tables(monkeypatch):
    table, _ = made()
    assert column_figures(table.with_roles({"ill": "feature"}))["association"].isna().all()
    monkeypatch.setattr(overview, "MOST_COLUMNS", 3)
    assert column_figures(table) is None


def test_every_kind_of_column_has_a_histogram():
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-01", "2020-06-01", None, "2021-01-01"]),
            "text day": ["2020-01-01", "2020-01-02", None, "2021-01-01"],
            "no day": ["2021-02-28", "2021-02-30", "2021-02-31", "2021-03-01"],
            "flag": pd.array([True, False, None, True], dtype="boolean"),
            "empty": [None] * 4,
            "y": list("abab"),
        }
    )
    found = column_figures(Table.from_frame(frame))
    assert [sum(bars) for bars in found["spread"]] == [3, 3, 4, 3, 0, 4]
    assert found["spread"][1] == [2, *[0] * (overview.BARS - 2), 1]


def test_long_tables_are_sampled_with_a_note(monkeypatch):
    table, frame = made()
    assert overview.sampled(table) == ""
    monkeypatch.setattr(overview, "MOST_ROWS", 100)
    found = overview._figures(table)
    assert [sum(bars) for bars in found["spread"]][1] == 100
    assert found["association"][0] == cramers_v(frame.iloc[::4, :1], frame["ill"][::4])[0]
    assert "in one of 4 rows" in overview.sampled(table)


@pytest.mark.parametrize("name", ["sex", "Race", "patient_age", "ageAtEntry", "ETHNICITY"])
def test_names_of_protected_attributes_are_recognised(name):
    assert looks_protected(name)


@pytest.mark.parametrize("name", ["sextant", "racetime", "dosage", "average", "x1", "wage"])
def test_words_within_longer_names_are_not_protected(name):
    assert not looks_protected(name)


def test_only_features_count_as_protected():
    frame = pd.DataFrame({"age": [30, 40, 50, 60], "sex": list("mfmf"), "y": list("abab")})
    table = Table.from_frame(frame).with_roles({"y": "target", "sex": "ignore"})
    assert protected_features(table) == ["age"]
