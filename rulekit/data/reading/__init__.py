"""A file becomes columns of text, numbers and dates: CSV, spreadsheets, Parquet."""
