"""What only several parts of the schema together can tell. Every check yields (path, message)."""
