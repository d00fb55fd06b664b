"""Docking interfaces: what is refused, with key and advice, and what the figures mean."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from docksim.compiler.interface_shapes import shape_of
from docksim.config import ScenarioError, load_interface
from docksim.config.schema.bands import ENDS, Band, ContactBand
from docksim.config.schema.contact_laws import hunt_crossley_factor, restitution
from docksim.config.schema.interface import Contact

IDSS = "configs/interfaces/idss_like.yaml"
# over what the file has
WALTON_BRAUN = {"law": "walton_braun", "restitution": 0.5, "damping_s_m": None}


def faults(**changes: Any) -> list[str]:
    """What is wrong with the IDSS-like interface after changes in its parts."""
    try:
        load_interface({"use": IDSS, **changes})
    except ScenarioError as error:
        return [f"{problem.key}: {problem.message}" for problem in error.problems]
    return []


NONE: dict[str, Any] = {"pawl": None}
ROD = {"start_m": [0.0, 0.0, 0.0], "end_m": [0.0, 0.0, 1.0], "radius_m": 0.1}
PINS = {"count": 2, "radius_m": 0.65, "pin_m": 0.015, "cylinder_m": 0.02, "nose_m": 0.005}
HOLES = {"count": 2, "first_azimuth_deg": 90.0, "radius_m": 0.65, "bore_m": 0.016, "chamfer_m": 0.01, "depth_m": 0.06}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"rim": {"height_m": 0.01}}, "rim.height_m: 0.01 must be at most 0"),
    ({"rim": {"radius_m": 0.0}}, "rim.radius_m: 0.0 must be at least 1e-06"),
    ({"face": {"outer_m": 0.5}}, "face.outer_m: 0.5 must be greater than inner_m, which is 0.6"),
    ({"face": {"points": -1}}, "face.points: -1 must be at least 0"),
    ({"petals": {"count": 0}}, "petals.count: 0 must be at least 1"),
    ({"petals": {"half_angle_deg": 61.0}}, "petals.half_angle_deg: 61.0 deg is too wide: 3 petals overlap beyond 60"),
    ({"petals": {"tip_half_width_m": 0.3}}, "petals.tip_half_width_m: 0.3 m must be clearly less than half the width"),
    ({"petals": {"length_m": 0.9}}, "petals.length_m: 0.9 m takes the tip 0.636396 m inward, past the axis; base_rad"),
    ({"petals": {"cant_deg": 90.0}}, "petals.cant_deg: 90.0 must be at most 85"),
    ({"petals": {"height_m": 0.1}}, "petals.height_m: unknown key"),
    ({"spheres": [{"center_m": [0, 0], "radius_m": 0.1}]}, "spheres.0.center_m: expected a list of 3 numbers"),
    ({"spheres": [{"center_m": [0, 0, 1e9], "radius_m": 0.1}]}, "spheres.0.center_m: [0.0, 0.0, 1000000000.0] is ou"),
    ({"capsules": [{"start_m": [0, 0, 0], "radius_m": 0.1}]}, "capsules.0.end_m: missing"),
    ({"capsules": [{**ROD, "start_m": [0]}]}, "capsules.0.start_m: expected a list of 3 numbers"),
    ({"capsules": [{**ROD, "radius_m": 0.0}]}, "capsules.0.radius_m: 0.0 must be at least 1e-06"),
    ({"capsules": [ROD, {**ROD, "end_m": [0, 0, 1e9]}]}, "capsules.1.end_m: [0.0, 0.0, 1000000000.0] is out of all p"),
    ({"capsules": [{**ROD, "start_m": [0, 0, 200]}]}, "capsules.0.start_m: [0.0, 0.0, 200.0] is out of all proportion"),
    ({"capsules": [{**ROD, "end_m": [0, 0, 0]}]}, "capsules.0.end_m: [0.0, 0.0, 0.0] is at start_m; a capsule has a l"),
    ({"latches": {"pawl_force_table": [[0, 0], [0.012, 20]]}}, "latches.pawl_force_table: excludes pawl, which says"),
    ({"latches": {"pawl": {"ramp_deg": 85.0}}}, "latches.pawl.ramp_deg: a striker does not get over a ramp of 85 deg ag"
     "ainst friction of 5.71 deg; together less than 87 deg: a flatter ramp, or less friction"),
    ({"latches": {"pawl": {"friction": 1.5}}}, "latches.pawl.ramp_deg: a striker does not get over a ramp of 35 deg"),
    ({"latches": {"pawl": {"ramp_deg": 0.0}}}, "latches.pawl.ramp_deg: 0.0 must be at least 1"),
    ({"latches": {"pawl": {"lift_m": -0.006}}}, "latches.pawl.lift_m: -0.006 must be at least 1e-05"),
    ({"latches": {"pawl": {"lift_m": 0.7}}}, "latches.pawl: its lift_m, 0.7, takes it to the axis and beyond; radius"),
    ({"latches": {"pawl": {"nose_m": -0.001}}}, "latches.pawl.nose_m: -0.001 must be at least 0"),
    ({"latches": {"pawl": {"spring_N": 1e9}}}, "latches.pawl.spring_N: 1000000000.0 must be at most 1e+06"),
    ({"latches": {"pawl": {"spring_N": 0.0, "spring_N_m": 0.0, "pivot_friction_N": 0.0}}}, "latches.pawl.spring_N: the"
     " pawl has no spring; give spring_N, spring_N_m or both"),
    ({"latches": {"pawl": {"pivot_friction_N": 13.0}}}, "latches.pawl.pivot_friction_N: 13.0 N is more than spring_N, "
     "12: the pawl would stay lifted; a stronger spring, or less friction"),
    ({"latches": {"pawl": {"presliding_m": 0.002}}}, "latches.pawl.presliding_m: 0.002 m is more than a tenth of the"),
    ({"latches": {"pawl": {"reach_m": 0.005}}}, "latches.pawl.reach_m: 0.005 m is less than lift_m, 0.006: what it ca"),
    ({"latches": {"pawl": {"mass_kg": -1.0}}}, "latches.pawl.mass_kg: -1.0 must be at least 0"),
    ({"latches": {"window_radial_m": 0.008}}, "latches.window_radial_m: 0.008 m is more than the pawl's lift_m, 0.006,"
     " by which it reaches over its striker; leave the key out, and it is the lift"),
    ({"latches": {"holds_N": 19.0}}, "latches.holds_N: 19.0 N is no more than the 19.79 N that its own pawl pushes"),
    ({"latches": {**NONE, "pawl_force_table": [[0, 0], [1e-9, 5]]}}, "latches.pawl_force_table: row [1e-09, 5.0] is"),
    ({"latches": {"holds_N": 0.0}}, "latches.holds_N: 0.0 must be greater than 0"),
    ({"latches": {"holds_N": -5.0}}, "latches.holds_N: -5.0 must be greater than 0"),
    ({"limits": {"compression_N": 7000.0}}, "limits.compression_N: 7000.0 N, which may last, is more than compr"),
    ({"latches": {"play_m": 0.003}}, "latches.play_m: 0.003 m must be at least window_axial_m, which is 0.004; else t"),
    ({"latches": {**NONE, "pawl_force_table": [[0.001, 0], [0.01, 5]]}}, "latches.pawl_force_table: begins at 0.001"),
    ({"latches": {**NONE, "pawl_force_table": [[0, 0], [0.01, 5], [0.01, 6]]}}, "latches.pawl_force_table: does not"),
    ({"latches": {**NONE, "pawl_force_table": [[0, 0], [0.01, -5]]}}, "latches.pawl_force_table: row [0.01, -5.0] p"),
    ({"latches": {**NONE, "pawl_force_table": [[0, 0]]}}, "latches.pawl_force_table: has 1 of the 2 needed"),
    ({"contact": {"friction": -0.1}}, "contact.friction: -0.1 must be at least 0"),
    ({"contact": {"tangential_ratio": 1.5}}, "contact.tangential_ratio: 1.5 must be at most 1"),
    ({"contact": {"law": "hertz"}}, "contact.law: 'hertz' is not known; choose one of hunt_crossley, kelvin_voigt, wa"),
    ({"contact": {"law": "kelvin_voigt"}}, "contact.damping_s_m: belongs to law: hunt_crossley; kelvin_voig"),
    ({"contact": {"law": "kelvin_voigt", "damping_s_m": None}}, "contact.damping_Ns_m: missing; law kelvin_voigt need"),
    ({"contact": {"damping_Ns_m": 5.0}}, "contact.damping_Ns_m: belongs to law: kelvin_voigt; hunt_crossley has dampi"),
    ({"contact": {"adhesive": True}}, "contact.adhesive: belongs to law: kelvin_voigt"),
    ({"contact": {"restitution": 0.5}}, "contact.restitution: excludes damping_s_m; give one of them"),
    ({"contact": {"damping_s_m": None, "restitution": 0.5}}, "contact.restitution: needs impact_speed_m_s beside it"),
    ({"contact": {"impact_speed_m_s": 0.5}}, "contact.impact_speed_m_s: needs restitution beside it"),
    ({"contact": {"damping_s_m": None, "restitution": 1.5, "impact_speed_m_s": 1.0}}, "contact.restitution: 1.5 must"),
    ({"contact": {"band": {"petals": {"middle": 4e5}}}}, "contact.band.petals.middle: 400000 N/m is less than low, wh"),
    ({"contact": {"band": {"faces": {"high": 9e6}}}}, "contact.band.faces.high: 9e+06 N/m is less than middle, which"),
    ({"contact": {"band": {"faces": {"low": 0.0}}}}, "contact.band.faces.low: 0.0 must be at least 1"),
    ({"contact": {"band": {"petals": {"low": "soft"}}}}, "contact.band.petals.low: 'soft' is text, not a number; give"),
    ({"contact": {"band": {"petals": {"low": None}}}}, "contact.band.petals.low: missing"),
    ({"contact": {"band": {"petals": 0}}}, "contact.band.petals: 0 must be between 1 and 1e+12 N/m"),
    ({"contact": {"band": {"petals": "soft"}}}, "contact.band.petals: expected a mapping with low, middle and high"),
    ({"contact": {"band": {"petals": True}}}, "contact.band.petals: expected a mapping with low, middle and high"),
    ({"contact": {"band": {"rings": 1e6}}}, "contact.band.rings: unknown key"),
    ({"contact": {"band": {"petals": None, "faces": None}}}, "contact.band: is empty; give petals, faces or pins, or"),
    ({"contact": {"band": 2e6}}, "contact.band: "),
    ({"contact": {"stiffness_N_m": 3e6}}, "contact.stiffness_N_m: band.petals is the place of this stiffness where i"),
    ({"contact": {"face_stiffness_N_m": 3e6}}, "contact.face_stiffness_N_m: band.faces is the place of this stif"),
    ({"contact": WALTON_BRAUN | {"restitution": 0.0}}, "contact.restitution: 0.0 must be at least 0.001"),
    ({"contact": WALTON_BRAUN | {"restitution": 1.5}}, "contact.restitution: 1.5 must be at most 1"),
    ({"contact": WALTON_BRAUN | {"restitution": None}}, "contact.restitution: missing; law walton_braun needs it"),
    ({"contact": WALTON_BRAUN | {"damping_s_m": 6.0}}, "contact.damping_s_m: belongs to law: hunt_crossley; walton_br"),
    ({"contact": WALTON_BRAUN | {"damping_Ns_m": 6.0}}, "contact.damping_Ns_m: belongs to law: kelvin_voigt; walton_b"),
    ({"contact": WALTON_BRAUN | {"impact_speed_m_s": 1.0}}, "contact.impact_speed_m_s: belongs to law: hunt_crossley"),
    ({"contact": WALTON_BRAUN | {"adhesive": True}}, "contact.adhesive: belongs to law: kelvin_voigt; walton_braun"),
    ({"limits": {"shear_N": 0.0}}, "limits.shear_N: 0.0 must be greater than 0"),
    ({"limits": {"shear": 1.0}}, "limits.shear: unknown key; units are part of the key, and this one is wanted in N"),
    ({"pins": {**PINS, "count": None}}, "pins.count: or azimuths_deg: give one of them"),
    ({"pins": {**PINS, "azimuths_deg": [0.0, 90.0]}}, "pins.count: or azimuths_deg: give one of them"),
    ({"pins": {**PINS, "count": None, "azimuths_deg": [10.0, 12.0]}}, "pins.azimuths_deg: pins 1 and 2 are 22.69 mm "
     "apart and overlap; they need 30 mm"),
    ({"pins": {**PINS, "count": 12, "radius_m": 0.05}}, "pins.radius_m: pins 1 and 2 are 25.88 mm apart and overlap"),
    ({"pins": {**PINS, "count": None, "azimuths_deg": [0.0], "first_azimuth_deg": 5.0}}, "pins.first_azimuth_deg: be"),
    ({"pins": {**PINS, "taper_deg": 70.0}}, "pins.taper_deg: 70.0 must be at most 60"),
    ({"pins": {**PINS, "taper_deg": 0.0}}, "pins.taper_deg: 0.0 deg does not end in a nose of 0.005 m; 1 to 60 deg, "),
    ({"pins": {**PINS, "nose_m": 0.02}}, "pins.nose_m: 0.02 m is wider than the pin, whose radius is 0.015"),
    ({"pins": {**PINS, "cylinder_m": 9.0}}, "pins.cylinder_m: makes pins of 9.032 m, on a circle of 0.65 m"),
    ({"holes": {**HOLES, "edge_m": 0.011}}, "holes.edge_m: 0.011 m is more than chamfer_m, 0.01: the rounding would"),
    ({"holes": {**HOLES, "face_m": 0.02}}, "holes.face_m: 0.02 m is less than the hole's mouth, bore_m and chamfer"),
    ({"holes": {**HOLES, "lengthened": [3], "lengthened_m": 0.001}}, "holes.lengthened: no hole 3; there are holes"),
    ({"holes": {**HOLES, "lengthened": [1]}}, "holes.lengthened_m: and lengthened belong together: by how much, and"),
    ({"holes": {**HOLES, "chamfer_deg": 90.0}}, "holes.chamfer_deg: 90.0 must be at most 80"),
    ({"pins": PINS, "holes": {**HOLES, "first_azimuth_deg": 1.0}}, "pins: pin 1 and hole 1 are 11.34 mm apart and "
     "overlap; they need 41 mm"),
    ({"rim": None, "face": None, "petals": None}, ": has nothing to touch; give it a rim, a face, petals, spheres, "),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), REFUSED, ids=[message[:50] for _, message in REFUSED])
def test_interface_is_refused_by_key_and_reason(changes: dict[str, Any], message: str) -> None:
    found = faults(**changes)
    assert any(text.startswith(message) for text in found), found


def test_interface_that_is_not_a_mapping_or_not_there_is_refused() -> None:
    with pytest.raises(ScenarioError, match="file not found"):
        load_interface("configs/interfaces/no_such.yaml")
    with pytest.raises(ScenarioError, match="expected a mapping of keys at the top"):
        load_interface([1, 2])  # type: ignore[arg-type]


def test_axes_of_the_port_become_those_of_the_contact_shapes() -> None:
    shape = shape_of(load_interface({"spheres": [{"center_m": [0.1, 0.2, 0.3], "radius_m": 0.05}]}))
    # x outward becomes z, y becomes x, z becomes y
    assert shape.spheres == (((0.2, 0.3, 0.1), 0.05),)
    capsule = {"start_m": [0.1, 0.2, 0.3], "end_m": [0.4, 0.5, 0.6], "radius_m": 0.05}
    assert shape_of(load_interface({"capsules": [capsule]})).capsules == (((0.2, 0.3, 0.1), (0.5, 0.6, 0.4), 0.05),)
    idss = load_interface(IDSS)
    assert idss.petals is not None
    assert shape_of(idss).petals == 3
    petal = shape_of(idss).petal
    assert petal is not None
    assert petal.half_angle == math.radians(29.0)


def test_full_disc_has_no_wall_on_its_axis() -> None:
    face = shape_of(load_interface({"face": {"inner_m": 0.0, "outer_m": 2.0, "depth_m": 1.0}}))
    assert face.face_inner == -2.0


@pytest.mark.parametrize("speed", [0.01, 0.1, 3.0])
@pytest.mark.parametrize("wanted", [0.05, 0.3, 0.8, 0.99, 1.0])
def test_damping_factor_gives_the_restitution_it_is_made_for(wanted: float, speed: float) -> None:
    factor = hunt_crossley_factor(wanted, speed)
    # both are roots found to rounding; near 1 the logarithms cancel to 1e-16 / (1 - e)²
    assert restitution(factor, speed) == pytest.approx(wanted, abs=1e-9)


def test_restitution_is_that_of_the_integrated_impact() -> None:
    from scipy.integrate import solve_ivp

    factor, speed, k = 6.0, 0.1, 6.5e6

    def motion(_: float, y: list[float]) -> list[float]:
        return [y[1], -k / 50.0 * y[0] * (1.0 + factor * y[1])]

    def leaves(t: float, y: list[float]) -> float:
        return y[0] if t > 1e-4 else 1.0

    leaves.terminal = True  # type: ignore[attr-defined]
    run = solve_ivp(motion, (0.0, 1.0), [0.0, speed], events=leaves, rtol=1e-11, atol=1e-15, max_step=1e-4)
    # the integrator's own tolerance, some hundred steps
    assert restitution(factor, speed) == pytest.approx(-run.y[1, -1] / speed, rel=1e-8)


def test_damping_of_a_law_is_its_own() -> None:
    assert Contact().damping == 6.0
    assert Contact(damping_s_m=2.0).damping == 2.0
    assert Contact(law="kelvin_voigt", damping_Ns_m=70.0, adhesive=True).damping == 70.0
    assert Contact(restitution=0.5, impact_speed_m_s=0.1).damping == hunt_crossley_factor(0.5, 0.1)
    hysteretic = Contact(law="walton_braun", restitution=0.5)
    assert (hysteretic.damping, hysteretic.regained, hysteretic.rebound(3.0)) == (0.0, 0.25, 0.5)
    assert Contact().regained == 1.0
    assert Contact(law="kelvin_voigt", damping_Ns_m=70.0).rebound(0.1) is None


def test_stiffness_is_that_of_the_band_or_the_key_or_the_estimate() -> None:
    shipped = load_interface(IDSS).contact
    assert [shipped.stiffnesses(end) for end in ENDS] == [(5e5, 5e6, 1e7), (2e6, 1e7, 1e7), (6.5e6, 2e7, 1e7)]
    assert shipped.stiffnesses() == Contact().stiffnesses("low") == Contact().stiffnesses("high") == (2e6, 1e7, 1e7)
    one = load_interface({"use": IDSS, "contact": {"band": {"petals": 3_000_000}}}).contact
    assert [one.stiffnesses(end) for end in ENDS] == [(3e6, 5e6, 1e7), (3e6, 1e7, 1e7), (3e6, 2e7, 1e7)]
    assert one.band is not None
    assert one.band.petals is not None
    assert one.band.wide
    assert not one.band.petals.wide
    mixed = Contact(stiffness_N_m=4e6, band=ContactBand(faces=Band(low=1e6, middle=2e6, high=3e6)))
    assert mixed.stiffnesses("high") == (4e6, 3e6, 1e7)


def test_fault_of_a_band_names_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "ring.yaml"
    file.write_text("rim: {radius_m: 0.6, height_m: 0.0, tube_m: 0.01}\ncontact:\n  band:\n    petals:\n"
                    "      low: 2.0e6\n      middle: 1.0e6\n      high: 3.0e6\n")  # fmt: skip
    with pytest.raises(ScenarioError) as error:
        load_interface(file)
    assert [(problem.line, problem.key) for problem in error.value.problems] == [(6, "contact.band.petals.middle")]
    assert "a band goes up: low, middle, high" in str(error.value)
