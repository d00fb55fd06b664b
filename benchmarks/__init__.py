"""How fast the kernel is, against Pinocchio in the same run: `python -m benchmarks`. See README.md for the method."""
