"""The parts of Score: new cases, their predictions and figures, files."""
