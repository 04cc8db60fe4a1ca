"""The search over boxes: coordinate descent with an archive of the best rule of each size."""
