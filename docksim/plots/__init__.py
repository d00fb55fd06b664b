"""Figures of results, studies, hardware and chains.

`figures` has those of a run, `files` writes them. Nothing is imported here, so the names of the kinds cost nothing.
"""
