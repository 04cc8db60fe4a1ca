"""Exports as tables, for spreadsheets and for editing, safe from formula injection."""
