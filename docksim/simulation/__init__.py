"""A run: the compiled scenario moved on by the kernel, its log as named channels, checkpoints."""
