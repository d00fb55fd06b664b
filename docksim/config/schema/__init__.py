"""The schema: every key with its default, its unit and its meaning; and what follows from the keys alone."""
