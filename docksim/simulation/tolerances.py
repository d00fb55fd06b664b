"""What `solver.tolerance` does to a docking: `python -m benchmarks.campaign 24 --trust`, docs/accuracy.md."""

from __future__ import annotations

# tolerance [m/s, rad/s]: first impacts against steps of an eighth, median and largest; instant of capture [s]
MEASURED = {1e-7: (1.5e-3, 5.0e-3, 4.2e-3), 1e-6: (2.1e-3, 3.9e-3, 3.0e-3), 1e-5: (3.1e-3, 1.1e-2, 5.8e-3)}


def tolerance_text(tolerance: float) -> str:
    """What to expect of it, in words."""
    coarser = [known for known in MEASURED if known >= tolerance * (1.0 - 1e-9)]
    if not coarser:
        largest = max(MEASURED)
        return (
            f"warning: {tolerance:g} is coarser than {largest:g}, beyond which nothing was measured; take that or less"
        )
    median, largest_off, capture = MEASURED[min(coarser)]
    words = f"first impacts were off by {median:.1%} (median) and {largest_off:.1%} (largest) of those of fine steps"
    return f"note: at {min(coarser):g} {words}, captures by {1e3 * capture:.0f} ms; docs/accuracy.md"
