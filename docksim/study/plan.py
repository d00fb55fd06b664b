"""A study ready to run: which cases there are, the values of each, and the scenario of each.

Where the state of an approach holds at first contact, a random case whose state is none is drawn again, so that cases
are a random sample of the first contacts in the box. A case of a design, a grid or a sweep stays, and is invalid.

A case's scenario is made from the base scenario's data with the values laid in, then validated and checked like a file:
the same as `docksim run` with these values as overrides, without reading files again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from docksim.compiler.patching import PATCHED
from docksim.config.checks.approach import check_approach
from docksim.config.checks.contact import check_contacts
from docksim.config.checks.scenario import check_scenario
from docksim.config.errors import Problem, ScenarioError
from docksim.config.loading.explain import data_path, explain
from docksim.config.loading.study import LoadedStudy, load_study
from docksim.config.schema.fields import Part
from docksim.config.schema.scenario import Scenario, with_sequence
from docksim.config.schema.study import DESIGNS, MOST_CASES, Study
from docksim.config.tree import Keys, dotted
from docksim.result.bands import is_band_end
from docksim.simulation.first_contact import NoFirstContact, find_start
from docksim.simulation.run import Tables, prepare_kernel
from docksim.study.columns import all_metrics, metric_columns, metric_faults
from docksim.study.sampling import DesignSampler, RandomSampler, SaltelliSampler, Sampler
from docksim.study.transforms import Transform

TRIED_CASES = 32
MOST_REDRAWS = 100  # of one case
REDRAWS = "approach.redraws"  # the metric that says how often a case was drawn again


@dataclass(frozen=True)
class Plan:
    """All cases of a study, counted from 1."""

    loaded: LoadedStudy

    @property
    def study(self) -> Study:
        return self.loaded.study

    @property
    def keys(self) -> list[str]:
        return self.study.keys

    @property
    def cases(self) -> int:
        study = self.study
        if study.grid:
            return math.prod(len(axis.values) for axis in study.grid)
        if study.sweep:
            return 1 + sum(len(axis.values) for axis in study.sweep)
        return int(study.cases or 0)

    @cached_property
    def columns(self) -> list[str]:
        """The metrics that are kept of a case."""
        return [*metric_columns(self.study, self._metrics), *([REDRAWS] if self.redraws else [])]

    @property
    def at_contact(self) -> bool:
        """Whether the state of cases holds at first contact."""
        approach = self.loaded.base.approach
        return approach is not None and approach.holds_at == "contact"

    @property
    def redraws(self) -> bool:
        """Whether a case that is no first contact is drawn again; a design would be one no more."""
        return self.study.is_random and self.at_contact

    def values(self, case: int) -> list[Any]:
        """The value of every key in a case."""
        return self.drawn(case)[0]

    def drawn(self, case: int) -> tuple[list[Any], int]:
        """The values of a case, and how often it was drawn again until it was a first contact.

        ScenarioError, at the study's line, if the box has hardly any.
        """
        if not self.redraws:
            return self._values(case), 0
        redraw = self.redraws_of(case)
        return self.transform.values(self.random.point(case, redraw)), redraw

    def redraws_of(self, case: int) -> int:
        """How often a random case is drawn again."""
        for redraw in range(MOST_REDRAWS + 1):
            reason = self.reason_against(self.transform.values(self.random.point(case, redraw)))
            if reason is None:
                return redraw
        text = (
            f"case {case}: none of {MOST_REDRAWS + 1} draws is a first contact (the last: {reason}); "
            "narrow the distributions of the approach, or set approach.holds_at to distance"
        )
        raise ScenarioError([self.loaded.problem(("dispersions",), text)])

    def reason_against(self, values: Sequence[Any]) -> str | None:
        """Why these values are no first contact; None if they are one, or if they are no valid scenario at all."""
        prepare_kernel()
        try:
            find_start(self.scenario_of(values))
        except NoFirstContact as error:
            return error.problems[0].message
        except ScenarioError:
            return None
        return None

    def _values(self, case: int) -> list[Any]:
        # random cases have no end: the file's number says how many are run, not how many there are
        last = MOST_CASES if self.study.is_random else self.cases
        if not 1 <= case <= last:
            raise ScenarioError([Problem(self.loaded.file, None, "", f"has cases 1 to {last}, no case {case}")])
        values = list(self.loaded.nominal)
        if self.study.grid:
            # the last axis varies fastest
            rest = case - 1
            for i, axis in reversed(list(enumerate(self.study.grid))):
                rest, k = divmod(rest, len(axis.values))
                values[i] = axis.values[k]
            return values
        if self.study.sweep:
            # case 1 is the base itself; then every value of the first axis, of the second, and so on
            rest = case - 2
            for i, axis in enumerate(self.study.sweep):
                if 0 <= rest < len(axis.values):
                    values[i] = axis.values[rest]
                rest -= len(axis.values)
            return values
        return self.transform.values(self._sampler.point(case))

    def scenario(self, case: int) -> Scenario:
        """The checked scenario of a case; ScenarioError if its values make none."""
        return self.scenario_of(self.values(case))

    def scenario_of(self, values: Sequence[Any]) -> Scenario:
        """The checked scenario with these values of the keys."""
        data = self.loaded.data
        for path, value in zip(self.loaded.paths, values, strict=True):
            data = laid_in(data, path, value)
        return self._patched(data) or _checked(data, self.loaded.file)

    def _patched(self, data: Any) -> Scenario | None:
        """The scenario with only those parts read anew that vary, and the checks that look at them; None if others
        vary, or something is wrong, which the whole way says better."""
        if not self._varied:
            return None
        scenario = self._pattern
        try:
            for path, kind in self._varied.items():
                scenario = replaced(scenario, path, kind.model_validate(at_path(data, path)))
        except ValidationError:
            return None
        return None if any(check_contacts(scenario)) or any(check_approach(scenario)) else scenario

    @cached_property
    def _pattern(self) -> Scenario:
        """The base scenario as it is made of data."""
        return _checked(self.loaded.data, self.loaded.file)

    @cached_property
    def _varied(self) -> dict[Keys, type[Part]]:
        """The parts with the keys of the study and their classes, if all of these keys can be patched; else none."""
        parts: dict[Keys, type[Part]] = {}
        try:
            for path in self.loaded.paths:
                owner = next((n for n in range(len(path)) if type(at_path(self._pattern, path[:n])) in PATCHED), None)
                if owner is None or path[owner] not in PATCHED[type(at_path(self._pattern, path[:owner]))]:
                    return {}
                parts[path[:owner]] = type(at_path(self._pattern, path[:owner]))
        except ScenarioError:
            return {}
        return parts

    @cached_property
    def tables(self) -> Tables:
        """What is compiled of one case and serves others."""
        return Tables()

    def tried(self) -> None:
        """ScenarioError, at the study's line, if a metric does not exist, or one of the first cases is not valid."""
        faults = metric_faults(self.loaded, self._metrics)
        if faults:
            raise ScenarioError(faults)
        for case in range(1, min(self.cases, TRIED_CASES) + 1):
            try:
                self.scenario_of(self._values(case))
            except ScenarioError as error:
                fault = error.problems[0]
                where = "dispersions" if self.study.dispersions else "grid" if self.study.grid else "sweep"
                text = f"case {case} is no valid scenario: {fault.key}: {fault.message}"
                raise ScenarioError([self.loaded.problem((where,), text)]) from None
        self.drawn(1)

    @cached_property
    def _metrics(self) -> list[str]:
        return all_metrics(self.study, self.loaded.base)

    @cached_property
    def band(self) -> bool:
        """Whether every case is run at both ends of its contact's band, too."""
        return any(map(is_band_end, self._metrics))

    @cached_property
    def transform(self) -> Transform:
        """From a point of the unit cube to the values of the keys."""
        return Transform(self.study.dispersions, self.study.correlations, self.loaded.nominal)

    @cached_property
    def _sampler(self) -> Sampler:
        study, width = self.study, self.transform.dimensions
        if study.sampling == "saltelli":
            factors = [self.transform.columns(members) for _, members in study.factors]
            return SaltelliSampler(study.seed, width, self.cases, study.replicates, factors)
        if study.sampling in DESIGNS:
            return DesignSampler(study.sampling, study.seed, width, self.cases, study.replicates)
        return self.random

    @cached_property
    def random(self) -> RandomSampler:
        """Independent cases."""
        return RandomSampler(self.study.seed, self.transform.dimensions)


def load_plan(source: str | Path | Mapping[str, Any], cases: int | None = None, fast: bool = False) -> Plan:
    """The plan of a study in a file or dict, with fast cases if it is asked for; ScenarioError with every problem."""
    plan = Plan(load_study(source, cases, fast))
    plan.tried()
    return plan


def laid_in(data: Any, path: Keys, value: Any) -> Any:
    """The data with one value changed; what does not change is shared."""
    head, *rest = path
    changed = laid_in(data[head], tuple(rest), value) if rest else value
    if isinstance(data, list):
        index = int(head)
        return [*data[:index], changed, *data[index + 1 :]]
    return {**data, head: changed}


def at_path(whole: Any, path: Keys) -> Any:
    """What stands there in data, or in a scenario."""
    for key in path:
        if isinstance(whole, list | tuple):
            whole = whole[int(key)]
        else:
            whole = whole[key] if isinstance(whole, dict) else getattr(whole, str(key))
    return whole


def replaced(whole: Any, path: Keys, part: Any) -> Any:
    """A scenario with one of its parts replaced; what does not change is shared."""
    if not path:
        return part
    inner = replaced(at_path(whole, path[:1]), path[1:], part)
    if isinstance(whole, Part):
        return whole.model_copy(update={str(path[0]): inner})
    return laid_in(whole, path[:1], inner)


def _checked(data: Any, name: str) -> Scenario:
    try:
        scenario = Scenario.model_validate(data)
        faults = [(data_path(path, data), text) for path, text in check_scenario(scenario)]
    except ValidationError as error:
        scenario, faults = None, list(explain(error.errors(include_url=False), data))
    if scenario is None or faults:
        raise ScenarioError(Problem(name, None, dotted(path), text) for path, text in faults)
    return with_sequence(scenario)
