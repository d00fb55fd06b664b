"""Units as they appear at the end of keys."""

from __future__ import annotations

from functools import cache

# suffix of a key, and how messages write the unit
UNITS = {
    "kg": "kg",
    "kg_m2": "kg m2",
    "m": "m",
    "mm": "mm",
    "km": "km",
    "m_s": "m/s",
    "m_s2": "m/s2",
    "kg_m_s": "kg m/s",
    "kg_m2_s": "kg m2/s",
    "s": "s",
    "1_s": "1/s",
    "1_s2": "1/s2",
    "Hz": "Hz",
    "deg": "deg",
    "deg_s": "deg/s",
    "rad_s": "rad/s",
    "rpm": "rpm",
    "N": "N",
    "N_m": "N/m",
    "Ns_m": "N s/m",
    "Nm": "N m",
    "J": "J",
    "Nm_rad": "N m/rad",
    "Nms_rad": "N m s/rad",
    "Nm2": "N m2",
    "s_rad": "s/rad",
    "s_m": "s/m",
    "Pa": "Pa",
    "K": "K",
    "m3": "m3",
    "g_h": "g/h",
}

# what stands behind the unit in names of metrics
_BEHIND = frozenset(("peak", "least", "largest", "low", "high", "band_low", "band_high", "closed_form"))

# words that look like units at the end of a key, ours and other people's
_UNIT_WORDS = frozenset(
    """
    kg kgs g t ton tons tonne tonnes lb lbs lbm slug oz
    m mm cm km um ft feet in inch inches mi nmi meter meters metre metres m2 ft2 in2 mm2 cm2 nm2
    s ms us sec secs second seconds min mins minute minutes h hr hrs hour hours
    deg degs degree degrees rad rads radian radians arcmin arcsec mrad rev hz khz rpm rps dps
    n kn mn lbf kgf pa kpa bar psi atm m3 l nm knm nmm nms knms ftlb ftlbf ns kns per sq
    """.split()  # noqa: SIM905
)


@cache
def split_unit(key: str) -> tuple[str, str]:
    """A key of the schema as (stem, unit suffix); no suffix if it ends in no unit."""
    words = key.split("_")
    for count in (3, 2, 1):
        suffix = "_".join(words[-count:])
        if len(words) > count and suffix in UNITS:
            return "_".join(words[:-count]), suffix
    return key, ""


def unit_of(name: str) -> str:
    """Of a dotted key, or of a metric, as messages write it; none of a share, a count or a word."""
    words = [word for word in name.split(".") if not word.isdigit() and word not in _BEHIND]
    return UNITS.get(split_unit(words[-1])[1], "") if words else ""


def unit_phrase(key: str) -> str:
    """ " in kg" for mass_kg; nothing for keys without a unit."""
    suffix = split_unit(key)[1]
    return f" in {UNITS[suffix]}" if suffix else ""


def same_quantity(unknown: str, keys: list[str]) -> list[str]:
    """The keys that differ from an unknown one in nothing but the unit: 'mass_lb' or 'mass' for 'mass_kg'."""
    return [key for key in keys if split_unit(key)[1] and _is_other_unit(unknown, split_unit(key)[0])]


def _is_other_unit(unknown: str, stem: str) -> bool:
    folded, stem = unknown.lower(), stem.lower()
    if folded == stem:
        return True
    rest = folded.removeprefix(stem + "_")
    return rest != folded and all(word in _UNIT_WORDS for word in rest.split("_"))
