"""What is to be learned, as the solvers take it: rows, cells of columns, conditions and wishes."""
