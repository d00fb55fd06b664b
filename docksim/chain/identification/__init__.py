"""Parameters of links: base parameters, and what they are from recorded motion."""
