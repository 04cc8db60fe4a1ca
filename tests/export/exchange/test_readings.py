"""Dates by arithmetic: every part as the rule reads it, over leap years and centuries."""

import math
import re

import numpy as np
import pytest

from rulekit.export.exchange.readings import MARK, Arithmetic, list_compared_numbers, read
from rulekit.rules import Literal
from rulekit.rules.condition import SEPARATORS


def counting(text):
    signs = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "floor": math.floor,
    }
    whole = text + "0000-00-00 00:00:00"[len(text) :]
    return Arithmetic(
        float,
        lambda place, digits: float(whole[place - 1 : place - 1 + digits]),
        lambda sign, *parts: signs[sign](*parts),
    )


@pytest.mark.parametrize("part", ["year", "month", "weekday", "hour", "days since 2024-02-29"])
def test_date_parts_equal_those_of_the_rule(part):
    days = np.arange("1899-12-28", "2101-03-05", 13, dtype="datetime64[D]").astype(str).tolist()
    texts = [*days, *(f"{day} 23:59" for day in days[::7]), *(f"{d} 00:00:01" for d in days[::5])]
    column = np.array(texts, dtype=object)
    read_by_rule = Literal("x", ">", 1, part=part).compute_values({"x": column})
    assert [read(part, counting(text)) for text in texts] == read_by_rule.tolist()


def test_dates_are_seconds_since_1970_and_marks_separate_words():
    test = Literal("x", "in", ("1969-12-31", "2024-02-29 07:00:01"), part="date")
    texts = [str(v) for v in test.values]
    assert [read("date", counting(t)) for t in texts] == list_compared_numbers(test)
    assert list_compared_numbers(test) == [-86_400.0, 1709190001.0]
    assert all(re.fullmatch(MARK, mark) for mark in SEPARATORS)
    assert not re.search(MARK, "aé_1x")
