"""Linear models about an operating point: what `docksim linearize` makes of a chain, a spacecraft tree or a stack."""

from docksim.linear.model import LinearModel, Mode, Skeleton, second_order

__all__ = ["LinearModel", "Mode", "Skeleton", "second_order"]
