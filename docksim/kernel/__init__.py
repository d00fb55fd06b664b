"""Compiled code: numba over the tables of `docksim.model`, and nothing else."""
