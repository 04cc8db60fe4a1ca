"""The uploaded file of a session."""

from ui.upload import KEY, Upload, change_upload, current_upload, forget_upload


def test_a_forgotten_file_leaves_only_what_the_field_holds(monkeypatch):
    session = {}
    monkeypatch.setattr("ui.upload.st.session_state", session)
    assert current_upload() == Upload()
    change_upload(name="a.csv", content=b"a,b", file_id="1", in_field="1")
    assert session[KEY].content == b"a,b"
    forget_upload()
    assert current_upload() == Upload(in_field="1")
