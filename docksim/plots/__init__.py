"""Figures of a result: `all_figures(result)` by file name, or one builder at a time; `write_figures` saves them."""

from docksim.plots.figures import (
    all_figures,
    contact,
    devices,
    energy,
    interface_loads,
    joints,
    kinds_of,
    legs,
    loads,
    main_kinds,
    momentum,
    motion,
    phases,
    port_motion,
    ring,
)
from docksim.plots.files import FORMATS, write_figures
from docksim.plots.motion import port_pairs, vehicles

__all__ = [
    "FORMATS",
    "all_figures",
    "contact",
    "devices",
    "energy",
    "interface_loads",
    "joints",
    "kinds_of",
    "legs",
    "loads",
    "main_kinds",
    "momentum",
    "motion",
    "phases",
    "port_motion",
    "port_pairs",
    "ring",
    "vehicles",
    "write_figures",
]
