"""A URDF as the content of a chain file, each value with its line.

The root link stands on the base. Links on fixed joints become part of the link that carries them: their masses are
added, and their names stay as frames on it. revolute, continuous and prismatic joints move. Left out: collision
geometry, transmissions, safety controllers, and whatever simulators add.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docksim.config.errors import Problem, ScenarioError, one_of, unknown
from docksim.config.loading.urdf_joints import joint_keys, type_fault
from docksim.config.loading.urdf_shapes import materials, visuals
from docksim.config.loading.urdf_values import Values
from docksim.config.loading.xml_elements import Element, read_xml
from docksim.config.rigid import Mass, Pose
from docksim.config.schema.fields import NAME_PATTERN
from docksim.config.tree import Entry

SUFFIXES = (".urdf", ".xacro")


@dataclass(frozen=True)
class UrdfChoice:
    """Which joints move: those on the way to the tip, if one is named, and none of those to be held."""

    tip: str | None = None
    fix: tuple[str, ...] = ()


@dataclass
class Group:
    """A link that moves, or the root, with all that is fixed to it."""

    link: Element
    joint: Element | None
    carrier: str  # name of the link that carries the joint
    place: Pose
    mass: Mass = field(default_factory=Mass)
    frames: dict[str, Pose] = field(default_factory=dict)
    leaves: list[str] = field(default_factory=list)  # frames that carry nothing
    shapes: list[dict[str, Any]] = field(default_factory=list)
    carries: list[str] = field(default_factory=list)
    geometry: bool = False


def urdf_mapping(text: str, file: str, folder: Path, choice: UrdfChoice, notes: list[str]) -> Entry:
    """The content of a chain file. ScenarioError with every problem; `notes` get what a user should know."""
    problems: list[Problem] = []
    robot = read_xml(text, file)
    reading = _Urdf(Values(file, problems), robot, folder, choice, notes)
    content = reading.chain()
    if problems:
        raise ScenarioError(problems)
    return content


class _Urdf:
    """One file on its way."""

    def __init__(self, values: Values, robot: Element, folder: Path, choice: UrdfChoice, notes: list[str]) -> None:
        self.values, self.robot, self.folder, self.choice, self.notes = values, robot, folder, choice, notes
        if robot.tag != "robot":
            raise values.stop(robot, "", f"<{robot.tag}> is no URDF; its outermost element is <robot>")
        if any(part.tag.startswith("xacro:") for part in robot.children):
            text = "is written in xacro; expand it first: xacro FILE > arm.urdf"
            raise values.stop(robot, "", text)
        self.links = self._by_name("link")
        self.joints = self._by_name("joint")
        self.above: dict[str, Element] = {}  # the joint that carries a link
        self.below: dict[str, list[Element]] = {name: [] for name in self.links}
        self.root = self._tree()
        self.moving = self._moving()
        self.groups: dict[str, Group] = {}

    # ------------------------------------------------------------ the tree

    def _by_name(self, tag: str) -> dict[str, Element]:
        elements: dict[str, Element] = {}
        for part in self.robot.all(tag):
            name = self.values.name(part, f"<{tag}>")
            if name in elements:
                text = f"is the name of another {tag} in line {elements[name].line}; names are unique"
                self.values.fault(part, f"{tag} '{name}'", text)
            elements[name] = part
        if tag == "link" and not elements:
            raise self.values.stop(self.robot, "", "has no <link>")
        return elements

    def _tree(self) -> str:
        """The root; a problem where links do not form a tree."""
        for name, joint in self.joints.items():
            ends = {}
            for side in ("parent", "child"):
                part = joint.first(side)
                ends[side] = part.attributes.get("link", "") if part is not None else ""
                if ends[side] not in self.links:
                    text = unknown("link", ends[side], self.links) if ends[side] else "give one, as link='NAME'"
                    self.values.fault(part or joint, f"joint '{name}'", f"<{side}>: {text}")
            if not set(ends.values()) <= set(self.links):
                continue
            if ends["child"] in self.above:
                other = self.above[ends["child"]].attributes.get("name")
                text = f"carries '{ends['child']}', as '{other}' does; links that close a loop are not read: remove one"
                self.values.fault(joint, f"joint '{name}'", text)
                continue
            self.above[ends["child"]] = joint
            self.below[ends["parent"]].append(joint)
        if self.values.problems:
            raise ScenarioError(self.values.problems)
        roots = [name for name in self.links if name not in self.above]
        if not roots:
            first = next(iter(self.links))
            text = f"carries itself, over {one_of(self._way(first)[:6])}; no link stands on nothing: remove one joint"
            raise self.values.stop(self.links[first], f"link '{first}'", text)
        if len(roots) > 1:
            text = f"has {len(roots)} roots: {one_of(roots[:6])}; one link carries all others, so join them"
            raise self.values.stop(self.links[roots[1]], "", text)
        reached = self._reached(roots)
        loose = next((name for name in self.links if name not in reached), None)
        if loose is not None:
            text = f"carries itself, over {one_of(self._way(loose)[:6])}; one of these joints must hang on the root"
            raise self.values.stop(self.links[loose], f"link '{loose}'", text)
        return roots[0]

    def _reached(self, roots: list[str]) -> set[str]:
        reached, waiting = set(roots), list(roots)
        while waiting:
            children = [_end(joint, "child") for joint in self.below[waiting.pop()]]
            reached |= set(children)
            waiting += children
        return reached

    def _way(self, link: str) -> list[str]:
        """Names of the joints from a link towards the root, the nearest first; each once."""
        way: list[str] = []
        while link in self.above:
            name = self.above[link].attributes["name"]
            if name in way:
                break
            way.append(name)
            link = _end(self.above[link], "parent")
        return way

    def _moving(self) -> set[str]:
        """Names of the joints that move."""
        tip = self.choice.tip
        if tip is not None and tip not in self.links:
            raise self.values.stop(self.robot, "tip", unknown("link", tip, self.links))
        for name in self.choice.fix:
            if name not in self.joints:
                raise self.values.stop(self.robot, "fix", unknown("joint", name, self.joints))
        names = set(self._way(tip)) if tip is not None else set(self.joints)
        names -= set(self.choice.fix)
        for name in sorted(names):
            fault = type_fault(self.joints[name].attributes.get("type", ""))
            if fault is not None:
                self.values.fault(self.joints[name], f"joint '{name}'", fault)
        if self.values.problems:
            raise ScenarioError(self.values.problems)
        return {name for name in names if self.joints[name].attributes["type"] != "fixed"}

    # ------------------------------------------------------------ links that move, with what is fixed to them

    def chain(self) -> Entry:
        """The content of a chain file."""
        colours = materials(self.values, self.robot)
        waiting: list[tuple[str, str, Pose]] = [(self.root, self.root, Pose())]
        while waiting:
            link, carrier, place = waiting.pop()
            self._add(link, carrier, place, colours)
            for joint in reversed(self.below[link]):
                name = joint.attributes["name"]
                there = place.then(self.values.pose(joint, f"joint '{name}'"))
                child = _end(joint, "child")
                if name in self.moving:
                    self.groups[child] = Group(self.links[child], joint, carrier, there)
                    self.groups[carrier].carries.append(child)
                    waiting.append((child, child, Pose()))
                else:
                    waiting.append((child, carrier, there))
        if len(self.groups) == 1:
            raise self.values.stop(self.robot, "", "has no joint that moves; a chain has one at least")
        return self._entry()

    def _add(self, link: str, carrier: str, place: Pose, colours: dict[str, str]) -> None:
        """A link to the group of its carrier, in whose frame it lies at `place`."""
        element, where = self.links[link], f"link '{link}'"
        group = self.groups.setdefault(carrier, Group(element, None, "", Pose()))
        group.mass = group.mass.with_other(self.values.mass(element, where).seen_from(place))
        group.shapes += visuals(self.values, element, place, colours, self.folder, self.notes)
        group.geometry = group.geometry or bool(element.first("visual") or element.first("collision"))
        if link != carrier:
            group.frames[link] = place
            if not self.below[link]:
                group.leaves.append(link)

    def _entry(self) -> Entry:
        root, *links = self.groups
        names = self._names()
        bodies = {names[link]: self._body(link, root, names) for link in self._in_order(root)}
        assert len(bodies) == len(links)
        stands = self.groups[root]
        content: dict[str, Any] = {"source": f"URDF '{self.robot.attributes.get('name', '')}'"}
        if stands.mass.mass > 0.0 or stands.shapes:
            content["root"] = {"name": names[root], **stands.mass.keys(), **self._sights(stands)}
        return self.values.entry({**content, "bodies": bodies}, self.robot)

    def _in_order(self, root: str) -> list[str]:
        """Moving links, parents first, branch by branch."""
        order, waiting = [], [root]
        while waiting:
            order.append(waiting.pop())
            waiting += self.groups[order[-1]].carries
        return order[1:]

    def _names(self) -> dict[str, str]:
        """Names as docksim can have them."""
        names: dict[str, str] = {}
        for link, group in self.groups.items():
            self.values.whole(group.mass, self.links[link], list(group.frames))
            names[link] = self._clean(link)
            if list(names.values()).count(names[link]) > 1:
                text = (
                    f"'{names[link]}' is the name of another link, once written with letters, digits and _; rename it"
                )
                self.values.fault(self.links[link], f"link '{link}'", text)
        return names

    def _clean(self, name: str) -> str:
        if re.match(NAME_PATTERN, name):
            return name
        clean = re.sub(r"[^A-Za-z0-9_]", "_", name)
        clean = clean if re.match(NAME_PATTERN, clean) else f"_{clean}"
        self.notes.append(f"link '{name}' is called '{clean}'")
        return clean

    def _sights(self, group: Group) -> dict[str, Any]:
        frames = {self._clean(name): pose.keys() for name, pose in group.frames.items()}
        return {**({"frames": frames} if frames else {}), **({"visuals": group.shapes} if group.shapes else {})}

    def _body(self, link: str, root: str, names: dict[str, str]) -> Entry:
        group, where = self.groups[link], f"link '{link}'"
        assert group.joint is not None
        joint = joint_keys(
            self.values, group.joint, group.place, f"joint '{group.joint.attributes['name']}'", self.notes
        )
        if group.mass.mass == 0.0 and (group.geometry or not group.carries):
            text = f"moves on joint '{group.joint.attributes['name']}' and has no mass; give it <inertial>, or hold"
            self.values.fault(group.link, where, f"{text} the joint (--fix)")
        keys: dict[str, Any] = {} if group.carrier == root else {"parent": names[group.carrier]}
        keys |= {**group.mass.keys(), "joint": self.values.entry(joint, group.joint), **self._sights(group)}
        end = self._end(link, group)
        return self.values.entry({**keys, "end": end.keys()} if end is not None else keys, group.link)

    def _end(self, link: str, group: Group) -> Pose | None:
        """The far end of a link: the tip, or the one frame at the end of a branch."""
        if self.choice.tip in group.frames:
            return group.frames[self.choice.tip or ""]
        if self.choice.tip is not None or group.carries or not group.leaves:
            return None
        if len(group.leaves) > 1:
            named = one_of(group.leaves)
            self.notes.append(f"link '{link}' ends in several frames ({named}); --tip makes one of them the tool's")
            return None
        return group.frames[group.leaves[0]]


def _end(joint: Element, side: str) -> str:
    part = joint.first(side)
    assert part is not None
    return part.attributes["link"]
