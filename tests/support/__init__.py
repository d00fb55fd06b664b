"""What tests share: runs and rigs, samples, kernels for tests alone, checks of figures."""
