"""The box search on a table: input, label noise, robustness and ordered lists."""
