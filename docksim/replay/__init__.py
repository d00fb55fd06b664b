"""A run in three dimensions, in a browser: one file for a saved result, or a page that follows a run as it goes."""
