"""Loads over the band of the contact's stiffness: which of them the stiffness decides, and which the mechanism."""

from __future__ import annotations

import numpy as np

from docksim.config.band_ends import at_end
from docksim.config.bands import ENDS
from docksim.config.study_loader import load_study
from docksim.study.plan import Plan
from docksim.validation.bench import Bench, Job, path_of
from docksim.validation.row import Finding, Row

LASTING, SHEAR = "dock.sustained_compression_N", "dock.peak_shear_N"
ALIKE = 0.05
LEAST, MOST = 2.0, 4.0


def over_band(bench: Bench, size: int, metric: str) -> np.ndarray:
    """A load of so many cases of the IDSS box, one line for each of soft, middle and stiff contact."""
    plan = Plan(load_study(path_of("studies", "idss_nds"), size))
    cases = [plan.scenario(case) for case in range(1, size + 1)]
    jobs = [Job(at_end(case, end), metrics=(LASTING, SHEAR)) for end in ENDS for case in cases]
    return np.array([told.number(metric) for told in bench.runs(jobs)]).reshape(len(ENDS), size)


def lasting(bench: Bench, size: int) -> Finding:
    """The compression that lasts 0.1 s, at the median and at the tail."""
    loads = over_band(bench, size, LASTING)
    spans, words = [], []
    for share in (0.5, 0.95):
        ends = np.nanquantile(loads, share, axis=1)
        spans.append(float(np.ptp(ends) / ends[1]))
        words.append(f"{share:.0%} {' / '.join(f'{value:.0f}' for value in ends)} N")
    figures = {"median": spans[0], "tail": spans[1]}
    return Finding(f"{', '.join(words)}: within {100.0 * max(spans):.1f} %", max(spans) <= ALIKE, figures)


def shear(bench: Bench, size: int) -> Finding:
    """The largest shear at the tail, stiff over soft."""
    soft, middle, stiff = np.nanquantile(over_band(bench, size, SHEAR), 0.95, axis=1)
    ratio = float(stiff / soft)
    words = f"95 % {soft:.0f} / {middle:.0f} / {stiff:.0f} N: {ratio:.2f}"
    return Finding(words, LEAST <= ratio <= MOST, {"ratio": ratio})


ROWS = (
    Row(
        name="band_lasting",
        group="population",
        published="compression that lasts 0.1 s, with soft, middle and stiff contact: IDSS box, NDS-like, 12 t",
        source="own estimate of the band (docs/contact.md)",
        band="median and 95 % quantile within 5 % over the band",
        reason="what lasts longer than an impact is held by the mechanism, whose springs are a thousand times softer",
        experiment=lasting, short=4, full=40, unit="cases", seed=1,
    ),
    Row(
        name="band_shear",
        group="population",
        published="largest shear with stiff over that with soft contact, the same cases",
        source="own estimate of the band (docs/contact.md)",
        band="95 % quantile between 2 and 4 times",
        reason="one rigid impact has v sqrt(k m): sqrt(13) = 3.6 for the petals' band; knocks that follow change it",
        experiment=shear, short=4, full=40, unit="cases", seed=1,
    ),
)  # fmt: skip
