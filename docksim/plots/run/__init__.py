"""Figures of runs: states, motion, contact, devices, budgets; one run or several over each other."""
