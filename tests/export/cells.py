"""A workbook as text: each filled cell a line, formulas as they are written."""

import io

import openpyxl


def as_text(content):
    """Text stays what it is; the bytes of a workbook become a list of its cells."""
    if isinstance(content, str):
        return content
    lines = []
    for sheet in openpyxl.load_workbook(io.BytesIO(content)):
        lines.append(f"[{sheet.title}]")
        cells = (cell for row in sheet.iter_rows() for cell in row if cell.value is not None)
        lines += [f"{cell.coordinate} {cell.value!r}" for cell in cells]
    return "\n".join(lines) + "\n"
