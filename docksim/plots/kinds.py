"""Kinds of figures by name, with what they show: the choices of `--what` and `--figures`.

Next to nothing is imported here, so help is fast.
"""

from typing import Literal

Choice = Literal["none", "main", "all"]  # of the figures that a run draws
CHOICES: tuple[Choice, ...] = ("none", "main", "all")

RESULT_KINDS = {
    "phases": "phases of the run as a timeline",
    "motion": "motion of every vehicle",
    "ports": "relative motion at the ports: position, velocity, angles, rates",
    "ring": "pose and rates of the docking ring",
    "legs": "strokes of the legs with their stops, rates, forces",
    "joints": "joint coordinates",
    "loads": "joint loads",
    "contact": "gap, contact forces by feature, latches",
    "capture": "contact and loads from first touch to capture",
    "interface": "loads across the interfaces against their limits",
    "hooks": "pull of hooks, faces, gap, seal and loads of joined ports",
    "closures": "what closures of loops carry, stretch of bushings",
    "separation": "gap, rods and rates of two ports that part",
    "arm": "arms under program control: base, error of the hand, torques of the joints",
    "control": "attitude holds, thrusters, loads and wrenches from outside",
    "devices": "forces of dampers, brakes, motors with limits; set-points; energy absorbed",
    "energy": "energy budget that closes, stores, works, residual",
    "momentum": "what the momentum balance leaves over",
}
# what a docking is judged by, and what takes its place, in this order, in a run that has none of it
MAIN_KINDS = {
    "phases": (),
    "ports": ("motion",),
    "capture": ("contact", "ring", "joints"),
    "interface": ("loads", "energy"),
    "hooks": (),
    "closures": (),
    "separation": (),
    "arm": (),
}
MOTION_KINDS = {
    "joints": "coordinates, rates and drives of a chain's joints, bending, stops, tool",
    "energy": "energy of a chain, works, what is left between them",
    "constraint": "reactions and errors of a chain's constraints",
    "program": "errors along a chain's program, beside their decay by the poles",
}
STUDY_KINDS = {
    "scatter": "initial conditions marked by outcome; metrics over what each goes with most",
    "envelope": "boundary of success, where docksim study envelope has traced it",
    "histogram": "how a metric is spread, with its limit",
    "exceedance": "share of cases beyond a value, with its confidence band and limits",
    "convergence": "probability of success over the number of cases, with its interval",
    "sensitivity": "what a metric goes with: rank correlations and Sobol indices",
    "worst": "histories of the worst cases, overlaid",
}


def is_channel(name: str) -> bool:
    """Whether a word of `--what` is a channel, or a pattern of channels, rather than a kind."""
    return "." in name or "*" in name
