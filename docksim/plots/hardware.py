"""All figures of a mechanism or of an interface by itself."""

from __future__ import annotations

from matplotlib.figure import Figure

from docksim.config.interface import Interface
from docksim.drawing.mechanism import drawing
from docksim.hardware.inspect_devices import device_laws
from docksim.hardware.inspect_mechanism import workspace
from docksim.hardware.mechanism import Mechanism
from docksim.hardware.yielding import yielding
from docksim.plots.device_laws import law_figures
from docksim.plots.interface import interface_figure
from docksim.plots.mechanism import mechanism_figure
from docksim.plots.pawl import pawl_figure
from docksim.plots.resistance import resistance_figure
from docksim.plots.workspace import workspace_figure


def mechanism_figures(mechanism: Mechanism, name: str) -> dict[str, Figure]:
    """By file name."""
    return {
        "mechanism": mechanism_figure(f"{name}: {' '.join(dict.fromkeys(mechanism.types))} legs", drawing(mechanism)),
        "workspace": workspace_figure(f"{name}: workspace", workspace(mechanism)),
        "resistance": resistance_figure(f"{name}: what resists before capture, by statics", yielding(mechanism)),
        **law_figures(f"{name}: laws of the devices", device_laws(mechanism)),
    }


def interface_figures(interface: Interface, name: str) -> dict[str, Figure]:
    """By file name."""
    figures = {"interface": interface_figure(f"{name}: interface", interface)}
    if interface.latches is not None:
        figures["pawl"] = pawl_figure(f"{name}: one of {interface.latches.count} pawls", interface.latches)
    return figures
