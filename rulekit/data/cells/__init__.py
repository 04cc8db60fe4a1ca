"""What cells of text mean: numbers, dates, missing values, levels; one column at a time."""
