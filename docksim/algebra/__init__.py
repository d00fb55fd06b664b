"""Numbers whose bits do not depend on the machine: elementary functions and small dense algebra in plain arithmetic."""
