"""Exports as tables, for spreadsheets and for editing, safe from being taken for formulas."""
