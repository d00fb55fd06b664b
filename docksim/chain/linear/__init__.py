"""Linear models of chains, free or constrained, at rest or in motion."""
