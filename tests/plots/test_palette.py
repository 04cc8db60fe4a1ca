"""Colours and layout that every figure shares."""

from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots.palette import SERIES, SYMBOLS, base_layout, plain


@given(st.text(max_size=200))
def test_text_from_a_table_has_no_markup_and_one_line(text):
    shown = plain(text)
    assert not set(shown) & set("<>\"'\n\r")
    assert shown.count("&") == sum(
        shown.count(e) for e in ("&amp;", "&lt;", "&gt;", "&quot;", "&#x27;")
    )


def test_long_text_ends_with_dots_at_the_limit():
    assert plain("a" * 60) == "a" * 60
    assert plain("a" * 61) == "a" * 59 + "…"
    assert plain("abcdef", 4) == "abc…"


def test_no_two_series_look_alike_and_each_has_a_shape():
    assert len(set(SERIES)) == len(SERIES) == len(set(SYMBOLS))


def test_figures_let_the_page_show_through():
    layout = base_layout(200)
    assert layout.height == 200
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
