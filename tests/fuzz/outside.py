"""What comes over the network, and what was kept of it."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from docksim.config import load_scenario
from docksim.config.schema.scenario import Scenario
from docksim.jobs.paced import Wish, run_scenario
from docksim.realtime import packets
from docksim.realtime.compensation import Path as WrenchPath
from docksim.realtime.inputs import InputError, Inputs
from docksim.realtime.journal import ASKED, FILE, JOURNAL, RECORD, RECORDS, SILENCE, Asked, digest, read_journal
from docksim.realtime.rows import mark_of, row_payload
from docksim.realtime.session import Pace, RateError
from docksim.realtime.watch import View
from docksim.replay.watched import Watched
from docksim.result.result import ResultError
from docksim.simulation.run import Run, at_the_start
from docksim.simulation.sealed import from_text
from tests.fuzz.basis import REFUSED, ROOT, TAKEN, fit_to_print
from tests.fuzz.damage import NUMBERS, damaged, replaced
from tests.support.realtime_rigs import balls

ARM = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "joint": {"type": "revolute", "axis": [0, 1, 0]}}


def rig() -> dict[str, Any]:
    """Two balls, one with an arm."""
    keys = balls(1e-3, 0.02)
    name = next(iter(keys["vehicles"]))
    keys["vehicles"][name]["bodies"] = {"arm": ARM}
    return keys


@dataclass
class Packets:
    """Datagrams: damaged ones, and whole ones with odd payloads; to a run's inputs and to two viewers."""

    suffix = ".bin"

    @cached_property
    def docking(self) -> Scenario:
        return load_scenario(ROOT / "scenarios/dock_nds.yaml")

    @cached_property
    def inputs(self) -> list[Inputs]:
        docking, arm = at_the_start(self.docking), at_the_start(load_scenario(rig()))
        joints = [f"{vehicle}.arm" for vehicle in arm.scenario.vehicles][:1]
        return [Inputs(docking, ["chaser.nose"], ["dock"], motion=["station"]), Inputs(arm, torques=joints)]

    @cached_property
    def watched(self) -> Watched:
        return Watched(self.docking)

    @cached_property
    def row(self) -> bytes:
        """As the run sends it."""
        run = Run(at_the_start(self.docking))
        run.advance(1)
        return row_payload(mark_of(self.docking), run.log.picked(slice(1)), run.compiled.state)

    def draw(self, rng: Random) -> bytes:
        kind = rng.choice(sorted(packets.TYPES))
        entry = packets.ENTRIES.get(kind)
        payload = rng.randbytes(entry.size * rng.randrange(4) if entry else rng.choice((8, 64, 296)))
        if entry and rng.random() < 0.5:
            payload = self._sensible(kind, rng)
        if kind == packets.ROW:
            at = 8 * rng.randrange(len(self.row) // 8)
            payload = self.row[:at] + struct.pack("<d", rng.choice(NUMBERS)) + self.row[at + 8 :]
        if kind == packets.DESCRIPTION:
            names = {"scenario": "s", "frames": ["a"], "contacts": ["c"], "phases": ["p"]}
            payload = json.dumps(replaced(names, rng)).encode()
        whole = packets.encode(
            kind, payload, rng.getrandbits(32), time_ns=rng.getrandbits(62), flags=rng.getrandbits(8)
        )
        return damaged(whole, rng) if rng.random() < 0.4 else whole

    def _sensible(self, kind: int, rng: Random) -> bytes:
        """Entries of the right form with numbers from the edges."""
        sizes = {packets.WRENCH: 6, packets.CONTACT: 7, packets.MOTION: 13, packets.TORQUE: 1}
        first = (
            (rng.randrange(3),) if kind in (packets.MOTION, packets.TORQUE) else (rng.randrange(3), rng.randrange(3))
        )
        if kind == packets.COMMAND:
            return packets.COMMAND_ENTRY.pack(rng.randrange(5), rng.choice(NUMBERS), rng.choice((b"a", b"\xff\x1b[2J")))
        numbers = [rng.uniform(-1.0, 1.0) for _ in range(sizes[kind])]
        if rng.random() < 0.5:
            numbers[rng.randrange(len(numbers))] = rng.choice(NUMBERS)
        return packets.ENTRIES[kind].pack(*first, *numbers)

    def feed(self, content: bytes, folder: Path) -> str:
        view = View()
        view.take(content)
        with np.errstate(all="ignore"):
            self.watched.take(content)
            self.watched.flush()
        packet = packets.decode(content)
        if isinstance(packet, str):
            return REFUSED
        view.picture()
        taken = [not inputs.take(packet) for inputs in self.inputs]
        return REFUSED if packet.type in packets.ENTRIES and not any(taken) else TAKEN


@dataclass
class JournalOfRun:
    """A journal whose record or records were changed, with a digest that fits; the run is made again from it."""

    folder: Path
    suffix = ".npz"

    @cached_property
    def scenario(self) -> Scenario:
        return load_scenario(rig())

    @cached_property
    def asked(self) -> dict[str, Any]:
        pair = next(iter(self.scenario.contacts))
        port = self.scenario.contacts[pair].ports[0]
        joint = next(f"{name}.arm" for name, vehicle in self.scenario.vehicles.items() if vehicle.bodies)
        text = digest(self.scenario.to_yaml().encode())
        path = WrenchPath(bandwidth=100.0)
        asked = Asked(1000.0, (port,), (pair,), ("all",), path, 20, None, False, text, (joint,))
        return asdict(asked)

    def draw(self, rng: Random) -> bytes:
        asked = replaced(self.asked, rng) if rng.random() < 0.6 else self.asked
        records = b"".join(self._record(cycle, rng) for cycle in range(rng.randrange(12)))
        if rng.random() < 0.3:
            records = damaged(records, rng)
        arrays = {RECORDS: np.frombuffer(records, np.uint8), ASKED: from_text(json.dumps(asked))}
        content = JOURNAL.write(self.folder / "drawn.npz", arrays).read_bytes()
        return damaged(content, rng) if rng.random() < 0.1 else content

    def _record(self, cycle: int, rng: Random) -> bytes:
        kind = rng.choice((SILENCE, *packets.ENTRIES))
        payload = Packets()._sensible(kind, rng) if kind else rng.choice((b"\0\0", b"\1\0", b"\xff\xff", b""))
        return RECORD.pack(cycle, kind, len(payload)) + payload

    def feed(self, content: bytes, folder: Path) -> str:
        (folder / FILE).write_bytes(content)
        try:
            with np.errstate(all="ignore"):
                kept = read_journal(folder, self.scenario.to_yaml())
                asked = kept.asked
                given = {key: getattr(asked, key) for key in ("ports", "measured", "motion", "torques", "path")}
                wish = Wish(Pace(asked.rate_Hz, lock_memory=False), again=kept, clock=False, **given)
                run_scenario(self.scenario, wish)
        except (ResultError, RateError, InputError) as error:
            fit_to_print(str(error).replace("\n", "\\n"))
            return REFUSED
        return TAKEN
