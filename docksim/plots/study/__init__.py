"""Figures of studies: their cases, their metrics, and the runs of their worst."""
