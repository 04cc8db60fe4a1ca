"""Exports that people read: text, Markdown, HTML, LaTeX, and the report; text is read back, too."""
