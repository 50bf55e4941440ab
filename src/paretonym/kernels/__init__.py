"""Compiled code: plain arrays in, plain arrays out; the only importer of numba."""
