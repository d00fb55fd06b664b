"""Where links of a chain are and how they move: poses, screws, their derivatives, targets in time."""
