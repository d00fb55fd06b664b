"""Chains of rigid links: dynamics in four formulations, base parameters, identification, linearisation, control.

    from docksim.chain import load_chain
    arm = load_chain("configs/chains/puma560.yaml")

Names are looked up on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docksim import on_first_use

if TYPE_CHECKING:
    from docksim.chain.build import build_chain, load_chain
    from docksim.chain.dynamics.formulations import Dynamics, bias, forward, inverse, mass_matrix
    from docksim.chain.identification.baseparams import BaseParameters, base_parameters
    from docksim.chain.identification.by_energy import identify_by_energy
    from docksim.chain.identification.by_forces import identify
    from docksim.chain.identification.excite import excitation
    from docksim.chain.linear.linearize import linearize_chain
    from docksim.chain.model import ChainModel

__all__ = [
    "BaseParameters",
    "ChainModel",
    "Dynamics",
    "base_parameters",
    "bias",
    "build_chain",
    "excitation",
    "forward",
    "identify",
    "identify_by_energy",
    "inverse",
    "linearize_chain",
    "load_chain",
    "mass_matrix",
]

_HOMES = {
    "BaseParameters": "docksim.chain.identification.baseparams",
    "base_parameters": "docksim.chain.identification.baseparams",
    "ChainModel": "docksim.chain.model",
    "build_chain": "docksim.chain.build",
    "load_chain": "docksim.chain.build",
    **dict.fromkeys(("Dynamics", "bias", "forward", "inverse", "mass_matrix"), "docksim.chain.dynamics.formulations"),
    "excitation": "docksim.chain.identification.excite",
    "identify": "docksim.chain.identification.by_forces",
    "identify_by_energy": "docksim.chain.identification.by_energy",
    "linearize_chain": "docksim.chain.linear.linearize",
}
__getattr__ = on_first_use(__name__, _HOMES)
