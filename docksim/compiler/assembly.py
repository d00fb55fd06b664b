"""Vehicles to one parts list: all bodies of all vehicles in one array, parents before children."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from docksim.algebra.joints import FREE, REVOLUTE
from docksim.algebra.vec3 import ZERO
from docksim.compiler.approach import Placement, VehicleStart, starts
from docksim.compiler.beam import beam_parts
from docksim.compiler.joints import joint_part
from docksim.compiler.mechanism import MechanismPart, mechanism_part, ring_parts
from docksim.compiler.parts import (
    BodyPart,
    Coordinate,
    JointPart,
    Marker,
    Place,
    placed,
    six_coordinates,
    within,
)
from docksim.compiler.reference import Reference, with_reference
from docksim.config.schema.actions import JettisonAction, JoinAction, SeparateAction
from docksim.config.schema.leg_geometry import unit
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Beam, Body, MountedMechanism, Port, Vehicle, Wheel

RPM = 2.0 * np.pi / 60.0


@dataclass
class Assembly:
    """Parts by index, and their names. Body 0 is the world; body k hangs on joint k - 1 at the start."""

    bodies: list[BodyPart] = field(default_factory=lambda: [BodyPart("world", 0.0, ZERO, np.zeros((3, 3)))])
    joints: list[JointPart] = field(default_factory=list)
    markers: dict[str, Marker] = field(default_factory=dict)  # ports, by reference
    frames: dict[str, Marker] = field(default_factory=dict)  # bodies and beam tips, by reference
    mechanisms: list[MechanismPart] = field(default_factory=list)
    root_slots: list[int] = field(default_factory=list)
    welds: dict[frozenset[str], int] = field(default_factory=dict)
    reference: Reference = field(default_factory=Reference)  # what the roots' coordinates are measured from

    def body_index(self, reference: str) -> int:
        return self.frames[reference].body

    def joint_index(self, reference: str) -> int:
        """A joint goes by the name of its body."""
        return next(i for i, joint in enumerate(self.joints) if joint.name == reference)

    def add(self, name: str, body: BodyPart, joint: JointPart) -> None:
        self.bodies.append(body)
        self.joints.append(joint)
        self.frames[name] = Marker(len(self.bodies) - 1, Place())

    def add_ports(self, owner: str, ports: dict[str, Port], frame: Marker) -> None:
        for name, port in ports.items():
            place = within(frame.place, placed(port.position_m, port.attitude))
            self.markers[f"{owner}.{name}"] = Marker(frame.body, place)


def assemble(scenario: Scenario, placement: Placement | None = None) -> Assembly:
    """All vehicles, against the reference and where the approach puts them, then root slots and welds for events.

    `placement` is where a state that holds at contact does.
    """
    against, reference = with_reference(scenario)
    assembly = Assembly(reference=reference)
    for name, start in starts(against, placement).items():
        _add_vehicle(assembly, name, start)
    actions = [action for event in scenario.events.values() for action in event.do]
    for action in actions:
        if isinstance(action, JettisonAction):
            assembly.root_slots.append(len(assembly.joints))
            assembly.joints.append(JointPart("", FREE, 0, -1, coordinates=six_coordinates()))
    for action in actions:
        if isinstance(action, JoinAction):
            _add_weld(assembly, action.join)
        elif isinstance(action, SeparateAction):
            _add_weld(assembly, action.separate.ports)
    return assembly


def root_joint(name: str, start: VehicleStart, base: int) -> JointPart:
    """From the reference to a vehicle, whose body has the number `base`."""
    position, quaternion = start.base
    coordinates = six_coordinates(start.vehicle.anchored, start.velocity, start.rate, position)
    return JointPart(name, FREE, 0, base, coordinates=coordinates, quaternion=quaternion)


def _add_vehicle(assembly: Assembly, name: str, start: VehicleStart) -> None:
    base, vehicle = len(assembly.bodies), start.vehicle
    root = root_joint(name, start, base)
    assembly.root_slots.append(len(assembly.joints))
    inertia = np.array(vehicle.inertia_kg_m2.matrix())
    assembly.add(name, BodyPart(name, vehicle.mass_kg, vehicle.center_of_mass_m, inertia), root)
    assembly.add_ports(name, vehicle.ports, assembly.frames[name])
    _add_appendages(assembly, name, vehicle)
    for wheel_name, wheel in vehicle.wheels.items():
        _add_wheel(assembly, f"{name}.{wheel_name}", wheel, base)


def _add_appendages(assembly: Assembly, name: str, vehicle: Vehicle) -> None:
    """Bodies and beams in the order of the file, but every parent first."""
    waiting: dict[str, Body | Beam | MountedMechanism] = {**vehicle.bodies, **vehicle.beams}
    if vehicle.mechanism is not None:
        waiting["ring"] = vehicle.mechanism
    while waiting:
        for key, part in list(waiting.items()):
            parent = assembly.frames.get(full_name(name, part.parent))
            if parent is None:
                continue
            del waiting[key]
            if isinstance(part, Beam):
                _add_beam(assembly, f"{name}.{key}", part, parent)
            elif isinstance(part, Body):
                _add_body(assembly, f"{name}.{key}", part, parent)
            else:
                _add_mechanism(assembly, f"{name}.{key}", part, parent)


def full_name(vehicle: str, reference: str) -> str:
    """Reference of a body of the vehicle: "base" is the vehicle itself."""
    return vehicle if reference == "base" else f"{vehicle}.{reference}"


def _add_body(assembly: Assembly, name: str, body: Body, parent: Marker) -> None:
    part = BodyPart(name, body.mass_kg, body.center_of_mass_m, np.array(body.inertia_kg_m2.matrix()))
    joint = joint_part(body.joint, name, parent.body, len(assembly.bodies))
    joint.F = within(parent.place, joint.F)
    assembly.add(name, part, joint)
    assembly.add_ports(name, body.ports, assembly.frames[name])


def _add_beam(assembly: Assembly, name: str, beam: Beam, parent: Marker) -> None:
    bodies, joints, tip = beam_parts(beam, name, parent, len(assembly.bodies))
    for body, joint in zip(bodies, joints):
        assembly.add(body.name, body, joint)
    assembly.frames[f"{name}.tip"] = tip
    assembly.add_ports(name, beam.ports, tip)


def _add_mechanism(assembly: Assembly, name: str, mechanism: MountedMechanism, parent: Marker) -> None:
    """The ring is a body like any other; the legs stay with the mechanism."""
    body = len(assembly.bodies)
    ring, joint = ring_parts(mechanism, name, parent, body, len(assembly.mechanisms))
    assembly.mechanisms.append(mechanism_part(mechanism, name, len(assembly.joints), body))
    assembly.add(name, ring, joint)
    assembly.add_ports(name, mechanism.ports, assembly.frames[name])


def _add_wheel(assembly: Assembly, name: str, wheel: Wheel, base: int) -> None:
    """A thin disc on a frictionless axle; being symmetric it costs no accuracy however fast it spins."""
    x_axis = np.asarray(unit(wheel.axis))
    spin = wheel.spin_inertia_kg_m2
    inertia = spin * (0.5 * np.eye(3) + 0.5 * np.outer(x_axis, x_axis))
    joint = JointPart(name, REVOLUTE, base, len(assembly.bodies), Place(wheel.position_m))
    joint.axis = unit(wheel.axis)
    joint.coordinates = [Coordinate(rate=wheel.speed_rpm * RPM)]
    assembly.add(name, BodyPart(name, wheel.mass_kg, ZERO, inertia), joint)


def _add_weld(assembly: Assembly, ports: tuple[str, str]) -> None:
    """A free joint between two ports, unused until an event joins them; then all its coordinates are locked."""
    pair = frozenset(ports)
    if pair not in assembly.welds:
        a, b = (assembly.markers[port] for port in ports)
        assembly.welds[pair] = len(assembly.joints)
        name = f"{ports[0]}+{ports[1]}"
        joint = JointPart(name, FREE, a.body, b.body, a.place, b.place, coordinates=six_coordinates(True))
        joint.is_weld = True
        assembly.joints.append(joint)
