"""What a page shows when another window deleted its analysis, or changed the same."""

from pathlib import Path

import pytest

from tests.pages.data.steps import notes_field
from tests.pages.driving import opened, routed, text
from ui import saved


@pytest.fixture
def window(tmp_path, monkeypatch):
    """A page with an analysis that was saved, and the folder of that."""
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path / "space"))
    with routed():
        app = opened().button(key="sample_iris").click().run()
        yield app, Path(tmp_path / "space" / app.query_params["analysis"])


def test_deleted_analysis_is_shown_and_saved_as_a_new_one(window):
    app, folder = window
    saved.delete(folder)
    notes_field(app).set_value("Work goes on.").run()
    assert "was deleted by another window" in text(app)
    assert not folder.exists()
    app.button(key="save_as_new").click().run()
    assert "was deleted" not in text(app)
    new = app.query_params["analysis"]
    assert saved.read_settings(folder.with_name(new)).plain["notes"] == "Work goes on."


@pytest.mark.parametrize(("key", "seed"), [("settle_mine", 5), ("settle_theirs", 3)])
def test_visitor_decides_what_both_windows_changed(window, key, seed):
    app, folder = window
    version, _ = saved.read(folder)
    theirs = version.plain | {"split": version.plain["split"] | {"seed": 3}, "notes": "A note."}
    saved.write(folder, saved.Version(theirs), None)
    app.number_input(key=next(n.key for n in app.number_input if "seed" in n.key)).set_value(5)
    app.run().run()
    assert "changed this as well, differently: the test rows" in text(app)
    app.button(key=key).click().run()
    plain = saved.read_settings(folder).plain
    assert (plain["split"]["seed"], plain["notes"]) == (seed, "A note.")
    assert notes_field(app).value == "A note."
    assert [n.value for n in app.number_input if "seed" in n.key] == [seed]
