"""The search over boxes: coordinate descent with an archive of the best rule of each size.

What belongs here: the binned problem, the kernels of its moves, the descents and the search that
make them, and the refinement of thresholds afterwards. Imports no other solver.
"""
