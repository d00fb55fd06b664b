"""Damaged, crafted and extreme input for every reader: whatever comes in, a line comes out, or what was asked for.

    python -m tests.fuzz --minutes 5            what `make fuzz` does: all targets in turn, in a process that may die
    python -m tests.fuzz --only checkpoint --count 10000

A target draws an input from a random generator, and feeds it to its reader. A finding is an exception that is not the
reader's own, a crash, a hang, or words that are not fit for a terminal. Findings are kept as files; those that were
mended move into corpus/, which the suite feeds again.
"""
