"""A room to be copied and edited: tests see what an edit changes and what is compiled for it."""
