"""Pressure in the tunnel of a joint and between its two seals: valves that fill and vent, and leaks into the vacuum.

A valve brings a space evenly from its pressure to another one. Then it is shut, and the space leaks in proportion to
its pressure: dp/dt = -m' R T / V, with m' what the seal lets through at one atmosphere. A seal that is compressed less
than it needs anywhere leaks more, up to an open seal where it does not touch at all. Isothermal; the small motion of
the faces does not change the volumes.
"""

from docksim.algebra.elementary import exp
from docksim.model.joined import N_SPACES
from docksim.native.decorators import kernel


@kernel
def open_valve(state, i, space, pascal):
    """Begin to bring a space of a joint to a pressure, over the time that is set. Writes state.joined.

    Spaces that are vented, counted from N_SPACES on, leave nothing to watch.
    """
    own = state.joined[i]
    own.space = min(space, N_SPACES)
    space %= N_SPACES
    own.valve_from[space] = own.pressure[space]
    own.valve_to[space] = pascal
    own.valve_since[space] = state.clock[0].t
    own.shut[space] = -1.0


@kernel
def measured_leak(row, own, t):
    """What the space that was filled last has lost since its valve was shut, at one atmosphere [kg/s].

    While there is none it is what was measured last.
    """
    k = own.space
    if k == N_SPACES or own.shut[k] < 0.0 or not t > own.shut[k]:
        return own.leak
    watched = t - own.shut[k]
    return (own.shut_at[k] - own.pressure[k]) / (own.shut_at[k] * row.per_mass[k] * watched)


@kernel
def change_pressures(row, own, t):
    """Pressures at a time, from those before. Writes own pressure leak gas_at shut valve_since."""
    short = 1.0 - own.seal_least / row.seal_needed if row.seal_needed > 0.0 else 0.0
    leak = row.leak + (row.open_leak - row.leak) * min(max(short, 0.0), 1.0)
    for k in range(N_SPACES):
        since = own.valve_since[k]
        begun = own.gas_at
        if since >= 0.0:
            done = (t - since) / own.valve_over[k]
            if done < 1.0:
                own.pressure[k] = own.valve_from[k] + (own.valve_to[k] - own.valve_from[k]) * done
                continue
            begun = since + own.valve_over[k]
            own.pressure[k] = own.valve_to[k]
            own.valve_since[k] = -1.0
            own.shut[k] = begun
            own.shut_at[k] = own.valve_to[k]
        if own.pressure[k] > 0.0:
            own.pressure[k] *= exp(-leak * row.per_mass[k] * (t - begun))
    own.gas_at = t
    own.leak = measured_leak(row, own, t)


@kernel
def is_watched(own, t, watch):
    """Has the space that was filled last been shut for so long, and not been vented?"""
    return own.space < N_SPACES and own.shut[own.space] >= 0.0 and t - own.shut[own.space] >= watch
