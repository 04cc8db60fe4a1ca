"""Reading of files into columns of text, numbers and dates: CSV, spreadsheets, Parquet."""
