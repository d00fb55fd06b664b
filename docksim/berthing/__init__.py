"""Berthing: the program of an arm that carries a free vehicle to a port."""

from docksim.berthing.program import Program, plan_berthing

__all__ = ["Program", "plan_berthing"]
