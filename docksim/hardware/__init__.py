"""Docking mechanisms and interfaces by themselves: motion, loads, figures of merit, tuning."""
