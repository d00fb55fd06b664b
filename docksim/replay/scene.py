"""What there is to see in a scenario: solids on bodies, links between them, latches, names, and where to look from.

Everything is given once, in the frame of the body that carries it; the tracks of a run then move the bodies.
Interfaces, rings and legs have the sizes of the scenario.

Bodies are shown by the shapes they were given. Those without have stand-ins: solids of even density with the body's
own mass and inertia. A body with two equal principal moments becomes a cylinder, any other one a brick; a body whose
inertia no solid of its mass can have keeps a small least thickness. Where a body's mass centre and inertia are those
of a real vehicle, the stand-in has about its size; it says nothing of its looks. A vehicle whose stand-in reaches
ahead of its port (a station, say) is shown by the edges of it and by a module behind the port.
"""

from __future__ import annotations

import numpy as np

from docksim.compiler.assembly import Assembly, assemble
from docksim.compiler.closures import closure_table
from docksim.compiler.contact import PairPart, pair_parts
from docksim.compiler.parts import BodyPart, Marker, Place
from docksim.config.schema.interface import Interface
from docksim.config.schema.placement import ports_of
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Beam, Port
from docksim.config.schema.visuals import Visual
from docksim.drawing import interface as shape
from docksim.drawing.meshes import Mesh, box, revolved, rod, washer
from docksim.drawing.visuals import NoMesh, surface
from docksim.replay.leg_sights import add_legs
from docksim.replay.sights import COLOURS, DARK, GREY, LatchSight, Link, Part, Point, Scene

EQUAL = 0.12  # moments that differ by less are called equal
THINNEST = 0.015  # of the largest size


def build_scene(scenario: Scenario) -> Scene:
    """Everything that can be seen."""
    assembly = assemble(scenario)
    scene = Scene([body.name for body in assembly.bodies[1:]], list(scenario.vehicles), markers=assembly.markers)
    _add_pairs(scene, scenario, assembly)
    for number, name in enumerate(scenario.vehicles):
        _add_vehicle(scene, scenario, assembly, number, name)
    for mechanism in assembly.mechanisms:
        add_legs(scene, assembly, mechanism)
    _add_closures(scene, scenario, assembly)
    return scene


# ---------------------------------------------------------------- vehicles


def _add_vehicle(scene: Scene, scenario: Scenario, assembly: Assembly, number: int, name: str) -> None:
    vehicle, colour = scenario.vehicles[name], COLOURS[number % len(COLOURS)]
    beams = {f"{name}.{key}": beam for key, beam in vehicle.beams.items()}
    rings = {mechanism.body for mechanism in assembly.mechanisms}
    for index, body in enumerate(assembly.bodies[1:]):
        if body.name != name and not body.name.startswith(f"{name}."):
            continue
        owner, _, piece = body.name.rpartition(".")
        if owner in beams:
            scene.parts.append(Part(index, _segment(beams[owner], int(piece)), colour, "beam", 1.0, number))
        elif body.name == name:
            _add_hull(scene, scenario, assembly, number, index)
        elif index + 1 not in rings:
            given = vehicle.bodies.get(body.name.split(".", 1)[1])
            _add_body(scene, index, body, given.visuals if given is not None else [], colour, number)
    ports = ports_of(vehicle)
    docks = vehicle.mechanism is not None or any(port.interface is not None for port, *_ in ports.values())
    for key, (port, carrier, _) in ports.items():
        # bare ports of bodies with a look of their own are frames on them
        looks = carrier in vehicle.bodies and vehicle.bodies[carrier].visuals
        if port.interface is not None or not (docks or looks):
            _add_port(scene, assembly.markers[f"{name}.{key}"], port, colour, number)


def _add_body(scene: Scene, index: int, body: BodyPart, shapes: list[Visual], colour: str, number: int) -> None:
    """By its shapes, as far as they can be had, or by its inertia; a massless body without is not seen."""
    meshes = []
    for shape_given in shapes:
        try:
            mesh = surface(shape_given)
        except NoMesh as error:
            scene.notes += [str(error)] if str(error) not in scene.notes else []
            continue
        meshes.append(Part(index, mesh, shape_given.colour or colour, "body", 1.0, number))
    if not meshes and body.mass > 0.0 and np.any(body.inertia):
        meshes.append(Part(index, stand_in(body), colour, "body", 0.9, number))
    scene.parts += meshes


def _segment(beam: Beam, piece: int) -> Mesh:
    """One rigid segment of a beam in its own frame, which lies at its hinge."""
    length = beam.length_m / beam.segments
    end = 0.5 * length if piece in (0, beam.segments) else length
    thin = 0.004 * beam.length_m
    half_width, half_height = 0.5 * max(beam.width_m, thin), 0.5 * max(beam.thickness_m, thin)
    return box((0.0, -half_width, -half_height), (0.985 * end, half_width, half_height))


def _add_hull(scene: Scene, scenario: Scenario, assembly: Assembly, number: int, index: int) -> None:
    """The base body, and what carries its interfaces and its mechanism."""
    body, colour = assembly.bodies[index + 1], COLOURS[number % len(COLOURS)]
    hull = stand_in(body)
    mounts = _mounts(scenario, assembly, index, body.name)
    # does it reach ahead of a port, along its axis?
    reaches = [((hull.vertices - np.asarray(place.position)) @ place.axes[:, 0]).max() for place, _, _ in mounts]
    deep = any(reach > -back for reach, (_, _, back) in zip(reaches, mounts, strict=True))
    scene.parts.append(Part(index, hull, colour, "frame" if deep else "hull", 0.35 if deep else 0.22, number))
    for place, radius, back in mounts:
        tube = washer(0.985 * radius, 1.05 * radius, -back - 1.1 * radius, -back)
        scene.parts.append(Part(index, tube.moved(place.position, place.axes), GREY, "mount", 0.45, number))
        if deep:
            module = _module(2.4 * radius, 8.0 * radius, 1.05 * radius).moved((-back - 1.1 * radius, 0.0, 0.0))
            scene.parts.append(Part(index, module.moved(place.position, place.axes), colour, "hull", 0.25, number))
    x, y, z = body.com
    scene.labels.append((index, (x, y, z + 0.5 * float(np.ptp(hull.vertices[:, 2]))), body.name))


def _mounts(scenario: Scenario, assembly: Assembly, index: int, name: str) -> list[tuple[Place, float, float]]:
    """Frame, radius, and distance behind the frame at which the vehicle begins."""
    mounts = []
    for key, (port, *_) in ports_of(scenario.vehicles[name]).items():
        marker = assembly.markers[f"{name}.{key}"]
        if marker.body == index + 1 and port.interface is not None:
            face = port.interface.face
            mounts.append((marker.place, shape.radius(port.interface), face.depth_m if face else 0.0))
    for mechanism in assembly.mechanisms:
        joint = assembly.joints[mechanism.joint]
        if joint.pred == index + 1:
            joints = np.array([leg.base_joint_m for leg in mechanism.legs])
            radius = float(np.hypot(joints[:, 1], joints[:, 2]).max())
            mounts.append((joint.F, 1.06 * radius, 0.05 * radius - float(joints[:, 0].min())))
    return mounts


def _module(radius: float, length: float, neck: float) -> Mesh:
    """A closed cylinder behind the origin, along -x, with a cone in front of it."""
    cone = 0.45 * radius
    return revolved([(-length, 0.0), (-length, radius), (-cone, radius), (0.0, neck)])


def _add_port(scene: Scene, marker: Marker, port: Port, colour: str, number: int) -> None:
    body, place = marker.body - 1, marker.place
    if port.interface is None:
        # a bare port: a thin ring that says where it is
        size = 0.3
        mesh = washer(0.9 * size, size, -0.02 * size, 0.02 * size).moved(place.position, place.axes)
        scene.parts.append(Part(body, mesh, DARK, "port", 0.5, number))
        return
    solid = shape.solid(port.interface).moved(place.position, place.axes)
    scene.parts.append(Part(body, solid, colour, "interface", 1.0, number))
    for blocks in (shape.strikers(port.interface), shape.brackets(port.interface)):
        if len(blocks.vertices):
            scene.parts.append(Part(body, blocks.moved(place.position, place.axes), DARK, "interface", 1.0, number))


# ---------------------------------------------------------------- pairs and latches


def _add_pairs(scene: Scene, scenario: Scenario, assembly: Assembly) -> None:
    """Pairs that may touch, their latches, and what the cameras look at."""
    scene.pairs = pair_parts(scenario)
    for index, pair in enumerate(scene.pairs):
        markers = tuple(assembly.markers[port] for port in pair.pair.ports)
        scene.pair_markers.append((markers[0], markers[1]))
        if pair.latches is not None:
            side = 0 if pair.latches[2] else 1
            _add_latches(scene, index, pair, pair.interfaces[side], markers[side])
    if scene.pairs:
        scene.focus = scene.pair_markers[0]
        scene.focus_radius = max(shape.radius(interface) for interface in scene.pairs[0].interfaces)
    else:
        welds = [joint for joint in assembly.joints if joint.is_weld]
        if welds:
            scene.focus = Marker(welds[0].pred, welds[0].F), Marker(welds[0].succ, welds[0].M)
            scene.focus_radius = 0.6 * max(_size(assembly, marker) for marker in scene.focus)
        elif assembly.mechanisms:
            ring = Marker(assembly.mechanisms[0].body, Place())
            joint = assembly.joints[assembly.mechanisms[0].joint]
            scene.focus = ring, Marker(joint.pred, joint.F)
        if scene.focus is not None and assembly.mechanisms:
            joints = np.array([leg.ring_joint_m for leg in assembly.mechanisms[0].legs])
            scene.focus_radius = 1.1 * float(np.hypot(joints[:, 1], joints[:, 2]).max())


def _size(assembly: Assembly, marker: Marker) -> float:
    """Radius of the stand-in of the body that carries a port."""
    body = assembly.bodies[marker.body]
    return float(np.linalg.norm(stand_in(body).vertices - np.asarray(body.com), axis=1).max())


def _add_latches(scene: Scene, index: int, pair: PairPart, interface: Interface, marker: Marker) -> None:
    place = marker.place
    for number, hook in enumerate(shape.hooks(interface)):
        position = np.asarray(place.position) + place.axes @ hook.position
        failed = number + 1 in pair.pair.failed_latches
        scene.latches.append(LatchSight(index, number, marker.body - 1, position, place.axes @ hook.axes, failed))


# ---------------------------------------------------------------- closures


def _add_closures(scene: Scene, scenario: Scenario, assembly: Assembly) -> None:
    """A block where each closure is held on its first end; a rod that is there from the start is a rod."""
    for closure, row in zip(scenario.closures.values(), closure_table(scenario, assembly), strict=False):
        size = 0.04
        block = box([-size] * 3, [size] * 3).moved(row.p_aA, row.R_aA.reshape(3, 3))
        scene.parts.append(Part(int(row.a) - 1, block, DARK, "port", 1.0, 0))
        ends = ((row.a, row.p_aA), (row.b, row.p_bB))
        if closure.kind == "rod" and closure.length_m is not None and closure.on:
            first, second = (Point(int(k) - 1, (float(p[0]), float(p[1]), float(p[2]))) for k, p in ends)
            scene.links.append(Link(first, second, rod(closure.length_m, 0.5 * size), GREY))


# ---------------------------------------------------------------- stand-ins


def stand_in(body: BodyPart) -> Mesh:
    """In the body's frame."""
    moments, axes = principal_axes(body.inertia)
    # the axis of symmetry; none if all three moments differ, the first one if all are equal
    others = [(moments[(axis + 1) % 3], moments[(axis + 2) % 3]) for axis in range(3)]
    odd = next((axis for axis, (a, b) in enumerate(others) if abs(a - b) < EQUAL * max(a, b)), None)
    if odd is None:
        half = 0.5 * brick(body.mass, moments)
        return box((-half).tolist(), half.tolist()).moved(body.com, axes)
    length, radius = cylinder(body.mass, moments, odd)
    order = [odd, (odd + 1) % 3, (odd + 2) % 3]
    return rod(length, radius, 48).moved((-0.5 * length, 0.0, 0.0)).moved(body.com, axes[:, order])


def principal_axes(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moments and right-handed axes, as columns, each nearest to the body axis of its number."""
    moments, vectors = np.linalg.eigh(inertia)
    left, order = [0, 1, 2], []
    for axis in range(3):
        order.append(max(left, key=lambda k: abs(vectors[axis, k])))
        left.remove(order[-1])
    moments, axes = moments[order], vectors[:, order]
    axes = axes * np.where(np.diag(axes) < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return moments, axes


def brick(mass: float, moments: np.ndarray) -> np.ndarray:
    """(3,) lengths of the sides [m]."""
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass
    sizes = np.sqrt(np.clip(squares, 0.0, None))
    return np.maximum(sizes, THINNEST * sizes.max())


def cylinder(mass: float, moments: np.ndarray, axis: int) -> tuple[float, float]:
    """Length and radius [m]."""
    across = 0.5 * (moments[(axis + 1) % 3] + moments[(axis + 2) % 3])
    radius = float(np.sqrt(2.0 * moments[axis] / mass))
    length = float(np.sqrt(max(12.0 * across / mass - 3.0 * radius * radius, 0.0)))
    largest = max(length, 2.0 * radius)
    return max(length, THINNEST * largest), max(radius, 0.5 * THINNEST * largest)
