"""Small files of made rows, as text, XLSX and ODS."""

import csv
import io
import zipfile
from xml.sax.saxutils import escape

import openpyxl

SPACE = "urn:oasis:names:tc:opendocument:xmlns"


def csv_file(rows, **settings):
    """The rows as comma-separated text; None is an empty cell."""
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n", **settings).writerows(rows)
    return sink.getvalue().encode()


def xlsx_file(rows, *, merged=(), before=(), after=()):
    """The rows as a workbook; more sheets are (title, rows, state)."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, content, state in (*before, ("table", rows, "visible"), *after):
        sheet = book.create_sheet(title)
        sheet.sheet_state = state
        for row in content:
            sheet.append(row)
    for span in merged:
        book["table"].merge_cells(span)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def ods_cell(cell, attributes=""):
    """A cell of OpenDocument."""
    if cell is None:
        return "<table:table-cell/>"
    kind = "string"
    if isinstance(cell, (int, float)):
        kind, attributes = "float", f'{attributes} office:value="{cell}"'
    text = f"<text:p>{escape(str(cell))}</text:p>"
    return f'<table:table-cell office:value-type="{kind}"{attributes}>{text}</table:table-cell>'


def ods_file(rows, xml=""):
    """The rows, or the XML of rows, as an OpenDocument spreadsheet."""
    for row in rows:
        xml += f"<table:table-row>{''.join(map(ods_cell, row)) or ods_cell(None)}</table:table-row>"
    names = " ".join(f'xmlns:{n}="{SPACE}:{n}:1.0"' for n in ("office", "table", "text"))
    content = (
        f"<office:document-content {names}><office:body><office:spreadsheet>"
        f'<table:table table:name="table">{xml}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<manifest:manifest xmlns:manifest="{SPACE}:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("content.xml", content)
    return sink.getvalue()


WRITERS = {"csv": csv_file, "xlsx": xlsx_file, "ods": ods_file}
