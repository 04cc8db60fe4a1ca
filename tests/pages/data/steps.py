"""Helpers of the Data page tests: a small file and its upload."""

from ui.workspace import BEGUN

GOOD = b"age,glucose,ill\n" + b"".join(
    b"%d,%d,%s\n" % (30 + k // 2, 90 + 7 * k % 13, b"yes" if k % 3 == 0 else b"no")
    for k in range(40)
)


def target(app):
    """The box that asks for the target."""
    return next(box for box in app.selectbox if box.label == "Target column")


def notes_field(app):
    """The field for notes on the analysis."""
    return next(field for field in app.text_area if field.label == "Notes")


def upload(app, content, name="table.csv"):
    return app.file_uploader[0].upload(name, content).run()


def reading_options(app):
    """Turn to the tab of a file's reading options."""
    state = app.session_state
    key = f"data_tabs_{state['app'].table.digest[:12]}"
    if BEGUN in state and state[BEGUN][0]:
        key = f"upload_tabs_{state[BEGUN][0]}"
    state[key] = "How the file was read"
    return app.run()
