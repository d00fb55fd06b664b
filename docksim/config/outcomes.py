"""The words for how a run ended, each with its one meaning: one list for schema, results, batches and studies."""

from typing import Literal, get_args

# how a docking ended, which a scenario's `stop` may claim; see docksim/result/docking.py
DockingOutcome = Literal["hard-docked", "captured", "undocked", "rebounded", "timed out", "aborted", "misaligned"]
DOCKING_OUTCOMES: tuple[str, ...] = get_args(DockingOutcome)
# claims about the sequence, not about the state: nothing refutes them
VERDICTS = ("timed out", "aborted", "misaligned")
MEANINGS = {
    "completed": "the run came to the end of its time; no pair with latches is there to judge",
    "stopped": "an event ended the run and claimed nothing",
    "hard-docked": "two ports are joined at the end, rigidly where their hooks have a count",
    "captured": "every latch of the pair holds at the end, and no hooks are closed",
    "undocked": "it was captured or joined before, and at the end nothing holds: no latch engaged, no port joined",
    "rebounded": "the two touched, were never held, and at the end are apart and leaving",
    "not captured": "at the end the pair is none of the above: no contact, or still together",
    "timed out": "a phase of the sequence did not begin within its timeout_s, whatever holds",
    "aborted": "an event gave the docking up",
    "misaligned": "hooks were to close with the ports out of reach or beside each other, or nothing pulled them there",
    "not rigid": "hooks are closed, or still closing, and hold less than a rigid joint needs",
    "stuck": "two ports were told to part, and the seal clings harder than all that pushes, or a hook never lets go",
    "latch lost": "an engaged latch let go under load, or no longer holds though no event opened it",
    "overloaded": "a load across the ports was beyond the limit of interface or joint, somewhere in its contact's band",
    "over-stroke": "a leg or coupling compressed a stop beyond its travel",
    "failed": "an event could not be carried out, or a leg could not follow its ring",
    "diverged": "a number was no longer finite",
    "inaccurate": "the energy budget is open by too much of the energy exchanged for any figure to be trusted",
    "interrupted": "the user, or something outside, ended the run",
}
OUTCOMES = tuple(MEANINGS)
# what a command may end with and exit 0; of a study's case, what may be counted as success
SUCCESSES = ("completed", "stopped", "hard-docked", "captured", "undocked")
# ways to end without a capture, each for its own reason
NOT_HELD = ("rebounded", "not captured", "timed out", "aborted")
# after capture [s]: latches are pulled at hardest up to 14 s later, other loads are largest at once (docs/studies.md)
LONG_ENOUGH_S = 15.0
# of a study's case: an interrupted one has no row; one that cannot be built, or takes too long by the clock, has
CASE_OUTCOMES = (*(word for word in OUTCOMES if word != "interrupted"), "invalid", "too slow")
# what is logged up to there means little
NO_FIGURES = ("diverged", "inaccurate", "too slow", "failed", "invalid")
