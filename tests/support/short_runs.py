"""Short runs that between them enter every function of the kernel: joints, control, orbit, events, integrators.

As a program it runs them and keeps the outcome: `python -m tests.support.short_runs FILE.npz`. With NUMBA_DISABLE_JIT=1
the same kernel functions then run as plain Python, a hundred times slower, so the steps are few and large and the
events come early.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from docksim.compiler import compile_scenario
from docksim.compiler.interface_shapes import contact_tables
from docksim.compiler.shafts import coupling_shafts, leg_shafts
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.config.loading.scenario import load_mechanism
from docksim.config.schema.leg_geometry import driven_at
from docksim.hardware.mechanism import Mechanism
from docksim.hardware.mechanism_loads import Devices
from docksim.kernel.contact.gaps import sphere_plane
from docksim.kernel.contact.interface_gaps import interface_gaps
from docksim.kernel.loop import advance
from tests.support.contact import new_gaps
from tests.support.rigs import holding_arm, scenario
from tests.support.shapes import interface_shape
from tests.system import quick_records

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
INTERFACE = Path(__file__).resolve().parents[2] / "configs" / "interfaces" / "idss_like.yaml"
MECHANISMS = Path(__file__).resolve().parents[2] / "configs" / "mechanisms"
INTEGRATORS = ("rk4", "semi_implicit_euler", "linearly_implicit")
SOLVERS = {name: {"solver.integrator": name} for name in INTEGRATORS}


def times(step: float, steps: int, **overrides: Any) -> dict[str, Any]:
    """Overrides for so many steps, each of them logged."""
    return {"solver.step_s": step, "outputs.every_s": step, "solver.duration_s": steps * step, **overrides}


# release, four latches one after the other
LATCHING = {
    "events.release_right.when.time_s": 0.02,
    "events.release_left.when.time_s": 0.04,
    "events.latch_right_inner.when.above_deg": -89.99,
    "events.latch_right_outer.when.below_deg": 174.99,
    "events.latch_left_inner.when.above_deg": -89.99,
    "events.latch_left_outer.when.below_deg": 174.99,
}
# hooks that reach far
FAR = {"reach_m": 2.0, "window_m": 1.0, "tilt_deg": 20.0, "roll_deg": 20.0, "rate_m_s": 1.0}
# join, separate with a push-off spring, control off and on again, stop
DOCKING = {
    "target.ports.port.hooks": FAR,
    "chaser.position_m": [4.56, 0.01, -0.01],
    "events.capture.when.below_m": 0.065,
    "events.undock.when.delay_s": 0.05,
    "events.hold_again.when.delay_s": 0.05,
    "events.clear.when.1.above_m": 0.0652,
}
# a motor is switched on in mid-run
FLAP = {"torque": {"joint": "hub.revolute_flap", "torque_Nm": 5.0}}
TWIST = {"events.twist": {"when": {"time_s": 0.1}, "do": [FLAP]}}
BRAKING = {"events.brake_wrist.when.time_s": 0.1, "events.drive_wrist.when.delay_s": 0.1}
PULSES = {
    "events.stop_turning.when.time_s": 0.3,
    "events.at_rest.when.0.delay_s": 0.1,
    "events.at_rest.persistence": 3,
    "chaser.thrusters.pitch_front.pulses": [[0.1, 0.2]],
    "chaser.thrusters.pitch_aft.pulses": [[0.1, 0.2]],
}
SHAKES = {
    "satellite.thrusters.main.pulses": [[0.02, 0.1]],
    "satellite.beams.boom.segments": 3,
}

# the ring is joined and then locked; the ring is let go and pushed
HOOKS = {"chaser.mechanism.ports.face.hooks": FAR}
CATCHING = HOOKS | {"events.capture.when.below_m": 0.101, "events.hold.when.delay_s": 0.01}
# devices: the brake behind a differential is opened; servos are switched on and retuned; legs yield to the ring's force
OPENING = HOOKS | {
    "events.capture.when.below_m": 1.0,
    "events.open_brake.when.delay_s": 0.004,
    "events.hold.when.delay_s": 0.004,
}
ALIGNING = HOOKS | {
    "events.capture.when.below_m": 1.0,
    "events.align.when.delay_s": 0.004,
    "events.retract.when.delay_s": 0.004,
    "events.hold.when.0.delay_s": 0.004,
    "events.hold.when.1.below_m": 1.0,
    "events.hold.when.2.rate_above_m_s": -1.0,
}
STIFFEN = [{"set": {"device": "chaser.legs", "servo": {"admittance": False}}}]
YIELDING = HOOKS | {
    "events.capture.when.below_m": 1.0,
    "events.hold.when.delay_s": 0.01,
    "events.stiffen": {"when": {"after": "capture", "delay_s": 0.004}, "do": STIFFEN},
}
# a program leads a hand, another takes its place and is switched off
LEADING = {
    "events.reach.when.time_s": 0.01,
    "events.rest": {"when": {"after": "reach", "delay_s": 0.02}, "do": [{"program": {"of": "servicer.rest"}}]},
    "events.end": {
        "when": {"after": "rest", "delay_s": 0.02},
        "do": [{"program": {"of": "servicer.rest", "mode": "off"}}],
    },
}
# the same with a rod from the arm's elbow to its base
IN_A_LOOP = {"closures.stay": {"kind": "rod", "between": ["servicer.elbow", "servicer"], "point_m": [0.4, 0.0, 0.0]}}
# two arms on one load fold at once, in steps so large that their loop drifts
FOLDING = {"events.fold.when.time_s": 0.0, "events.let_go.when.time_s": 0.4}
# servos follow a path from the first step on
BERTHING = {"events.reach.when.time_s": 0.0}
# the ring is caught by a closure in the place of a join; a rod whose ends are one point ends the run
CAUGHT = {
    "closures.catch": {"kind": "weld", "between": ["chaser.ring.face", "target.port"], "on": False},
    "events.capture.when.below_m": 0.101,
    "events.capture.do": [{"close": "catch"}],
    "events.hold.when.delay_s": 1.0,
}
NO_ROD = {"events.hold.when.above_deg": 20.001, "closures.strut.point_m": [0.4, 0.5, 0.0]}
NO_ROD |= {"closures.strut.between": ["craft", "craft.front_bar"], "closures.strut.other_point_m": [0.0, 0.0, 0.0]}
# base joints that move while the ring is joined; the same with the base taken as inertial
RETRACT = {"when": {"time_s": 0.004}, "do": [{"retract": {"mechanism": "chaser", "duration_s": 0.05}}]}
RETRACTING = CATCHING | {"chaser.mechanism.symmetric.base_travel_axial_m": -0.001, "events.retract": RETRACT}
# the same by a drive, along a curve: it goes as told, pushes with all its force, stalls, and arrives
DRIVE = {"force_N": 30.0, "rate_m_s": 0.02, "mass_kg": 5.0, "response_s": 0.004}
CURVE = [[0.0, 0.0, 0.0], [0.4, -0.0002, 0.0001], [1.0, -0.001, 0.0]]
COMMANDS = {"weak": (0.004, 1.0, 0.2), "strong": (0.012, 0.05, 500.0)}
DRIVING = CATCHING | {
    "chaser.mechanism.symmetric.base_path_m": CURVE,
    "chaser.mechanism.retraction_drive": DRIVE,
    **{
        f"events.{name}": {
            "when": {"time_s": t},
            "do": [{"retract": {"mechanism": "chaser", "fraction": to, "force_N": F}}],
        }
        for name, (t, to, F) in COMMANDS.items()
    },
}
BY_JOINTS = RETRACTING | {"chaser.mechanism.method": "joints"}
INERTIAL = CATCHING | {"chaser.mechanism.inertial_base": True}
# the last tenth of a millimetre before first contact
MEETING = {"approach.distance_m": 0.0383, "approach.lateral_offset_m": [0.03, 0.0018]}
ORBIT = {"kind": "clohessy_wiltshire", "altitude_km": 420.0}
SWINGING = {"events.release_ring.when.time_s": 0.004, "satellite.loads.push.start_s": 0.006}


def touching(law: dict[str, Any], steps: int, **interface: Any) -> dict[str, Any]:
    """Two interfaces 5 mm before they are seated; pawls pass, latches engage, are opened and armed again."""
    at_once = {"pawl": {"mass_kg": 0.0}}
    dock = {"position_m": [0.0, 0.0, 0.0], "interface": {"use": str(INTERFACE), "latches": at_once, **interface}}
    craft = {"mass_kg": 200.0, "inertia_kg_m2": [90.0, 100.0, 110.0], "ports": {"dock": dock}}
    comer = craft | {"position_m": [0.0055, 1e-4, 0.0], "attitude": {"yaw_pitch_roll_deg": [180.0, 0.0, 0.5]}}
    comer |= {"velocity_m_s": [-3.0, 0.05, -0.1], "rate_deg_s": [2.0, 3.0, 0.0]}
    armed = [{"after": "caught", "delay_s": 2e-4}, {"not_fired": "parted"}]
    parted = [{"after": "ready"}, {"separated": "dock", "distance_above_m": 0.02}]
    events = {
        "touched": {"when": {"contact": "dock"}, "do": [{"phase": "touched"}]},
        "caught": {"when": {"latched": "dock", "count": 3}, "do": [{"open_latches": "dock"}]},
        "ready": {"when": armed, "do": [{"arm_latches": "dock"}]},
        "parted": {"when": parted, "do": [{"stop": "parted"}]},
    }
    return {
        "vehicles": {"craft": craft, "comer": comer},
        "contacts": {"dock": {"ports": ["craft.dock", "comer.dock"], "substeps": 2, "contact": law}},
        "events": events,
        "solver": {"step_s": 2e-4, "duration_s": steps * 2e-4},
        "outputs": {"every_s": 2e-4, "contact_rows": True},
    }


def hooked(steps: int) -> dict[str, Any]:
    """Two ports whose hooks close, one of them never, open again, one of them late, and let rods push."""
    ports = ["comer.nose", "craft.dock"]
    rods = {"radius_m": 0.45, "compressed_N": 500.0, "extended_N": 130.0, "stroke_m": 0.04, "stowed": False}
    # a straight law, whose work needs no small pieces of a step
    seal = {"radius_m": 0.42, "force_N": 2e4, "compression_m": 0.0012, "exponent": 1.0, "adhesion_N": 100.0}
    hooks = FAR | {"reach_m": 0.002, "count": 4, "radius_m": 0.5, "stiffness_N_m": 5e7, "face_stiffness_N_m": 4e8}
    hooks |= {
        "preload_N": 2e4,
        "drive_s": 0.006,
        "failed_hooks": [2],
        "late_hooks": [{"hook": 3, "by_s": 0.001}],
        "needed": 3,
    }
    hooks |= {"late_to_open": [{"hook": 4, "by_s": 0.0035}], "rods": rods, "seal": seal}
    craft = {"mass_kg": 200.0, "inertia_kg_m2": [90.0, 100.0, 110.0], "ports": {"dock": {}}}
    filled = {"ports": ports, "tunnel_Pa": 1000.0, "over_s": 0.002}
    opened = {"after": "open", "delay_s": 0.0065}
    return {
        "vehicles": {"craft": craft, "comer": craft | {"ports": {"nose": {"hooks": hooks}}}},
        "approach": {"active": ports[0], "passive": ports[1], "distance_m": 0.0, "closing_rate_m_s": 0.0},
        "events": {
            "join": {"when": {"time_s": 0.0}, "do": {"join": ports}},
            "fill": {"when": {"hooks_closed": ports}, "do": {"pressurise": filled}},
            "open": {"when": {"tight": ports, "watch_s": 0.001}, "do": {"open_hooks": ports}},
            "part": {"when": opened, "do": {"separate": {"ports": ports}}},
        },
        "solver": {"step_s": 1e-3, "duration_s": steps * 1e-3},
        "outputs": {"every_s": 1e-3},
    }


def held() -> dict[str, Any]:
    """An arm holds a module whose other port is joined, and lets go."""
    keys = holding_arm()
    return scenario(keys["vehicles"], 0.6, 0.02, events=keys["events"])


# steps under a tolerance; the pair settles at once by a speed that it cannot have, and is let go after that
FLAP_SERVO = {"stiffness_Nm_rad": 100.0, "damping_Nms_rad": 5.0, "sample_s": 4e-4}
FLAP_BODY = {
    "mass_kg": 1.0,
    "inertia_kg_m2": [1.0, 1.0, 1.0],
    "joint": {"type": "revolute", "axis": [1.0, 0.0, 0.0], "actuator": {"servo": FLAP_SERVO}},
}
TOLERANT = {
    "solver.tolerance": 1e-6,
    "craft.bodies": {"flap": FLAP_BODY},
    "events.rest": {"when": {"settled": "dock", "slower_than_m_s": 50.0}, "persistence": 2, "do": [{"phase": "rest"}]},
    "events.caught.when": {"after": "rest"},
}
KELVIN_VOIGT = {"law": "kelvin_voigt", "damping_Ns_m": 2000.0, "stiffness_N_m": 1e6}
WALTON_BRAUN = {"law": "walton_braun", "restitution": 0.6}
BAR = {"start_m": [-0.0085, -0.1, 0.15], "end_m": [-0.0085, 0.1, 0.25], "radius_m": 0.01}
BALL = {"center_m": [-0.0105, 0.3, 0.3], "radius_m": 0.01}
# tapers that come to the edges of their holes within the run
PINS = {"count": 1, "radius_m": 0.65, "pin_m": 0.008, "taper_deg": 30.0, "cylinder_m": 0.005, "nose_m": 0.003}
HOLES = {"count": 1, "first_azimuth_deg": 180.0, "radius_m": 0.65, "bore_m": 0.012, "chamfer_m": 0.004, "depth_m": 0.03}
CASES: dict[str, tuple[str | dict[str, Any], dict[str, Any]]] = {
    "contact": (touching({}, 12), {}),
    "tolerant": (touching({}, 14), TOLERANT),
    "tolerant_ring": ("soft_capture", times(0.002, 4) | CATCHING | {"solver.tolerance": 1e-6}),
    "contact_aside": (touching({}, 6, petals=None), {"comer.position_m": [5e-4, 0.018, 0.006]}),
    "contact_ahead": (touching({}, 3), {"comer.position_m": [0.6, 0.0, 0.0]}),
    "contact_damped": (touching(KELVIN_VOIGT, 8, spheres=[BALL], capsules=[BAR], pins=PINS, holes=HOLES), {}),
    "contact_hysteresis": (touching(WALTON_BRAUN, 12), {}),
    "hooked": (hooked(28), {}),
    **{f"joints_{name}": ("joint_gallery", times(0.02, 12) | TWIST | solver) for name, solver in SOLVERS.items()},
    **{f"arm_{name}": ("free_flying_arm", times(0.02, 15) | BRAKING | solver) for name, solver in SOLVERS.items()},
    "slosh_linearly_implicit": ("boom_and_slosh", times(0.005, 20) | SHAKES),
    "slosh_rk4": ("boom_and_slosh", times(1e-4, 10) | SHAKES | SOLVERS["rk4"]),
    "diverging": ("boom_and_slosh", times(0.002, 20) | SHAKES | SOLVERS["rk4"]),
    "latches": ("array_deployment", times(0.02, 30) | LATCHING),
    "docking": ("dock_and_undock", times(0.005, 50) | DOCKING | SOLVERS["semi_implicit_euler"]),
    "jettison": ("jettison_cover", times(0.01, 40) | {"events.throw_off.when.time_s": 0.05}),
    "orbit": ("orbit_drift", times(20.0, 20)),
    "wheels": ("wheel_hold", times(0.1, 20)),
    "thrusters": ("thruster_pulses", times(0.05, 20) | PULSES),
    "capture": ("soft_capture", times(0.002, 14) | CATCHING),
    "retraction": ("soft_capture", times(0.002, 8) | RETRACTING),
    **{f"drive_{name}": ("soft_capture", times(0.002, 14) | DRIVING | solver) for name, solver in SOLVERS.items()},
    "joints": ("soft_capture", times(0.002, 3) | BY_JOINTS),
    "joints_orbit": (
        "dock_nds",
        times(0.001, 2) | MEETING | {"environment": ORBIT, "chaser.mechanism.method": "joints"},
    ),
    "inertial": ("soft_capture", times(0.002, 4) | INERTIAL),
    "legs": ("leg_gallery", times(0.002, 12) | SWINGING),
    "differentials": ("differential_capture", times(0.001, 10) | OPENING),
    "servos": ("servo_capture", times(0.002, 9) | ALIGNING),
    "admittance": ("admittance_capture", times(0.001, 12) | YIELDING),
    "orbit_legs": ("dock_nds", times(0.001, 3) | MEETING | {"environment": ORBIT}),
    "structure": ("dock_nds_structure", times(0.0005, 3)),
    "closed": ("strut_linkage", times(0.005, 6) | {"events.hold.when.above_deg": 20.001}),
    "contradicted": ("strut_linkage", times(0.005, 6) | NO_ROD),
    "caught": ("soft_capture", times(0.002, 14) | CAUGHT),
    "held": (held(), {}),
    "folded": ("two_arms_one_load", times(0.1, 6) | FOLDING),
    **{f"berth_{name}": ("berth_module", times(0.002, 4) | BERTHING | solver) for name, solver in SOLVERS.items()},
    "led": ("tumbling_capture", times(0.005, 14) | LEADING),
    "led_in_a_loop": ("tumbling_capture", times(0.005, 6) | LEADING | IN_A_LOOP),
    "learning": ("load_learnt", times(0.01, 3) | {"events.let_go.when.time_s": 0.01}),
    "slew": ("array_slew", times(0.005, 4) | {"satellite.attitude_hold.slew.start_s": 0.0}),
}


def run(name: str) -> dict[str, np.ndarray]:
    """Final state, log and records of a case."""
    file, overrides = CASES[name]
    source = SCENARIOS / f"{file}.yaml" if isinstance(file, str) else file
    compiled = compile_scenario(load_scenario(source, overrides))
    log = compiled.new_log()
    model, state = compiled.model, compiled.state
    before = [table.tobytes() for table in model]
    advance(model, state, new_work(model, state), log, int(model.settings[0].n_steps) + 1)
    assert [table.tobytes() for table in model] == before, "Model is constant"
    clock, records = state.clock[0], state.record[: state.clock[0].n_records]
    return {
        **{f"log.{name}": table.view(np.float64) for name, table in log.filled().tables().items()},
        "q": state.q,
        "beta": state.beta,
        "work_done": state.work_done,
        "impulse": state.impulse,
        "ending": np.array([clock.t, clock.step, clock.phase, clock.status]),
        "events": np.array([[record.event, record.t] for record in records]).reshape(-1, 2),
        "losses": np.array([record.loss for record in records]),
    }


def mechanism_alone() -> dict[str, np.ndarray]:
    """A docking mechanism without a scenario: closure, accelerations and loads."""
    mechanism = Mechanism.load(MECHANISMS / "mixed_legs.yaml")
    twist = [0.1, -0.2, 0.15, 0.05, 0.1, -0.1]
    motion = mechanism.forward(mechanism.reference, twist, [10.0, -20.0, 5.0, 8.0, -3.0, 12.0], base_twist=twist)
    return {
        "actuated": mechanism.closure(mechanism.reference).actuated,
        "acceleration": np.asarray(motion.ring_acceleration),
        "joints": np.concatenate(motion.joint_accelerations),
        "base": np.asarray(motion.base_wrench),
        "load": np.asarray(motion.loads[0][0].structural_force),
    }


def gaps_alone() -> dict[str, np.ndarray]:
    """Every gap between two interfaces with balls and bars, rims included, apart and aslant."""
    bar = ([0.1, 0.2, 0.0], [0.3, -0.1, 0.02], 0.01)
    shape = interface_shape(spheres=[([0.6, 0.1, 0.02], 0.02)], capsules=[bar])
    rows, sweep = new_gaps((shape, shape))
    c, s = np.cos(0.05), np.sin(0.05)
    found = []
    for z in (0.1, 0.02):
        R = (-c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, -c)
        interface_gaps(contact_tables([shape, shape]), 0, 1, R, (0.03, -0.02, z), np.inf, sweep[0], rows)
        found.append(np.array(rows.gap))
    gap, point, _ = sphere_plane((0.1, 0.2, 0.3), 0.05, (0.0, 0.0, 0.1), (0.0, 0.6, 0.8))
    return {"gaps": np.array(found), "plane": np.array([gap, *point])}


def laws_alone() -> dict[str, np.ndarray]:
    """Springs, dampers and stops of a mechanism's devices, over their travel and beyond."""
    mechanism = load_mechanism(MECHANISMS / "apas_like.yaml")
    legs = mechanism.six_legs()
    actuators = leg_shafts(legs, [driven_at(leg, mechanism.reference) for leg in legs])
    devices = Devices(actuators + coupling_shafts(mechanism.couplings, actuators))
    x, rate = np.linspace(-0.3, 0.3, 25), np.linspace(0.2, -0.2, 25)
    forces = {shaft: devices.forces(shaft, x, rate) for shaft in ("legs.1", "couplings.axial", "couplings.roll")}
    return {f"{shaft} {law}": values for shaft, laws in forces.items() for law, values in laws.items()}


def run_all() -> dict[str, np.ndarray]:
    """All cases, keyed "case/array"."""
    found = {f"{name}/{key}": value for name in CASES for key, value in run(name).items()}
    found |= {f"gaps/{key}": value for key, value in gaps_alone().items()}
    found |= {f"laws/{key}": value for key, value in laws_alone().items()}
    return found | {f"mechanism/{key}": value for key, value in mechanism_alone().items()}


def watch_calls() -> set[str]:
    """Kernel functions that will have been entered as plain Python, as "module.function".

    They are wrapped wherever they are named, up to their first call: a trace of the interpreter takes more time than
    the runs.
    """
    entered: set[str] = set()

    def watched(function: FunctionType, module: ModuleType, place: str) -> Any:
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

        @functools.wraps(function)
        def noted(*arguments: Any, **keys: Any) -> Any:
            entered.add(name)
            setattr(module, place, function)
            return function(*arguments, **keys)

        return noted

    for module in [module for name, module in sys.modules.items() if name.startswith(("docksim", "__main__"))]:
        for name, value in list(vars(module).items()):
            if isinstance(value, FunctionType) and value.__module__.startswith("docksim.kernel."):
                setattr(module, name, watched(value, module, name))
    return entered


if __name__ == "__main__":
    quick_records.install()
    called = watch_calls()
    outcome = run_all()
    np.savez(sys.argv[1], **outcome, called=np.array(sorted(called), dtype=str))
