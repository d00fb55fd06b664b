"""The shell that PythonFMU wants: registers inputs and outputs of an instance, and passes steps on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from pythonfmu import DefaultExperiment, Fmi2Causality, Fmi2Slave, Fmi2Variability, Real
from pythonfmu.enums import Fmi2Status

from docksim.realtime.fmu import FmuError, Instance


class DocksimSlave(Fmi2Slave):  # type: ignore[misc]
    """Base of the class in an FMU."""

    author = "docksim"
    description = "a docksim scenario; wrenches on the axes of their ports, motions on the axes of W"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.instance = Instance(Path(str(self.resources)))
        self.default_experiment = DefaultExperiment(0.0, self.instance.duration_s, self.instance.step_s)
        for name in self.instance.inputs:
            self._add(name, self.instance.inputs, Fmi2Causality.input)
        for name in self.instance.outputs:
            self._add(name, self.instance.outputs, Fmi2Causality.output)

    def _add(self, name: str, values: dict[str, float], causality: Fmi2Causality) -> None:
        def set_value(value: float) -> None:
            values[name] = value

        setter = set_value if causality == Fmi2Causality.input else None
        kind = Fmi2Variability.continuous
        self.register_variable(
            Real(name, causality=causality, variability=kind, getter=lambda: values[name], setter=setter)
        )

    def to_xml(self, *arguments: Any, **options: Any) -> Element:
        """PythonFMU leaves out the list of initial unknowns, which the standard asks for: all outputs."""
        root = super().to_xml(*arguments, **options)
        structure = root.find("ModelStructure")
        if structure is not None and structure.find("InitialUnknowns") is None:
            unknowns = SubElement(structure, "InitialUnknowns")
            unknowns.extend(copy(unknown) for unknown in structure.findall("Outputs/Unknown"))
        return root

    def setup_experiment(self, start_time: float, stop_time: float | None, tolerance: float | None) -> None:
        with self._told():
            self.instance.begin(start_time)

    def do_step(self, current_time: float, step_size: float) -> bool:
        with self._told():
            more = self.instance.do_step(current_time, step_size)
        if not more:
            self._tell(f"the run has ended, at t = {self.instance.time_s:.9g} s; there are no steps beyond")
        return more

    @contextmanager
    def _told(self) -> Iterator[None]:
        """PythonFMU passes reasons on only to importers that ask for a log, so they go to standard error as well."""
        try:
            yield
        except FmuError as error:
            self._tell(str(error))
            raise

    def _tell(self, text: str) -> None:
        self.log(text, Fmi2Status.error)
        print(f"docksim: {text}", file=sys.stderr, flush=True)
