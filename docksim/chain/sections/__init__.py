"""Loads inside the links of a chain, and where loads move its tool."""
