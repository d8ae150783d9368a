// The charts of the overview, from the figures of the table below them. Without this file the table remains.

const charts = document.querySelector(".charts");
const rows = [...document.querySelectorAll("#days tr[data-day]")].reverse();
const column = (name) => rows.map((row) => (name in row.dataset ? Number(row.dataset[name]) : null));
const days = rows.map((row) => Date.parse(`${row.dataset.day}T00:00:00Z`) / 1000);

const money = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const HEIGHT = 220;

const DAYS = 30;
const DAY_SECONDS = 24 * 3600;

// light-dark() in a custom property is a colour only where it is used.
function colour(name) {
  const element = document.body.appendChild(document.createElement("span"));
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.remove();
  return color;
}

function options(place, format, series, bands = []) {
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--rim") }, ticks: { stroke: colour("--rim") } };
  return {
    width: Math.max(place.clientWidth, 200),
    height: HEIGHT,
    // Days of UTC.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    scales: { x: { range: () => [days.at(-1) - (DAYS - 1) * DAY_SECONDS, days.at(-1)] } },
    axes: [axis, { ...axis, size: 70, values: (_, values) => values.map((value) => format.format(value)) }],
    series: [
      { label: "Day", value: "{YYYY}-{MM}-{DD}" },
      ...series.map((each) => ({ ...each, value: (_, value) => (value === null ? "–" : format.format(value)) })),
    ],
    bands,
  };
}

function draw() {
  const revenue = document.querySelector("#revenue-chart");
  const returned = document.querySelector("#return-chart");
  for (const place of [revenue, returned]) place.replaceChildren();
  const [main, theory, edge] = ["--good", "--link", "--edge-strong"].map(colour);
  const dotted = { width: 1, dash: [4, 4], points: { show: false } };
  new uPlot(
    options(revenue, money, [
      { label: "GGR", stroke: main, width: 2 },
      { label: "Theoretical", stroke: theory, ...dotted },
    ]),
    [days, column("revenue"), column("theory")],
    revenue,
  );
  new uPlot(
    options(
      returned,
      percent,
      [
        { label: "High", stroke: edge, ...dotted },
        { label: "Low", stroke: edge, ...dotted },
        { label: "Theoretical", stroke: theory, ...dotted },
        { label: "RTP", stroke: main, width: 2 },
      ],
      [{ series: [1, 2], fill: colour("--rim") }],
    ),
    [days, column("high"), column("low"), column("expected"), column("return")],
    returned,
  );
}

if (charts && rows.length > 0) {
  charts.hidden = false;
  draw();
  let waiting;
  const redraw = () => {
    clearTimeout(waiting);
    waiting = setTimeout(draw, 100);
  };
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}
