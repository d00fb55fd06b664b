"""What the links of a URDF look like: <visual> elements, as bodies have them, and where their meshes are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from docksim.config.loading.urdf_values import Values
from docksim.config.loading.xml_elements import Element
from docksim.config.rigid import Pose


def materials(values: Values, robot: Element) -> dict[str, str]:
    """Colours that are given names."""
    colours = ((part.attributes.get("name", ""), _colour(values, part)) for part in robot.all("material"))
    return {name: colour for name, colour in colours if colour}


def visuals(
    values: Values, link: Element, place: Pose, colours: dict[str, str], folder: Path, notes: list[str]
) -> list[dict[str, Any]]:
    """The shapes of a link, in the frame in which its own lies at `place`."""
    shapes = []
    where = f"link '{link.attributes.get('name', '')}'"
    for visual in link.all("visual"):
        geometry = visual.first("geometry")
        shape = geometry.children[0] if geometry is not None and geometry.children else None
        keys = _shape(values, shape, where, folder, notes) if shape is not None else None
        if keys is None:
            notes.append(f"{values.file}:{visual.line}: {where}: a <visual> without a known shape is left out")
            continue
        material = visual.first("material")
        colour = _colour(values, material) or colours.get(material.attributes.get("name", "")) if material else None
        shapes.append(
            {**keys, **place.then(values.pose(visual, where)).keys(), **({"colour": colour} if colour else {})}
        )
    return shapes


def _shape(values: Values, shape: Element, where: str, folder: Path, notes: list[str]) -> dict[str, Any] | None:
    if shape.tag == "box":
        return {"type": "box", "size_m": list(values.numbers(shape, where, "size", 3, (1.0, 1.0, 1.0)))}
    if shape.tag == "cylinder":
        radius, length = (values.number(shape, where, key, 1.0) for key in ("radius", "length"))
        return {"type": "cylinder", "radius_m": radius, "length_m": length}
    if shape.tag == "sphere":
        return {"type": "sphere", "radius_m": values.number(shape, where, "radius", 1.0)}
    if shape.tag == "mesh":
        name = values.name(shape, where, "filename")
        file = mesh_path(name, folder)
        if file is None and name:
            text = "no such mesh; replay shows the link by its inertia: mend the path, or put the file there"
            notes.append(f"{values.file}:{shape.line}: {where}: <mesh filename> '{name}': {text}")
        keys: dict[str, Any] = {"type": "mesh", "mesh_file": name[:250] if file is None else os.fspath(file)}
        scale = values.numbers(shape, where, "scale", 3, ())
        return {**keys, "scale": list(scale)} if scale else keys
    return None


def mesh_path(name: str, folder: Path) -> Path | None:
    """The file that a URDF means: package://NAME/PATH is looked for upward from its folder."""
    scheme, _, rest = name.rpartition("://")
    if scheme == "package":
        package, _, inside = rest.partition("/")
        above = [folder, *folder.parents]
        candidates = [*(up / package / inside for up in above), *(up / inside for up in above if up.name == package)]
    else:
        candidates = [folder / rest]
    try:
        return next((path for path in candidates if path.is_file()), None)
    except (OSError, ValueError):
        return None


def _colour(values: Values, material: Element | None) -> str | None:
    part = material.first("color") if material is not None else None
    rgba = values.numbers(part, "<material>", "rgba", 4, ()) if part is not None else ()
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, one))):02x}" for one in rgba[:3]) if rgba else None
