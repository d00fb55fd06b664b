"""Trees of bodies: the recursive passes, loads and control on bodies, energy, joining and separating."""
