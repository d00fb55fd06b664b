"""Studies: many cases of one scenario, from samples to a table on disk to statements about it."""
