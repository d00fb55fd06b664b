"""Figures of mechanisms, interfaces and devices by themselves."""
