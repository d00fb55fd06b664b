"""Values of a URDF's elements: numbers, places, masses, shapes. Faults are collected, and something sound stands in."""

from __future__ import annotations

import math

from docksim.algebra.quat import axis_quat, quat_mul
from docksim.algebra.vec3 import NO_SYM, ZERO, Sym3
from docksim.config.errors import Problem, ScenarioError, one_of, shown
from docksim.config.loading.xml_elements import Element
from docksim.config.rigid import ENTRIES, NO_TURN, Mass, Pose
from docksim.config.schema.inertia import inertia_fault
from docksim.config.tree import Entry, Place


class Values:
    """Reads the elements of one file."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self.file, self.problems = file, problems

    def fault(self, element: Element, where: str, message: str) -> None:
        self.problems.append(Problem(self.file, element.line, where, message))

    def stop(self, element: Element, where: str, message: str) -> ScenarioError:
        self.fault(element, where, message)
        return ScenarioError(self.problems)

    def place(self, element: Element) -> Place:
        return Place(self.file, element.line)

    def entry(self, value: object, element: Element) -> Entry:
        """Plain data as entries of one line."""
        if isinstance(value, Entry):
            return value
        if isinstance(value, dict):
            return Entry({key: self.entry(part, element) for key, part in value.items()}, self.place(element))
        if isinstance(value, (list, tuple)):
            return Entry([self.entry(part, element) for part in value], self.place(element))
        assert value is None or isinstance(value, (bool, int, float, str))
        return Entry(value, self.place(element))

    def name(self, element: Element, where: str, key: str = "name") -> str:
        """A name, or what else must be given."""
        name = element.attributes.get(key, "")
        if not name:
            self.fault(element, where, f"<{element.tag}> has no '{key}'; give one")
        return name

    def numbers(self, element: Element, where: str, key: str, count: int, default: tuple[float, ...]) -> tuple:
        """So many numbers of an attribute."""
        text = element.attributes.get(key)
        if text is None:
            return default
        try:
            numbers = tuple(float(part) for part in text.split())
        except ValueError:
            numbers = ()
        if len(numbers) != count or not all(map(math.isfinite, numbers)) or "_" in text:
            wanted = "a number" if count == 1 else f"{count} numbers"
            self.fault(element, where, f"<{element.tag} {key}>: expected {wanted}, got {shown(text)}")
            return default
        return numbers

    def number(self, element: Element, where: str, key: str, default: float | None = None) -> float | None:
        numbers = self.numbers(element, where, key, 1, ())
        return numbers[0] if numbers else default

    def pose(self, element: Element | None, where: str) -> Pose:
        """By the <origin> inside an element."""
        origin = element.first("origin") if element is not None else None
        if origin is None:
            return Pose()
        position = self.numbers(origin, where, "xyz", 3, ZERO)
        roll, pitch, yaw = rpy = self.numbers(origin, where, "rpy", 3, ZERO)
        turn = quat_mul(axis_quat((0.0, 0.0, 1.0), yaw), axis_quat((0.0, 1.0, 0.0), pitch))
        return Pose(quat_mul(turn, axis_quat((1.0, 0.0, 0.0), roll)) if any(rpy) else NO_TURN, position, rpy)

    def mass(self, link: Element, where: str) -> Mass:
        """By <inertial>; nothing without."""
        inertial = link.first("inertial")
        if inertial is None:
            return Mass()
        part = inertial.first("mass")
        mass = self.number(part, where, "value") if part is not None else None
        if mass is None or mass < 0.0:
            given = "there is none" if mass is None else f"{mass:g} kg is negative"
            self.fault(part or inertial, where, f"<mass value>: {given}; give the link's mass in kg")
            return Mass()
        entries = self._inertia(inertial, where)
        if mass == 0.0 and any(entries):
            self.fault(part or inertial, where, "<mass value>: 0 kg, but it has an inertia; give a mass, or zeros")
            return Mass()
        return Mass(mass, ZERO, entries).seen_from(self.pose(inertial, where))

    def _inertia(self, inertial: Element, where: str) -> Sym3:
        part = inertial.first("inertia")
        if part is None:
            self.fault(inertial, where, "<inertial> has no <inertia>; give ixx, iyy, izz, ixy, ixz, iyz in kg m²")
            return NO_SYM
        xx, yy, zz, xy, xz, yz = (self.number(part, where, f"i{key}", 0.0) or 0.0 for key in ENTRIES)
        return xx, yy, zz, xy, xz, yz

    def whole(self, mass: Mass, link: Element, fixed: list[str]) -> None:
        """Whether a link, with those that are fixed to it, can have its inertia."""
        xx, yy, zz, xy, xz, yz = mass.inertia
        fault = inertia_fault(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) if any(mass.inertia) else None
        if fault:
            inertial = link.first("inertial")
            part = inertial.first("inertia") if inertial is not None else None
            beside = f" with {one_of(fixed[:6])} fixed to it" if fixed else ""
            self.fault(part or link, f"link '{link.attributes['name']}'", f"<inertia>{beside}: {fault}")
