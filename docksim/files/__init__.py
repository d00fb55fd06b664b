"""How files are written: one way for all of them."""
