"""The parts of Score: a second table in, answers and figures beside it, files out."""
