"""Contact pairs, approach and sequence: what is refused, where, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from docksim.config import load_scenario
from docksim.config.schema.actions import PhaseAction, StopAction
from docksim.config.schema.conditions import AfterCondition, NotFiredCondition, TimeCondition
from docksim.config.schema.contact_events import ContactCondition
from tests.support.docks import BODY, dock, faults

TWIST = {"type": "revolute", "axis": [1, 0, 0], "rate_deg_s": 1.0}
TURNTABLE = {"parent": "base", **BODY, "joint": TWIST, "ports": {"face": {"interface": {"spheres": [
    {"center_m": [0, 0, 0], "radius_m": 0.1}]}}}}  # fmt: skip

HOOKS = {"reach_m": 0.01, "window_m": 0.02, "tilt_deg": 1.0, "roll_deg": 2.0, "rate_m_s": 0.03}

IDSS = "configs/interfaces/idss_like.yaml"
PINS = {"count": 2, "radius_m": 0.65, "pin_m": 0.015, "cylinder_m": 0.02, "nose_m": 0.005}
BORES = {"count": 2, "radius_m": 0.65, "bore_m": 0.016, "chamfer_m": 0.01, "depth_m": 0.06}


def guides(pins: dict[str, Any], holes: dict[str, Any] | None) -> dict[str, Any]:
    """Changes that give the nose pins and the dock holes; or none, but pins that do have holes in the nose."""
    aside = {"first_azimuth_deg": 90.0}
    nose, dock = {"pins": PINS | pins, "holes": BORES | aside}, {"pins": PINS | aside}
    if holes is not None:
        nose, dock = {"pins": PINS | pins}, {"holes": BORES | holes}
    ports = {"vehicles__chaser__ports__nose": nose, "vehicles__station__ports__dock": dock}
    return {f"{port}__interface": {"use": IDSS, **own} for port, own in ports.items()}


REFUSED: list[tuple[dict[str, Any], str]] = [
    # pairs
    ({"contacts__dock__ports": ["chaser.nse", "station.dock"]}, "contacts.dock.ports.0: no port 'chaser.nse'"),
    ({"contacts__dock__ports": ["chaser.bare", "station.dock"]}, "contacts.dock.ports.0: 'chaser.bare' has no interf"),
    ({"contacts__dock__ports": ["chaser.nose", "chaser.probe"]}, "contacts.dock.ports: chaser.nose and chaser.probe a"),
    ({"contacts__dock__ports": ["chaser.nose"]}, "contacts.dock.ports: expected a list of 2 ports, got 1"),
    ({"contacts__dock__margin_m": 0.0}, "contacts.dock.margin_m: 0.0 must be at least 1e-06"),
    ({"contacts__dock__substeps": 0}, "contacts.dock.substeps: 0 must be at least 1"),
    ({"contacts__dock__substeps": 2.5}, "contacts.dock.substeps: 2.5 is not a whole number"),
    ({"contacts__twin": {"ports": ["station.dock", "chaser.nose"]}}, "contacts.twin.ports: are those of pair 'dock'"),
    ({"contacts__chaser": {"ports": ["chaser.probe", "station.dock"]}}, "contacts.chaser: 'chaser' means something"),
    ({"contacts__energy": {"ports": ["chaser.probe", "station.dock"]}}, "contacts.energy: 'energy' means something"),
    ({"contacts__dock__contact": {"friction": "some"}}, "contacts.dock.contact.friction: 'some' is text, not a number"),
    # latches of a pair
    ({"contacts__dock__failed_latches": [4]}, "contacts.dock.failed_latches.0: no latch 4; this pair has latches 1 to"),
    ({"contacts__dock__failed_latches": [1, 1]}, "contacts.dock.failed_latches.1: latch 1 is named twice"),
    ({"contacts__dock__latch_errors": [{"latch": 0, "delay_s": 1.0}]}, "contacts.dock.latch_errors.0.latch: 0 must be"),
    ({"contacts__dock__latch_errors": [{"latch": 5, "delay_s": 1.0}]}, "contacts.dock.latch_errors.0.latch: no latch"),
    ({"contacts__dock__latch_errors": [{"latch": 1}, {"latch": 1}]}, "contacts.dock.latch_errors.1.latch: latch 1 is"),
    ({"contacts__dock__latch_errors": [{"latch": 1, "height_m": -0.005}]}, "contacts.dock.latch_errors.0.height_m: mate"
     "d, the striker of this latch lies 5 mm off along the axis, and window_axial_m is 0.004"),
    ({"contacts__dock__latch_errors": [{"latch": 1, "friction": 1.5}]}, "contacts.dock.latch_errors.0.friction: with th"
     "is, a striker does not get over a ramp of 35 deg"),
    ({"contacts__dock__latch_errors": [{"latch": 2, "spring_factor": 0.1}]}, "contacts.dock.latch_errors.0.spring_facto"
     "r: with this, 2.0 N is more than spring_N, 1.2: the pawl would stay lifted"),
    ({"contacts__dock__latch_errors": [{"latch": 2, "spring_factor": -1.0}]}, "contacts.dock.latch_errors.0.spring_f"),
    ({"contacts__dock__late_latches": [{"latch": 1, "delay_s": 0.1}]}, "contacts.dock.late_latches: is called latch_err"
     "ors, with the same keys and more: {latch: 1, delay_s: 0.1}"),
    ({"contacts__p": {"ports": ["chaser.probe", "station.dock"], "failed_latches": [1]}}, "contacts.p.failed_latches."
     "0: no latch 1; this pair has no latches, or no strikers for them"),
    ({"vehicles__station__ports__dock__interface__strikers": {"radius_m": 0.6}}, "contacts.dock.ports: mated, strikers"
     " lie 35 mm off radially"),
    ({"vehicles__station__ports__dock__interface__strikers": {"height_m": 0.03}}, "contacts.dock.ports: mated, strike"
     "rs lie 60 mm off along the axis"),
    ({"vehicles__station__ports__dock__interface__strikers": {"first_azimuth_deg": 0.0}}, "contacts.dock.ports: mated"
     ", the latches miss their strikers by 60 deg of azimuth"),
    # pins, on the port that comes, and holes
    *((guides(pins, holes), f"contacts.dock.ports: {text}") for pins, holes, text in (
        ({}, None, "the pins of chaser.nose reach nothing: station.dock has no holes; give it some, or leave the pins"),
        ({}, {"first_azimuth_deg": 10.0}, "mated, pin 1 of chaser.nose is 113.3 mm away from the nearest hole of "
         "station.dock; a pin at azimuth a meets a hole at 180 - a deg, on a circle of the same radius"),
        ({"pin_m": 0.016}, {}, "mated, pin 1 of chaser.nose, 16 mm in radius, does not fit into its hole of "
         "station.dock, 16 mm; bore_m must be larger than pin_m"),
        ({}, {"radius_m": 0.6515}, "mated, pin 1 of chaser.nose, 15 mm in radius, does not fit into its hole of "
         "station.dock, 16 mm, and its axis is 1.5 mm off; bore_m must be larger than pin_m"),
        ({}, {"depth_m": 0.05}, "mated, the pins of chaser.nose, 52.47 mm long, strike the bottom of the holes of"),
        ({"cylinder_m": 0.008}, {}, "mated, the cylinders of the pins of chaser.nose end 2 mm before the bores of"),
        ({"taper_deg": 50.0}, {}, "the taper of the pins of chaser.nose, 50 deg, must be steeper than the chamfer"),
    )),
    # approach
    ({"approach__active": "chaser.nase"}, "approach.active: no port 'chaser.nase'"),
    ({"approach__passive": "stations.dock"}, "approach.passive: no port 'stations.dock'"),
    ({"approach__passive": "chaser.bare"}, "approach.passive: 'chaser.bare' is on the vehicle that comes"),
    ({"approach__distance_m": -1.0}, "approach.distance_m: -1.0 must be at least 0"),
    ({"approach__closing_rate_m_s": None}, "approach.closing_rate_m_s: missing; add the key"),
    ({"approach__lateral_offset_m": 0.1}, "approach.lateral_offset_m: expected a row of 2 numbers, got 0.1"),
    ({"approach__lateral_rate_m_s": [0.0, 1e9]}, "approach.lateral_rate_m_s: [0.0, 1000000000.0] is out of all propor"),
    ({"approach__yaw_deg": 1e9}, "approach.yaw_deg: 1000000000.0 must be at most 1e+06"),
    ({"approach__roll": 1.0}, "approach.roll: unknown key; units are part of the key, and this one is wanted in deg"),
    ({"vehicles__chaser__position_m": [0, 1, 0]}, "vehicles.chaser.position_m: is set by 'approach'; remove it here"),
    ({"vehicles__chaser__rate_deg_s": [0, 0, 1]}, "vehicles.chaser.rate_deg_s: is set by 'approach'"),
    ({"vehicles__chaser__anchored": True}, "vehicles.chaser.anchored: a vehicle that is held cannot approach"),
    ({"vehicles__chaser__bodies": {"table": TURNTABLE}, "approach__active": "chaser.table.face"}, "approach.active: '"
     "chaser.table.face' moves in its vehicle from the start ('table' has a rate)"),
    # conditions and actions
    ({"sequence__0__when": {"contact": "dork"}}, "sequence.0.when.contact: no contact pair 'dork'; there is dock; did"),
    ({"sequence__0__when": {"contact": "dock", "force_above_N": -1.0}}, "sequence.0.when.force_above_N: -1.0 must be"),
    ({"sequence__1__when": {"latched": "dock", "count": 4}}, "sequence.1.when.count: 4 is more than the 3 latches of"),
    ({"sequence__1__when": {"separated": "dock"}}, "sequence.1.when.distance_above_m: missing; add the key"),
    ({"sequence__1__when": {"not_fired": "toch"}}, "sequence.1.when.not_fired: no event 'toch'"),
    ({"sequence__1__do": {"open_latches": "duck"}}, "sequence.1.do.open_latches: no contact pair 'duck'"),
    ({"sequence__1__do": [{"phase": "X"}, {"arm_latches": "duck"}]}, "sequence.1.do.1.arm_latches: no contact pair"),
    ({"contacts__p": {"ports": ["chaser.probe", "station.dock"]}, "sequence__1__do": {"open_latches": "p"}},
     "sequence.1.do.open_latches: pair 'p' has no latches, or no strikers for them"),
    ({"sequence__0__on_timeout": {"join": ["chaser.nose", "station.duck"]}}, "sequence.0.on_timeout.join.1: no port"),
    ({"sequence__2__do": {"stop": "x", "outcome": "docked"}}, "sequence.2.do.outcome: 'docked' is not known; choose o"),
    ({"events": {"a": {"when": {"after": "tuch"}, "do": {"phase": "X"}}}}, "events.a.when.after: no event 'tuch'"),
    # hooks
    *((({"vehicles__chaser__ports__nose__hooks": {**HOOKS, key: value}}),
       f"vehicles.chaser.ports.nose.hooks.{key}: {value} must be {bound}")
      for key, value, bound in (
          ("reach_m", 0.0, "greater than 0"), ("reach_m", -0.01, "greater than 0"), ("window_m", 0.0, "greater than 0"),
          ("tilt_deg", 0.0, "greater than 0"), ("tilt_deg", 91.0, "at most 90"), ("roll_deg", -1.0, "greater than 0"),
          ("roll_deg", 181.0, "at most 180"), ("rate_m_s", 0.0, "greater than 0"), ("overlap_m", -0.1, "at least 0"))),
    ({"vehicles__chaser__ports__nose__hooks": {key: HOOKS[key] for key in list(HOOKS)[1:]}}, "vehicles.chaser.ports.n"
     "ose.hooks.reach_m: missing; add the key"),
    ({"vehicles__chaser__ports__nose__hooks": {**HOOKS, "reach": 1.0}}, "vehicles.chaser.ports.nose.hooks.reach: unkn"),
    ({"sequence__1__when": {"in_reach": ["chaser.nose", "station.dock"]}}, "sequence.1.when.in_reach: neither chaser.n"
     "ose nor station.dock has hooks"),
    ({"sequence__1__when": {"in_reach": ["chaser.nose", "station.duck"]}}, "sequence.1.when.in_reach.1: no port 'stat"),
    ({"sequence__1__when": {"aligned": ["chaser.nose", "station.dock"]}}, "sequence.1.when: asks for nothing; give at"),
    ({"sequence__1__when": {"aligned": ["chaser.nose", "station.duck"], "tilt_below_deg": 1.0}}, "sequence.1.when.ali"),
    ({"sequence__1__when": {"in_reach": ["chaser.nose"]}}, "sequence.1.when.in_reach: expected a list of 2 ports, got"),
    ({"sequence__1__when": {"in_reach": ["chaser.nose", "station.dock"], "speed_below_m_s": 0.0}}, "sequence.1.when.sp"
     "eed_below_m_s: 0.0 must be greater than 0"),
    ({"sequence__1__for_s": -1.0}, "sequence.1.for_s: -1.0 must be at least 0"),
    ({"sequence__1__for_s": 1e300}, "sequence.1.for_s: 1e+300 must be at most 1e+09"),
    ({"sequence__1": {"phase": "HELD", "for_s": 1.0, "persistence": 3}}, "sequence.1.for_s: excludes 'persistence: 3'"),
    # the sequence itself
    ({"sequence__1__phase": "touch"}, "sequence.1.phase: its event 'touch' is also the event of phase TOUCH"),
    ({"sequence__1__phase": "TOUCH_TIMEOUT"}, "sequence.1.phase: its event 'touch_timeout' is also the event of phase"),
    ({"events": {"held": {"when": {"time_s": 0}, "do": {"phase": "X"}}}}, "sequence.1.phase: its event 'held' is also"),
    ({"sequence__1__on_timeout": {"phase": "X"}}, "sequence.1.on_timeout: never happens without timeout_s"),
    ({"sequence__1__phase": "hard docked"}, "sequence.1.phase: 'hard docked' cannot be a name"),
    ({"sequence__1__timeout_s": 0}, "sequence.1.timeout_s: 0 must be greater than 0"),
    ({"sequence__1__timeout_s": 1e300}, "sequence.1.timeout_s: 1e+300 must be at most 1e+09"),
    ({"sequence__1__when": {"after": "touch", "delay_s": 1e300}}, "sequence.1.when.delay_s: 1e+300 must be at m"),
    ({"sequence__1__persistence": 0}, "sequence.1.persistence: 0 must be at least 1"),
    ({"sequence": {"phase": "X"}}, "sequence: {'phase': 'X'} cannot stand here; give a list"),
    ({"sequence__1": 5}, "sequence.1: 5 cannot stand here; give a mapping of keys"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), REFUSED, ids=[message[:60] for _, message in REFUSED])
def test_scenario_is_refused_at_the_place_that_was_written(changes: dict[str, Any], message: str) -> None:
    if "vehicles__station__ports__dock__interface__strikers" in changes:
        strikers = changes["vehicles__station__ports__dock__interface__strikers"]
        idss = {"use": "configs/interfaces/idss_like.yaml", "strikers": strikers}
        changes = {"vehicles__station__ports__dock__interface": idss}
    found = faults(dock(**changes))
    assert len(found) == 1, found
    assert found[0].startswith(message), found


def test_phases_that_wait_for_one_another_are_refused() -> None:
    found = faults(dock(sequence__0__when={"after": "held"}))
    assert found[0].startswith("sequence.0.when.after: events wait for one another: touch -> held -> touch; none of")


def test_faults_in_a_sequence_come_with_their_line(faults: Callable[..., list[str]]) -> None:
    text = yaml.safe_dump(dock(sequence__1__do={"open_latches": "mast"}), sort_keys=False, default_flow_style=False)
    line = next(n for n, words in enumerate(text.splitlines(), start=1) if "open_latches: mast" in words)
    assert faults(text) == [f"s.yaml:{line}: sequence.1.do.open_latches: no contact pair 'mast'; there is dock"]


def test_broken_value_elsewhere_hides_no_fault_of_the_sequence() -> None:
    found = faults(dock(vehicles__chaser__mass_kg="heavy", sequence__1__do={"arm_latches": "duck"}))
    assert [text.split(":")[0] for text in found] == ["vehicles.chaser.mass_kg", "sequence.1.do.arm_latches"]


def test_broken_interface_causes_no_other_fault() -> None:
    wrong = {"use": "configs/interfaces/idss_like.yaml", "latches": {"play_m": "some"}}
    found = faults(dock(vehicles__chaser__ports__nose__interface=wrong))
    assert [text.split(":")[0] for text in found] == ["vehicles.chaser.ports.nose.interface.latches.play_m"]


def test_broken_phase_causes_no_other_fault() -> None:
    found = faults(dock(sequence__1__when={"latched": 5}))
    assert [text.split(":")[0] for text in found] == ["sequence.1.when.latched"]


def test_broken_hooks_are_the_only_fault_of_those_who_wait_for_them() -> None:
    wait = {"in_reach": ["chaser.nose", "station.dock"]}
    found = faults(dock(vehicles__chaser__ports__nose__hooks={**HOOKS, "reach_m": 0.0}, sequence__1__when=wait))
    assert [text.split(":")[0] for text in found] == ["vehicles.chaser.ports.nose.hooks.reach_m"]


def test_fault_of_hooks_comes_with_its_line(faults: Callable[..., list[str]]) -> None:
    hooks = {"vehicles__chaser__ports__nose__hooks": {**HOOKS, "window_m": -2.0}}
    text = yaml.safe_dump(dock(**hooks), sort_keys=False, default_flow_style=False)
    line = next(n for n, words in enumerate(text.splitlines(), start=1) if "window_m: -2.0" in words)
    where = "vehicles.chaser.ports.nose.hooks.window_m"
    assert faults(text) == [f"s.yaml:{line}: {where}: -2.0 must be greater than 0"]


def test_hooks_and_waits_survive_writing_and_reading() -> None:
    wait = {"in_reach": ["chaser.nose", "station.dock"], "rate_below_deg_s": 0.1}
    nose = {"vehicles__chaser__ports__nose__hooks": HOOKS}
    scenario = load_scenario(dock(**nose, sequence__1={"phase": "HELD", "when": wait, "for_s": 0.5}))
    assert scenario.events["held"].for_s == 0.5
    assert load_scenario(yaml.safe_load(scenario.to_yaml())) == scenario


# ---------------------------------------------------------------- what becomes of a sequence


def test_phases_become_events_that_wait_for_one_another() -> None:
    scenario = load_scenario(dock())
    assert scenario.sequence == []
    assert list(scenario.events) == ["touch", "touch_timeout", "held", "done"]
    touch, late, held, done = scenario.events.values()
    assert touch.when == [ContactCondition(contact="dock"), NotFiredCondition(not_fired="touch_timeout")]
    assert touch.do == [PhaseAction(phase="TOUCH")]
    assert late.when == [TimeCondition(time_s=20.0), NotFiredCondition(not_fired="touch")]
    assert late.do == [StopAction(stop="phase TOUCH did not begin within 20 s", outcome="timed out")]
    assert held.when[-1] == AfterCondition(after="touch")
    assert done.when == [AfterCondition(after="held")]


def test_time_out_counts_from_the_phase_before_and_does_what_it_is_told() -> None:
    scenario = load_scenario(dock(sequence__1__timeout_s=3.0, sequence__1__on_timeout={"open_latches": "dock"}))
    late = scenario.events["held_timeout"]
    assert late.when[0] == AfterCondition(after="touch", delay_s=3.0)
    assert [next(iter(type(action).model_fields)) for action in late.do] == ["open_latches"]


def test_first_phase_without_conditions_begins_at_once() -> None:
    scenario = load_scenario(dock(sequence__0={"phase": "READY"}))
    assert scenario.events["ready"].when == [TimeCondition(time_s=0.0)]


def test_written_scenario_reads_back_equal() -> None:
    scenario = load_scenario(dock(approach__roll_deg=3.3, approach__yaw_rate_deg_s=0.1))
    assert load_scenario(yaml.safe_load(scenario.to_yaml())) == scenario
    assert scenario.approach is not None
    assert load_scenario(scenario) == scenario


def test_overrides_reach_contacts_approach_and_phases() -> None:
    scenario = load_scenario(dock(), {"contacts.dock.substeps": 7, "approach.closing_rate_m_s": 0.1})
    assert scenario.contacts["dock"].substeps == 7
    assert scenario.approach is not None
    assert scenario.approach.closing_rate_m_s == 0.1


def test_pins_ask_for_holes_only_where_the_other_side_is_a_frame_too() -> None:
    bare = guides({}, None) | {
        "vehicles__station__ports__dock__interface": {"use": "configs/interfaces/idss_like.yaml"}
    }
    # one at azimuth a meets a hole at 180 - a deg
    turned = guides({"first_azimuth_deg": 30.0}, {"first_azimuth_deg": 150.0})
    for changes in (guides({}, {}), bare, turned):
        assert not faults(dock(**changes))
