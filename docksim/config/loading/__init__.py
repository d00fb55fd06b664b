"""From files, overrides and plain data to checked parts of the schema, or to all faults with file and line."""
