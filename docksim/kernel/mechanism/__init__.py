"""Docking mechanisms: legs and their closure, the ring and its equations, shafts, servos and drives."""
