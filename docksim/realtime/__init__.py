"""Real time: a paced loop around the same kernel, a bridge to test rigs, and the analysis of loops with delay.

`pacing` keeps deadlines, `timing` says what became of them, `session` puts a run together; `packets`, `bridge`,
`bridged`, `inputs` and `telemetry` talk to the world (`addresses` says where, `sources` which input is stale), `motion`
places what is measured, `measured`, `compensation` and `passivity` treat measured contact; `journal`,
`playback` and `again` make a bridged run again; `watch` and `rows` show it; `hil` says how much delay a rig may have.
"""

from docksim.realtime.peer import Peer, State

__all__ = ["Peer", "State"]
