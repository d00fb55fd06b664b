"""A run: steps of the integrators, events, the energy budget, rows of the log."""
