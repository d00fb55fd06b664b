"""Runs of chains: loads, drives, limits, constraints, programs; their rows and files."""
