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


def test_later_person_decides_what_both_changed(visit):
    first, query = begun(visit)
    second = visit(f"/data{query}")
    for visitor, seed in ((first, "3"), (second, "5")):
        field = visitor.page.get_by_role("spinbutton", name="Seed")
        field.fill(seed)
        with visitor.action():
            field.press("Enter")
    second.turn_to("Binning")
    second.reads("Another window has changed this as well, differently: the test rows.")
    second.press("settle_theirs").turn_to("Data")
    assert second.page.get_by_role("spinbutton", name="Seed").input_value() == "3"


def test_deleted_analysis_does_not_come_back(visit, shared_workspace):
    first, query = begun(visit)
    second = visit(f"/data{query}")
    folder = shared_workspace / analysis_of(first)
    assert folder.is_dir()
    first.page.get_by_role("tab", name="This analysis").click()
    first.ready().page.get_by_role("button", name="Forget this analysis").click()
    first.press("forget")
    assert not folder.exists()
    second.turn_to("Binning")
    second.reads("This analysis was deleted by another window.")
    second.turn_to("Models")
    found_first(second)
    assert not folder.exists()
    second.press("save_as_new")
    assert analysis_of(second) != folder.name
    assert (shared_workspace / analysis_of(second) / "table.parquet").exists()
    assert not folder.exists()
