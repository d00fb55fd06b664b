"""From a plan file to a checked plan and its setup, or to all that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docksim.config.errors import ScenarioError, unknown
from docksim.config.loading.files import found_file, used_file
from docksim.config.loading.scenario import Loading, load_scenario
from docksim.config.schema import names
from docksim.config.schema.berthing import BerthingPlan
from docksim.config.schema.joints import RevoluteJoint
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Keys, places


def load_berthing(file: str | Path) -> tuple[BerthingPlan, Scenario]:
    """The plan in a file, and its setup."""
    loading = Loading(file)
    with loading.within_depth():
        tree = loading.tree()
        plan = loading.checked(tree, BerthingPlan, lambda _: [])
    folder = found_file(Path(file)).resolve().parent
    setup = load_scenario(used_file(plan.setup, folder, dict(places(tree))[("setup",)], "setup"))
    loading.report(_faults(plan, setup), tree)
    if loading.problems:
        raise ScenarioError(loading.in_order())
    return plan, setup


def _faults(plan: BerthingPlan, setup: Scenario) -> Iterator[tuple[Keys, str]]:
    """What only plan and setup together can tell."""
    known = list(names.ports(setup))
    places: tuple[tuple[Keys, str], ...] = (
        (("arm", "hand"), plan.arm.hand),
        (("cargo", "port"), plan.cargo.port),
        (("cargo", "grapple"), plan.cargo.grapple),
        (("berth",), plan.berth),
    )
    for path, port in places:
        if port not in known:
            yield path, unknown("port", port, known)
    for i, joint in enumerate(plan.arm.joints):
        vehicle, _, body = joint.partition(".")
        bodies = setup.vehicles[vehicle].bodies if vehicle in setup.vehicles else {}
        if body not in bodies:
            every = [f"{name}.{key}" for name, one in setup.vehicles.items() for key in one.bodies]
            yield ("arm", "joints", i), unknown("joint", joint, every)
        elif not isinstance(bodies[body].joint, RevoluteJoint):
            yield ("arm", "joints", i), f"'{joint}' is {bodies[body].joint.type}; an arm's joints are revolute"
    owners = {joint.partition(".")[0] for joint in (*plan.arm.joints, plan.arm.hand, plan.berth)}
    if len(owners) > 1:
        listed = ", ".join(sorted(owners))
        yield ("arm",), f"its joints, its hand and the berth are on {listed}; one vehicle has them all"
    carried = {port.partition(".")[0] for port in (plan.cargo.port, plan.cargo.grapple)}
    if len(carried) > 1 or carried & owners:
        yield ("cargo",), "its two ports are on one vehicle, another one than the arm's"
