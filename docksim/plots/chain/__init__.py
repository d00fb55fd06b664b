"""Figures of chains: their shape, their motion, loads inside them, their operations."""
