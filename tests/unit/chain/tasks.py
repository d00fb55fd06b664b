"""Tasks on chains given as dicts, for tests."""

from docksim.config.checks.chain_task import task_faults
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import LoadedTask
from docksim.config.schema.chain_task import ChainTask
from docksim.config.tree import Place

ROD = {"mass_kg": 1.0, "center_of_mass_m": [-0.5, 0, 0], "inertia_kg_m2": [1e-3, 1 / 12, 1 / 12]}
ROW = {"type": "revolute", "alpha_deg": 0.0, "a_m": 1.0, "d_m": 0.0, **ROD}


def task_of(chain, **keys):
    """A checked task on a chain in a file or dict."""
    task, found = ChainTask(chain="chain.yaml", **keys), read_chain(chain)
    assert list(task_faults(task, found)) == []
    return LoadedTask(task, found, "task.yaml", {(): Place("task.yaml", None)})
