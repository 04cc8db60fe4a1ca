"""Exports for people: text, Markdown, HTML, LaTeX and the report."""
