"""Pins, holes, hooks and seals that cannot be: each is refused with the file, the line and the key that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from docksim.cli.check import examine
from docksim.config import ScenarioError, load_scenario

FRAMES = """\
vehicles:
  chaser:
    mass_kg: 7000.0
    inertia_kg_m2: [9000.0, 20000.0, 22000.0]
    ports:
      nose:
        position_m: [2.0, 0.0, 0.0]
        interface:
          pins:
            count: 2
            first_azimuth_deg: 30.0
            radius_m: 0.65
            pin_m: 0.015
            cylinder_m: 0.02
            nose_m: 0.005
        hooks:
          reach_m: 0.005
          window_m: 0.0015
          tilt_deg: 0.2
          roll_deg: 0.16
          rate_m_s: 0.003
          count: 8
          radius_m: 0.5
          stiffness_N_m: 5.0e+7
          preload_N: 24500.0
          face_stiffness_N_m: 4.0e+8
          seal:
            radius_m: 0.42
            force_N: 22000.0
            compression_m: 0.0012
  station:
    mass_kg: 400000.0
    inertia_kg_m2: [2.0e+7, 2.0e+7, 2.0e+7]
    ports:
      dock:
        position_m: [10.0, 0.0, 0.0]
        interface:
          holes:
            count: 2
            first_azimuth_deg: 150.0
            radius_m: 0.65
            bore_m: 0.01625
            chamfer_m: 0.01
            depth_m: 0.06
contacts:
  frames:
    ports: [chaser.nose, station.dock]
approach: {active: chaser.nose, passive: station.dock, distance_m: 0.1, closing_rate_m_s: 0.01}
events:
  hooks:
    when: {in_reach: [chaser.nose, station.dock]}
    do: {join: [chaser.nose, station.dock]}
solver: {duration_s: 1.0}
"""
NOSE, DOCK = "vehicles.chaser.ports.nose", "vehicles.station.ports.dock"
DOCK_HOOKS = """hooks: {reach_m: 0.01, window_m: 0.003, tilt_deg: 1.0, roll_deg: 2.0, rate_m_s: 0.01}
        interface:
          holes:"""
RODS = "rods: {radius_m: 0.45, compressed_N: 500.0, extended_N: 130.0, stroke_m: 0.04}\n          seal:"
# what is written for what; then the line that is told, by how it begins, the key, and the words
WRONG = [
    # pins that overlap: each other, and a hole of their own
    ("count: 2\n            first_azimuth_deg: 30.0", "azimuths_deg: [30.0, 31.0]",
     "azimuths_deg", f"{NOSE}.interface.pins.azimuths_deg", "pins 1 and 2 are 11.34 mm apart and overlap; they need"),
    ("pins:", "holes: {azimuths_deg: [31.0], radius_m: 0.65, bore_m: 0.016, depth_m: 0.06}\n          pins:",
     "pins:", f"{NOSE}.interface.pins", "pin 1 and hole 1 are 11.34 mm apart and overlap"),
    # a hole smaller than its pin
    ("bore_m: 0.01625", "bore_m: 0.0149",
     "ports: [chaser", "contacts.frames.ports", "15 mm in radius, does not fit into its hole of station.dock, 14.9 mm"),
    # windows that ports within the play of their pins may miss, at either port: the tighter one counts
    ("window_m: 0.0015", "window_m: 0.0012",
     "window_m", f"{NOSE}.hooks.window_m", "0.0012 m is less than the 0.00125 m that guide pins leave"),
    ("roll_deg: 0.16", "roll_deg: 0.1",
     "roll_deg", f"{NOSE}.hooks.roll_deg", "0.1 deg is less than the 0.11 deg that guide pins leave"),
    ("interface:\n          holes:", DOCK_HOOKS.replace("0.003", "0.001"),
     "hooks: {reach", f"{DOCK}.hooks.window_m", "0.001 m is less than the 0.00125 m that guide pins leave"),
    # seals and hooks that do not go together
    ("compression_m: 0.0012", "compression_m: 0.005",
     "seal:", f"{NOSE}.hooks.seal", "stands 0.005 m high, not below reach_m, which is 0.005: hooks cannot grip"),
    ("compression_m: 0.0012", "compression_m: 0.0012\n            protrusion_m: 0.0038",
     "seal:", f"{NOSE}.hooks.seal", "stands 0.005 m high, not below reach_m"),
    ("radius_m: 0.42", "radius_m: 0.42\n            between_m: 0.85",
     "between_m", f"{NOSE}.hooks.seal.between_m", "0.85 m is no less than the seal's diameter, 0.84 m"),
    ("preload_N: 24500.0", "preload_N: 2700.0",
     "preload_N", f"{NOSE}.hooks.preload_N", "all 8 hooks are 400 N short of what seal and rods push"),
    ("stiffness_N_m: 5.0e+7", "stiffness_N_m: 2.0e+5",
     "preload_N", f"{NOSE}.hooks.preload_N", "24500 N ask for cams that pull 0.123 m beyond touching faces"),
    ("preload_N: 24500.0", "preload_N: 1.0e+9",
     "preload_N", f"{NOSE}.hooks.preload_N", "1e+09 N ask for cams that pull 20.2 m beyond touching faces, at most"),
    ("rate_m_s: 0.003", "rate_m_s: 0.003\n          drive_s: 1.0e-4",
     "drive_s", f"{NOSE}.hooks.drive_s", "0.0001 s is less than solver.step_s, which is 0.001: cams would jump"),
    ("interface:\n          holes:", DOCK_HOOKS.replace("rate_m_s", "count: 3, radius_m: 1.0, stiffness_N_m: 5.0e+7, "
     "preload_N: 24500.0, face_stiffness_N_m: 4.0e+8, rate_m_s"),
     "hooks: {reach", f"{DOCK}.hooks.count", "chaser.nose has a count too, and only one of the two makes the joint"),
    # rods
    ("seal:", RODS.replace("0.04}", "0.004}"),
     "rods", f"{NOSE}.hooks.rods", "the shortest stroke is 0.004 m, not beyond reach_m, 0.005"),
    ("seal:", RODS.replace("130.0", "600.0"),
     "rods", f"{NOSE}.hooks.rods.extended_N", "600 is more than compressed_N; a rod weakens as it extends"),
    ("seal:", RODS.replace("0.04}", "0.04, force_factors: [1.1]}"),
     "rods", f"{NOSE}.hooks.rods.force_factors", "has 1 factors; there are 4 rods"),
    # hooks by number, and keys that are not there
    ("count: 8", "count: 8\n          failed_hooks: [9]",
     "failed_hooks", f"{NOSE}.hooks.failed_hooks", "there is no hook 9; count is 8"),
    ("count: 8", "count: 8\n          late_hooks: [{hook: 1, by_s: 1.0}, {hook: 1, by_s: 2.0}]",
     "late_hooks", f"{NOSE}.hooks.late_hooks", "names hook 1 twice"),
    ("count: 8", "count: 8\n          late_to_open: [{hook: 9, by_s: 1.0}]",
     "late_to_open", f"{NOSE}.hooks.late_to_open", "there is no hook 9; count is 8"),
    ("count: 8", "count: 8\n          needed: 9",
     "needed", f"{NOSE}.hooks.needed", "9 is more than count, which is 8"),
    ("          count: 8\n", "",
     "seal:", f"{NOSE}.hooks.seal", "needs 'count': hooks without it close at once and pull with nothing"),
    ("preload_N: 24500.0", "preload_kN: 24.5",
     "preload_kN", f"{NOSE}.hooks.preload_kN", "preload_N"),
    ("pin_m: 0.015", "pin_mm: 15.0",
     "pin_mm", f"{NOSE}.interface.pins.pin_mm", "pin_m"),
]  # fmt: skip


def test_the_frames_that_are_broken_here_are_in_order(tmp_path: Path) -> None:
    file = tmp_path / "frames.yaml"
    file.write_text(FRAMES)
    assert load_scenario(file).vehicles["chaser"].ports["nose"].hooks is not None
    file.write_text(FRAMES.replace("interface:\n          holes:", DOCK_HOOKS).replace("seal:", RODS))
    load_scenario(file)


@pytest.mark.parametrize(("old", "new", "begins", "key", "words"), WRONG, ids=[words[:40] for *_, words in WRONG])
def test_frames_that_cannot_be_are_refused_with_file_line_and_key(
    tmp_path: Path, old: str, new: str, begins: str, key: str, words: str
) -> None:
    assert old in FRAMES
    text = FRAMES.replace(old, new, 1)
    file = tmp_path / "frames.yaml"
    file.write_text(text)
    with pytest.raises(ScenarioError) as told:
        load_scenario(file)
    found = {problem.key: problem for problem in told.value.problems}
    assert key in found, str(told.value)
    assert words in found[key].message
    line = next(n for n, row in enumerate(text.splitlines(), start=1) if row.strip().startswith(begins))
    assert str(found[key]).startswith(f"{file}:{line}: {key}: ")


def test_check_warns_of_pins_that_no_contact_pair_has(tmp_path: Path) -> None:
    file = tmp_path / "frames.yaml"
    told = "the guide pins of chaser.nose and station.dock pass through each other: no contact pair has the two"
    for text, expected in (
        (FRAMES, 0),
        (FRAMES.replace("contacts:\n  frames:\n    ports: [chaser.nose, station.dock]\n", ""), 1),
    ):
        file.write_text(text)
        found = examine(str(file))
        assert not found.problems
        assert sum(told in warning["text"] for warning in found.warnings) == expected
