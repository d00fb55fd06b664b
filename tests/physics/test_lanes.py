"""The straight-line leg kernels, eight legs side by side, against the leg in detail and its statuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from docksim.compiler.mechanism_tables import leg_blocks, leg_table, place_in_blocks
from docksim.config.loading.scenario import load_mechanism
from docksim.hardware.mechanism import new_work
from docksim.kernel.mechanism.couplings import actuated
from docksim.kernel.mechanism.lanes import close_block, sum_block
from docksim.kernel.mechanism.legs import SMALL, leg_motion
from docksim.kernel.mechanism.reduction import add_leg
from docksim.kernel.mechanism.ring_equations import add_total
from docksim.model import table
from docksim.model.mechanism import LEG_FINE, LEG_UNREACHABLE, SHARES, WORK_BLOCK
from tests.oracle.mechanism_description import LEG_TYPES
from tests.oracle.mechanism_random import random_mechanism, random_state
from tests.support.mechanisms import mechanism_keys

Tuple = tuple[float, ...]


def of(values: Any) -> Tuple:
    return tuple(float(x) for x in np.asarray(values).ravel())


def random_legs(rng: np.random.Generator, types: Any) -> tuple[np.ndarray, Any]:
    """Leg table with base joints that travel, and a random state."""
    mechanism, reference = random_mechanism(rng, types)
    state = random_state(rng, mechanism, reference, rate=1.0)
    legs = leg_table(load_mechanism(mechanism_keys(mechanism, reference.r_C, reference.R_C)).six_legs())
    legs["travel"] = rng.uniform(-0.02, 0.02, (6, 3))
    return legs, state


def base_of(leg: Any, move: Tuple) -> tuple[Tuple, ...]:
    """A base joint on its straight way: position, velocity, acceleration."""
    return of(leg.l_0 + move[0] * leg.travel), of(move[1] * leg.travel), of(move[2] * leg.travel)


def in_detail(legs: np.ndarray, state: Any, move: Tuple) -> Any:
    work = new_work(6)
    for k, leg in enumerate(legs):
        u = of(state.u)
        leg_motion(leg, work.leg[k], of(state.R_C), of(state.r_C), u[:3], u[3:], of(state.omega0), base_of(leg, move))
        add_leg(leg, work.leg[k], work, of(state.R_C))
    return work


def in_lanes(legs: np.ndarray, state: Any, move: Tuple) -> tuple[Any, np.ndarray]:
    place_in_blocks(legs, 0)
    constants, total, u = leg_blocks(legs), np.zeros(SHARES), of(state.u)
    blocks = table(WORK_BLOCK, len(constants))
    for leg in legs:
        block = blocks[leg.block]
        l_0, block.v_0[:, leg.lane], block.a_0[:, leg.lane] = base_of(leg, move)
        block.way[:, leg.lane] = l_0 - leg.l_0
    for constant, block in zip(constants, blocks, strict=True):
        close_block(constant, block, (of(state.R_C), of(state.r_C), u[:3], u[3:]), of(state.omega0))
        assert sum_block(block, total)
    work = new_work(6)
    add_total(work, total, float(legs["mass"].sum()))
    return work, blocks


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("types", [*LEG_TYPES, LEG_TYPES], ids=[*LEG_TYPES, "mixed"])
@pytest.mark.parametrize("move", [(0.0, 0.0, 0.0), (0.7, 3.0, -5.0)], ids=["at_home", "retracting"])
def test_lanes_add_up_to_the_same_equations_as_legs_in_detail(types: Any, move: Tuple) -> None:
    for seed in range(7):
        legs, state = random_legs(np.random.default_rng(seed), types)
        detail, (lanes, blocks) = in_detail(legs, state, move), in_lanes(legs, state, move)
        for name in ("A", "b", "G", "n_0", "I"):
            # two orders of the same sums: 5e-15 at worst; a wrong formula does not come near
            assert relative(getattr(lanes, name), getattr(detail, name)) < 1e-12, name
        for k, leg in enumerate(legs):
            out, block = detail.leg[k], blocks[leg.block]
            # rounding, with room for the division by a short lever
            assert block.rate[leg.lane] == pytest.approx(out.rate[actuated(leg)], rel=1e-11, abs=1e-12)
            assert block.drift[leg.lane] == pytest.approx(out.y_0[0], rel=1e-10, abs=1e-12)
            assert np.allclose(block.axis[:, leg.lane], out.R_BE.reshape(3, 3)[:, 0], rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("types", LEG_TYPES)
def test_margins_tell_what_the_statuses_tell(types: str) -> None:
    rng = np.random.default_rng(5)
    told = {True: 0, False: 0}
    for _ in range(25):
        legs, state = random_legs(rng, types)
        far = replace(state, r_C=state.r_C + rng.uniform(-0.6, 0.6, 3))
        detail, (lanes, blocks) = in_detail(legs, far, (0.0, 0.0, 0.0)), in_lanes(legs, far, (0.0, 0.0, 0.0))
        # whatever the pose, the sums stay finite
        assert all(np.isfinite(getattr(lanes, name)).all() for name in ("A", "b", "G", "n_0", "I"))
        for k, leg in enumerate(legs):
            block, status = blocks[leg.block], detail.leg[k].status
            beyond = abs(block.reach[leg.lane]) > 1.0
            assert beyond == (status == LEG_UNREACHABLE)
            assert (beyond or block.margin[leg.lane] < SMALL) == (status != LEG_FINE)
            told[beyond] += 1
    assert told[False] > 0
    assert (told[True] > 0) == (types in ("RUS", "RSU"))


def test_lanes_without_a_leg_add_nothing() -> None:
    legs, state = random_legs(np.random.default_rng(3), LEG_TYPES)
    _, blocks = in_lanes(legs, state, (0.0, 0.0, 0.0))
    for constant, block in zip(leg_blocks(legs), blocks, strict=True):
        assert not block.share[:, int(constant.n_legs) :].any()


def test_a_share_that_is_not_a_number_is_told() -> None:
    legs, state = random_legs(np.random.default_rng(4), "UPS")
    _, blocks = in_lanes(legs, state, (0.0, 0.0, 0.0))
    blocks[0].share[40, 2] = np.nan
    assert not sum_block(blocks[0], np.zeros(SHARES))
