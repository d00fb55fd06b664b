"""Pressure in a joint: spaces that are filled and watched, what they leak and pull with, and what a vent ends."""

from __future__ import annotations

import numpy as np
import pytest

from tests.physics.test_joint import HOOKS, JOIN, PORTS, WELD, hooks_at, of, pulled, run


def test_leak_check_passes_what_leaks_less_and_pressure_pulls() -> None:
    fill = {"ports": PORTS, "between_seals_Pa": 101325.0, "over_s": 0.01}
    then = {"ports": PORTS, "tunnel_Pa": 1e5, "over_s": 0.01}
    vent = {"ports": PORTS, "to_Pa": 800.0, "over_s": 0.01}
    events = JOIN | {
        "fill": {"when": {"hooks_closed": PORTS}, "do": {"pressurise": fill}},
        "good": {"when": {"tight": PORTS, "watch_s": 0.1}, "do": {"pressurise": then}},
        "bad": {"when": {"leaks": PORTS, "watch_s": 0.1}, "do": {"stop": "the joint leaks", "outcome": "aborted"}},
        "vent": {"when": {"after": "good", "delay_s": 0.02}, "do": {"vent": vent}},
    }
    good = run({"seal": HOOKS["seal"] | {"leak_g_h": 0.05}}, events=events, duration=0.26)
    assert [event.name for event in good.events] == ["close", "fill", "good", "vent"]
    assert good.metrics[f"{WELD}.joint.leak_g_h"] == pytest.approx(0.05, rel=1e-3)
    # 0.05 g/h from 0.3 l: 3.9 Pa/s
    between, k = of(good, "between_seals_Pa"), int(np.searchsorted(good.time_s, 0.12))
    assert (between[k] - between[k + 50]) / 0.05 == pytest.approx(3.9, abs=0.01)
    # 1 bar on the tunnel's 0.636 m2, over eight hooks
    full = int(np.searchsorted(good.time_s, float(good.events[2].time_s) + 0.0195))
    seal = 2.4 * 24404.0 / 1.253e-3
    share = 5e7 / (5e7 + 4e8 + seal / 8)
    area = np.pi * 0.45**2
    load = 1e5 * area + between[full] * 2 * np.pi * 0.45 * 0.03
    assert hooks_at(good, full) == pytest.approx(24500.0 + share * load / 8, rel=1e-3)
    assert of(good, "tunnel_Pa")[-1] == pytest.approx(800.0, abs=1e-3)
    bad = run({"seal": HOOKS["seal"] | {"leak_g_h": 0.051}}, events=events, duration=0.26)
    assert (bad.outcome, bad.events[-1].name) == ("aborted", "bad")


def test_a_space_that_was_vented_is_no_longer_watched() -> None:
    """Neither tight nor leaking, and the figure is that of the watch before."""
    fill = {"ports": PORTS, "between_seals_Pa": 101325.0, "over_s": 0.01}
    events = JOIN | {
        "fill": {"when": {"hooks_closed": PORTS}, "do": {"pressurise": fill}},
        "vent": {"when": {"after": "fill", "delay_s": 0.05}, "do": {"vent": {"ports": PORTS, "over_s": 0.01}}},
        "tight": {"when": {"tight": PORTS, "watch_s": 0.05}, "do": {"phase": "TIGHT"}},
        "leaks": {"when": {"leaks": PORTS, "watch_s": 0.05}, "do": {"phase": "LEAKS"}},
    }
    for to_Pa in (0.0, 500.0):
        events["vent"]["do"]["vent"]["to_Pa"] = to_Pa
        result = run(events=events, duration=0.3)
        assert [event.name for event in result.events] == ["close", "fill", "vent"]
        assert result.metrics[f"{WELD}.joint.leak_g_h"] == pytest.approx(0.02, rel=1e-3)


def test_joint_that_gapes_is_not_tight() -> None:
    """Two hooks of three hold a pull askew: nothing presses the seal on the side of the third."""
    few = {"count": 3, "failed_hooks": [1], "needed": 2, "rods": None}
    fill = {"ports": PORTS, "between_seals_Pa": 101325.0, "over_s": 0.01}
    events = JOIN | {
        "fill": {"when": {"time_s": 0.12}, "do": {"pressurise": fill}},
        "tight": {"when": {"tight": PORTS, "watch_s": 0.05}, "do": {"phase": "TIGHT"}},
        "leaks": {"when": {"leaks": PORTS, "watch_s": 0.05}, "do": {"phase": "LEAKS"}},
    }
    result = run(few, pulled(9e4), events=events, duration=0.2)
    assert "the faces gape by 26 mm" in result.reason
    assert [event.name for event in result.events] == ["close", "fill", "leaks"]
    assert of(result, "seal_least_compression_m")[-1] == 0.0
