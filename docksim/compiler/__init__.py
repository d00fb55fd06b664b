"""Scenario to arrays. Units are converted and names become indices here and nowhere else."""

from docksim.compiler.assembly import Assembly, assemble
from docksim.compiler.tables import Compiled, compile_scenario

__all__ = ["Assembly", "Compiled", "assemble", "compile_scenario"]
