"""What docking hardware looks like: one source of outlines and surfaces for figures and for the replay."""
