"""Linear models about an operating point: what `docksim linearize` makes of a chain, a spacecraft tree or a stack."""
