"""Rows of the log as named curves with units and frames."""
