"""A and b of a chain by four formulations, compiled; their operations counted and timed."""
