"""The house style: one place for sizes, colours and line styles.

Colours are the eight of Okabe and Ito, told apart by colour-blind readers; every curve of a panel also has its own
line style, so figures survive a grey printer. Sizes are in inches and points for a text-wide figure.
"""

from __future__ import annotations

from typing import Any

MAX_CURVES = 8

WIDTH_IN = 7.4
LEFT_IN = 0.85
LEGEND_IN = (1.05, 2.6)
PANEL_IN = 1.35
GAP_IN = 0.2
TITLE_IN = 0.36
BOTTOM_IN = 0.5
EVENT_ROW_IN = 0.135
LABEL_IN = 0.251  # from the time axis down to the top of its label

FONT_PT = 8.0
SMALL_PT = 7.0

RC: Any = {  # matplotlib's rc parameters
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": FONT_PT,
    "axes.labelsize": FONT_PT,
    "axes.linewidth": 0.6,
    "axes.edgecolor": "#444444",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-3, 4),
    "axes.xmargin": 0.0,
    "axes.ymargin": 0.08,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL_PT,
    "ytick.labelsize": SMALL_PT,
    "xtick.direction": "out",
    "ytick.direction": "out",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "legend.fontsize": SMALL_PT,
    "legend.title_fontsize": SMALL_PT,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "mathtext.default": "regular",
    "text.parse_math": True,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.hashsalt": "docksim",
    "agg.path.chunksize": 20000,
    "hatch.linewidth": 0.5,
}

SAMPLE_IN = (RC["legend.handlelength"] + 2.8) * SMALL_PT / 72  # a legend's line sample with its gaps

CURVES: tuple[dict[str, Any], ...] = (
    {"color": "#0072b2", "linestyle": "-"},
    {"color": "#d55e00", "linestyle": (0, (5, 1.8))},
    {"color": "#009e73", "linestyle": (0, (6, 1.6, 1.2, 1.6))},
    {"color": "#000000", "linestyle": (0, (1.2, 1.4))},
    {"color": "#cc79a7", "linestyle": (0, (10, 2))},
    {"color": "#56b4e9", "linestyle": (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2))},
    {"color": "#e69f00", "linestyle": (0, (2.5, 1.2))},
    {"color": "#777777", "linestyle": (0, (9, 1.4, 1.2, 1.4, 1.2, 1.4, 1.2, 1.4))},
)

# what was between two rows, in the colour of its curve; the edge is seen where the rows are narrower than a dot
BAND: dict[str, Any] = {"alpha": 0.35, "linewidth": 0.7, "zorder": 1.9}

# layers of a stack, from the first outwards; hatches of dots would make vector files large
LAYERS: tuple[dict[str, Any], ...] = tuple(
    {"facecolor": face, "hatch": hatch, "edgecolor": "white" if hatch else "none", "linewidth": 0.0}
    for face, hatch in (
        ("#0072b2", ""),
        ("#56b4e9", "-----"),
        ("#d55e00", "/////"),
        ("#009e73", "\\\\\\\\\\"),
        ("#e69f00", "|||||"),
        ("#cc79a7", "xxxxx"),
        ("#444444", "+++++"),
        ("#999999", "//"),
    )
)
SUM: dict[str, Any] = {"color": "#000000", "linewidth": 1.0}

LIMIT: dict[str, Any] = {"color": "#888888", "linewidth": 0.9, "linestyle": (0, (4, 3)), "zorder": 1.8}

EVENT_LINE: dict[str, Any] = {"color": "#555555", "linewidth": 0.6, "linestyle": (0, (2, 2)), "zorder": 1.5}
EVENT_TEXT: dict[str, Any] = {"color": "#333333", "fontsize": SMALL_PT, "parse_math": False}

# where no curve runs through it
LEGEND_ABOVE: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
