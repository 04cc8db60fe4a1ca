"""What tests of Data do again and again: a small file, its upload, what is said of it."""

GOOD = b"age,glucose,ill\n" + b"".join(
    b"%d,%d,%s\n" % (30 + k // 2, 90 + 7 * k % 13, b"yes" if k % 3 == 0 else b"no")
    for k in range(40)
)


def said(app):
    """All error sentences, as they are read."""
    return " ".join(e.value for e in app.error).replace("\\", "").replace("\u2060", "")


def target(app):
    """The box that asks for the target."""
    return next(box for box in app.selectbox if box.label == "Target column")


def upload(app, content, name="table.csv"):
    return app.file_uploader[0].upload(name, content).run()
