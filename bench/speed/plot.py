"""Draws the curves in one picture: a panel for each, with logarithmic axes and the allowed slope."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

from bench.speed.result import Curve

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, NullFormatter

COLUMNS = 4
PANEL_INCHES = (3.6, 2.6)
LEAST_SPREAD = 100
MARGIN = 1.2


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Write the picture as a PNG."""
    lines = -(-len(curves) // COLUMNS)
    width, height = PANEL_INCHES
    figure, panels = plt.subplots(
        lines, COLUMNS, figsize=(width * COLUMNS, height * lines), squeeze=False, layout="constrained"
    )
    for panel, curve in zip(panels.flat, curves, strict=False):
        _draw_curve(panel, curve)
    for panel in panels.flat[len(curves) :]:
        panel.set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _draw_curve(panel: plt.Axes, curve: Curve) -> None:
    sizes, times = zip(*curve.points, strict=True)
    bound = [times[0] * (size / sizes[0]) ** curve.allowed for size in sizes]
    panel.loglog(sizes, bound, "--", color="0.6", label=f"allowed: {_slope(curve.allowed)}")
    panel.loglog(sizes, times, "o-", color="tab:blue" if curve.reached else "tab:red", label="measured")
    panel.set_title(f"{curve.work}: steepness {curve.steepness:.2f}", fontsize=9)
    panel.set_xlabel(curve.size, fontsize=8)
    panel.set_ylabel("ms", fontsize=8)
    low, high = min(*times, *bound), max(*times, *bound)
    # At least two decades, so that a flat curve looks flat.
    spread = max(LEAST_SPREAD / (high / low), 1) ** 0.5
    panel.set_ylim(low / spread / MARGIN, high * spread * MARGIN)
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())
    panel.tick_params(labelsize=7)
    panel.grid(visible=True, which="major", alpha=0.3)
    panel.legend(fontsize=7)


def _slope(allowed: float) -> str:
    return "flat" if allowed == 0 else "as its answer" if allowed == 1 else f"slope {allowed:g}"
