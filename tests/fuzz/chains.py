"""Chains, tasks, recordings and motions of chains."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import yaml

from docksim.chain.build import build_chain
from docksim.chain.identification.recording import read_recording
from docksim.chain.model import ChainModel
from docksim.chain.motion.runs import run_task
from docksim.chain.motion.saved import motion_result, read_motion, write_motion
from docksim.cli.chain_inspect import chain_facts
from docksim.config import ScenarioError
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import LoadedTask, load_task
from docksim.result.export import WRITERS, export
from docksim.result.result import ResultError
from tests.fuzz.basis import MOST_LINES, REFUSED, ROOT, TAKEN, fit_to_print
from tests.fuzz.damage import NUMBERS, another, damaged, replaced
from tests.support.urdf_texts import random_urdf

SHORT_S = 0.02


@dataclass
class ChainText:
    """Damaged chain files."""

    suffix = ".yaml"
    folder = "configs/chains"

    @cached_property
    def seeds(self) -> list[bytes]:
        return [file.read_bytes() for file in sorted((ROOT / self.folder).glob("*.yaml"))]

    def draw(self, rng: Random) -> bytes:
        seed = rng.choice(self.seeds)
        if rng.random() < 0.4:
            return damaged(seed, rng)
        return json.dumps(replaced(yaml.safe_load(seed), rng)).encode()

    def feed(self, content: bytes, folder: Path) -> str:
        file = folder / f"drawn{self.suffix}"
        file.write_bytes(content)
        try:
            with np.errstate(all="ignore"):
                self.use(file)
        except ScenarioError as error:
            fit_to_print(str(error), MOST_LINES)
            return REFUSED
        return TAKEN

    def use(self, file: Path) -> None:
        notes: list[str] = []
        model = build_chain(read_chain(str(file), None, notes))
        chain_facts(model, model.home)
        for note in notes:
            fit_to_print(note, 3)


class Urdf(ChainText):
    """Damaged URDFs."""

    suffix = ".urdf"

    @cached_property
    def seeds(self) -> list[bytes]:
        return [random_urdf(np.random.default_rng(seed)).encode() for seed in range(3)]

    def draw(self, rng: Random) -> bytes:
        seed = rng.choice(self.seeds)
        if rng.random() < 0.5:
            return damaged(seed, rng)
        # another value between two quotes
        parts = seed.split(b'"')
        parts[2 * rng.randrange(len(parts) // 2) + 1] = rng.choice(
            [b"", b"l0", b"l3", b"1e999", b"nan", b"0", b"-1", b"1e300", b"&lt;/script&gt;", "\x9b2J\u202e".encode()]
            + [" ".join(str(rng.choice(NUMBERS)) for _ in range(3)).encode()]
        )
        return b'"'.join(parts)


class TaskText(ChainText):
    """Damaged tasks; those that are taken are run for an instant."""

    folder = "configs/tasks"

    def use(self, file: Path) -> None:
        loaded = load_task(file)
        if loaded.task.output_s < SHORT_S:
            return
        brief = loaded.task.model_copy(update={"duration_s": min(SHORT_S, loaded.task.duration_s)})
        run_task(LoadedTask(brief, loaded.chain, loaded.file, loaded.where))


@dataclass
class RecordingFile:
    """Recorded motion of an arm with two joints, as CSV or .npz; the name says which."""

    folder: Path
    suffix = ".bin"

    @cached_property
    def model(self) -> ChainModel:
        return build_chain(read_chain(str(ROOT / "configs/chains/planar_2r.yaml")))

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        time = np.linspace(0.0, 1.0, 40)
        kinds = ("angle_deg", "torque_Nm")
        return {"time_s": time, **{f"{name}.{kind}": time**2 for name in self.model.names for kind in kinds}}

    def draw(self, rng: Random) -> bytes:
        if rng.random() < 0.5:
            rows = zip(*self.columns.values(), strict=True)
            text = "\n".join([",".join(self.columns), *(",".join(map(repr, map(float, row))) for row in rows)])
            return damaged(text.encode(), rng)
        name = rng.choice(list(self.columns))
        file = self.folder / "drawn.npz"
        np.savez(file, **{**self.columns, name: another(self.columns[name], rng)})  # type: ignore[arg-type]
        return file.read_bytes() if rng.random() < 0.7 else damaged(file.read_bytes(), rng)

    def feed(self, content: bytes, folder: Path) -> str:
        file = folder / f"recording.{'npz' if content.startswith(b'PK') else 'csv'}"
        file.write_bytes(content)
        try:
            with np.errstate(all="ignore"):
                read_recording(file, self.model)
        except ScenarioError as error:
            fit_to_print(str(error), MOST_LINES)
            return REFUSED
        return TAKEN


@dataclass
class SavedMotion:
    """The folder of a chain's run with one damaged file, as a JSON list: its name and its content in hexadecimal."""

    folder: Path
    suffix = ".json"

    @cached_property
    def files(self) -> dict[str, bytes]:
        place = self.folder / "motion"
        if not place.is_dir():
            place.mkdir()
            loaded = load_task(ROOT / "configs/tasks/four_bar.yaml")
            brief = LoadedTask(loaded.task.model_copy(update={"duration_s": 0.1}), loaded.chain, loaded.file, {})
            write_motion(run_task(brief), brief, place)
        return {path.name: path.read_bytes() for path in place.iterdir() if path.suffix in (".json", ".npz")}

    def draw(self, rng: Random) -> bytes:
        name = rng.choice(list(self.files))
        content = self.files[name]
        if rng.random() < 0.3:
            changed = damaged(content, rng)
        elif name.endswith(".json"):
            changed = json.dumps(replaced(json.loads(content), rng)).encode()
        else:
            changed = self._other_numbers(rng)
        return json.dumps([name, changed.hex()]).encode()

    def _other_numbers(self, rng: Random) -> bytes:
        with np.load(self.folder / "motion/motion.npz") as archive:
            arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
        name = rng.choice(list(arrays))
        file = self.folder / "drawn.npz"
        np.savez(file, **{**arrays, name: another(arrays[name], rng)})
        return file.read_bytes()

    def feed(self, content: bytes, folder: Path) -> str:
        name, changed = json.loads(content)
        for other, own in self.files.items():
            (folder / other).write_bytes(bytes.fromhex(changed) if other == name else own)
        try:
            with np.errstate(all="ignore"):
                result = motion_result(folder)
                for kind in WRITERS:
                    export(result, kind, folder / f"data.{kind}")
                read_motion(folder)
        except ResultError as error:
            fit_to_print(str(error), MOST_LINES)
            return REFUSED
        return TAKEN
