"""The plot of ``flask fairness report``: the return to player over time, as SVG."""

from datetime import UTC, datetime
from itertools import accumulate

from services.maintenance.fairness_report import FairnessReport
from services.shared.clock import DAY_MS

# The frame of the lines, as in PAGE.
LEFT, RIGHT, TOP, BOTTOM = 70, 750, 60, 370
TICKS = 5

BAND_DEVIATIONS = 2.576
"""99 of 100 fair histories are within this band at a given time."""

LEAST_SHOWN = 0.01
"""How far the scale reaches above and below the expected return, at least."""

UNSTEADY_SHARE = 0.1
"""The scale does not show all of the first tenth, whose band is very wide."""

PAGE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 420" role="img" \
font-family="system-ui, sans-serif" font-size="12" fill="#333">
<title>Return to player over time</title>
<desc>{summary}</desc>
<rect width="800" height="420" fill="#fff"/>
<text x="70" y="24" font-size="16" font-weight="bold">Return to player over time</text>
<text x="70" y="44">{summary}</text>
<clipPath id="frame"><rect x="70" y="60" width="680" height="310"/></clipPath>
{grid}
<g clip-path="url(#frame)" fill="none" stroke-width="2" stroke-linejoin="round">
<polygon id="band" points="{band}" fill="#cfe0fb" fill-opacity="0.7"/>
<polyline id="expected" points="{expected}" stroke="#2f66c4" stroke-dasharray="6 4"/>
<polyline id="returned" points="{returned}" stroke="#0b7a4b"/>
</g>
<g font-size="12" text-anchor="middle">
<text x="150" y="408" fill="#0b7a4b">— return to player</text>
<text x="340" y="408" fill="#2f66c4">- - expected by the chances</text>
<text x="570" y="408" fill="#5b7fb8">▮ 99 % of fair histories are here</text>
</g>
</svg>
"""


def svg(report: FairnessReport) -> str:
    """Draw what had been paid for each coin wagered, since the first bet, at the end of each interval."""
    ends = [begin + report.interval_ms for begin in report.intervals]
    sums = list(accumulate(report.intervals.values()))
    # From the beginning of the first interval, so that a single one is a line too.
    times, sums = [ends[0] - report.interval_ms, *ends], [sums[0], *sums]
    middle = [so_far.expected_return for so_far in sums]
    reach = [BAND_DEVIATIONS * so_far.standard_error for so_far in sums]
    returned = [so_far.return_to_player for so_far in sums]

    first, last = times[0], times[-1]
    steady = slice(int(len(sums) * UNSTEADY_SHARE), None)
    shown = 1.1 * max(
        max(abs(value - mean), width, LEAST_SHOWN)
        for value, mean, width in zip(returned[steady], middle[steady], reach[steady], strict=True)
    )
    low, high = max(middle[-1] - shown, 0), middle[-1] + shown

    def points(values: list[float]) -> list[str]:
        return [
            f"{LEFT + (time - first) / (last - first) * (RIGHT - LEFT):.1f},"
            f"{BOTTOM - (value - low) / (high - low) * (BOTTOM - TOP):.1f}"
            for time, value in zip(times, values, strict=True)
        ]

    upper, lower = (
        points([mean + side * width for mean, width in zip(middle, reach, strict=True)]) for side in (1, -1)
    )
    total = sums[-1]
    return PAGE.format(
        summary=(
            f"{total.bets:,} bets, {total.return_to_player:.2%} returned,"
            f" {total.expected_return:.2%} expected, {total.deviations:+.2f} standard deviations"
        ),
        grid="\n".join(_grid(first, last, low, high)),
        band=" ".join([*upper, *reversed(lower)]),
        expected=" ".join(points(middle)),
        returned=" ".join(points(returned)),
    )


def _grid(first_ms: int, last_ms: int, low: float, high: float) -> list[str]:
    """Lines and labels at equal steps of both scales."""
    date = "%Y-%m-%d" if last_ms - first_ms > TICKS * DAY_MS else "%m-%d %H:%M"
    lines = []
    for tick in range(TICKS + 1):
        share = tick / TICKS
        x, y = LEFT + share * (RIGHT - LEFT), BOTTOM - share * (BOTTOM - TOP)
        time = datetime.fromtimestamp((first_ms + share * (last_ms - first_ms)) / 1000, UTC)
        lines += [
            f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#ddd"/>',
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{low + share * (high - low):.1%}</text>',
            f'<text x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">{time.strftime(date)}</text>',
        ]
    return lines
