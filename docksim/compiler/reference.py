"""The point that positions and velocities of vehicles are measured from inside a run: it moves uniformly in W.

In free space all such points are alike, but floats are not: 7,000 km from the origin they are 1e-9 m apart, and at
7.5 km/s a kinetic energy rounds to millijoules. A scenario names the point as its `reference`, and places its vehicles
against it. Where it does not, and its vehicles are far away or fast, the point is chosen: the mass centre of their
bases, to a millionth, on each axis where no coordinate of a vehicle loses a bit by it. It stands still if a vehicle is
anchored. In orbit the reference is that of the orbit.

Energies and momenta of a run are those seen from the reference. Whatever is told in W has it added: channels of bodies,
state packets; measured motion has it taken off.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from docksim.algebra.vec3 import ZERO, Vec3
from docksim.config.schema.scenario import FreeSpace, Scenario
from docksim.config.schema.vehicle import Vehicle

FAR = 1e4  # [m] nearer to the origin floats are 2e-12 m apart or less
FAST = 100.0  # [m/s]
GRID = 2.0**-20  # [m], [m/s]
FARTHEST = 2.0**33  # [m], [m/s] beyond it floats are coarser than the grid


@dataclass(frozen=True)
class Reference:
    """Where it is at t = 0, and its velocity, both in W."""

    position: Vec3 = ZERO
    velocity: Vec3 = ZERO

    @property
    def is_origin(self) -> bool:
        return not any((*self.position, *self.velocity))

    def at(self, t: float) -> Vec3:
        """Its position at the time t [s]."""
        (x, y, z), (u, v, w) = self.position, self.velocity
        return (x + u * t, y + v * t, z + w * t)


def with_reference(scenario: Scenario) -> tuple[Scenario, Reference]:
    """The scenario with its vehicles against the reference, and the reference."""
    if scenario.reference is not None:
        return scenario, Reference(scenario.reference.position_m, scenario.reference.velocity_m_s)
    if not isinstance(scenario.environment, FreeSpace):
        return scenario, Reference()
    # an approach places its vehicle later
    coming = scenario.approach.active.partition(".")[0] if scenario.approach is not None else ""
    placed = {name: vehicle for name, vehicle in scenario.vehicles.items() if name != coming}
    reference = _chosen(list(placed.values()))
    if reference.is_origin:
        return scenario, reference
    moved = {name: _against(reference, vehicle) for name, vehicle in placed.items()}
    return scenario.model_copy(update={"vehicles": {**scenario.vehicles, **moved}}), reference


def _chosen(vehicles: list[Vehicle]) -> Reference:
    masses = [vehicle.mass_kg for vehicle in vehicles]
    position = _centre(masses, [vehicle.position_m for vehicle in vehicles], FAR)
    if any(vehicle.anchored for vehicle in vehicles):
        return Reference(position)
    return Reference(position, _centre(masses, [vehicle.velocity_m_s for vehicle in vehicles], FAST))


def _centre(masses: list[float], vectors: list[Vec3], far: float) -> Vec3:
    """Weighted mean on the grid; zero on axes where it is not far, or would cost a bit."""
    x, y, z = (_rounded(masses, list(axis), far) for axis in zip(*vectors, strict=True))
    return (x, y, z)


def _rounded(masses: list[float], values: list[float], far: float) -> float:
    mean = sum(m * x for m, x in zip(masses, values, strict=True)) / sum(masses)
    if not far < abs(mean) < FARTHEST:
        return 0.0
    near = GRID * round(mean / GRID)
    exact = all(Fraction(x) - Fraction(near) == Fraction(x - near) for x in values)
    return near if exact else 0.0


def _against(reference: Reference, vehicle: Vehicle) -> Vehicle:
    x, y, z = (a - b for a, b in zip(vehicle.position_m, reference.position, strict=True))
    u, v, w = (a - b for a, b in zip(vehicle.velocity_m_s, reference.velocity, strict=True))
    return vehicle.model_copy(update={"position_m": (x, y, z), "velocity_m_s": (u, v, w)})
