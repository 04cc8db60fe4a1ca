"""Two people's browsers on one analysis: nothing is lost, and what is deleted stays deleted."""

from urllib.parse import parse_qs, urlparse

from tests.browser.steps import found_first, searched, slide

NOTE = "The board decided X."


def analysis_of(visitor):
    return parse_qs(urlparse(visitor.page.url).query)["analysis"][0]


def open_notes(visitor):
    visitor.turn_to("Data").page.get_by_role("tab", name="This analysis").click()
    return visitor.ready().page.get_by_role("textbox", name="Notes")


def begun(visit, **options):
    first = visit("/data", **options).press("sample_iris")
    return first, f"?analysis={analysis_of(first)}"


def test_note_of_one_person_survives_the_slider_of_another(visit):
    first, query = begun(visit)
    second = found_first(visit(f"/models{query}"))
    searched(second)
    field = open_notes(first)
    with first.action():
        field.fill(NOTE)
        field.press("Control+Enter")
    slide(second)
    assert open_notes(second).input_value() == NOTE
    first.reload()
    assert open_notes(first).input_value() == NOTE
