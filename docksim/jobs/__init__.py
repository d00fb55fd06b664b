"""Scenario files run, saved and drawn: batches, paced runs, runs made again."""
