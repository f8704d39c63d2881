"""The fast twin: numba functions on raw arrays, unchecked.  Import it only through `solver.search`."""
