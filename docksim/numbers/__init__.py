"""Stand-ins for floats that kernels can run on: counted operations, dual numbers."""
