"""What all other rooms of the kernel build on: the clock of a step, spatial vectors, joints and their coordinates."""
