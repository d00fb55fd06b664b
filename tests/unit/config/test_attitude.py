"""The forms of an attitude agree with each other."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docksim.config.schema.fields import Attitude

Quaternion = tuple[float, float, float, float]
angle = st.floats(-400, 400)


def product(p: Quaternion, q: Quaternion) -> Quaternion:
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return (
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    )


def about(axis: int, degrees: float) -> Quaternion:
    vector = [0.0, 0.0, 0.0]
    vector[axis] = degrees
    return Attitude(rotation_vector_deg=tuple(vector)).quaternion_wxyz()


def test_empty_mapping_is_no_rotation() -> None:
    assert Attitude().quaternion_wxyz() == (1.0, 0.0, 0.0, 0.0)


def test_quarter_turn_about_z_takes_body_x_to_outer_y() -> None:
    w, x, y, z = Attitude(rotation_vector_deg=(0.0, 0.0, 90.0)).quaternion_wxyz()
    turned = product(product((w, x, y, z), (0.0, 1.0, 0.0, 0.0)), (w, -x, -y, -z))
    assert turned == pytest.approx((0.0, 0.0, 1.0, 0.0), abs=1e-15)


@given(angle, angle, angle)
def test_yaw_pitch_roll_is_three_turns_about_moving_axes(yaw: float, pitch: float, roll: float) -> None:
    expected = product(product(about(2, yaw), about(1, pitch)), about(0, roll))
    # a few roundings of numbers below one
    assert Attitude(yaw_pitch_roll_deg=(yaw, pitch, roll)).quaternion_wxyz() == pytest.approx(expected, abs=1e-14)


@given(angle, angle, angle)
def test_quaternion_of_every_form_has_unit_length(a: float, b: float, c: float) -> None:
    for form in (Attitude(rotation_vector_deg=(a, b, c)), Attitude(yaw_pitch_roll_deg=(a, b, c))):
        assert math.hypot(*form.quaternion_wxyz()) == pytest.approx(1.0, abs=1e-14)


def test_quaternion_is_normalised_on_use_but_kept_as_written() -> None:
    written = (1.0 + 5e-7, 0.0, 0.0, 0.0)
    attitude = Attitude(quaternion=written)
    assert attitude.quaternion == written
    assert attitude.quaternion_wxyz() == (1.0, 0.0, 0.0, 0.0)


def test_tiny_rotation_vector_keeps_its_direction() -> None:
    w, x, y, z = Attitude(rotation_vector_deg=(0.0, 3e-200, 4e-200)).quaternion_wxyz()
    assert (w, x) == (1.0, 0.0)
    assert z / y == pytest.approx(4 / 3)
