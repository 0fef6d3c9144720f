// Line plots by uPlot, in the colours of the package's pictures, for light and dark.

import { number } from "./words.js";

const drawn = new Map(); // container -> [plot, options]
const dark = window.matchMedia("(prefers-color-scheme: dark)");

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Black becomes the page's ink, and other colours are mixed with white where the page is dark.
export function tone(colour) {
  if (colour === "#000000") return css("--ink");
  if (!dark.matches) return colour;
  const parts = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
  return `rgb(${parts.map((c) => Math.round(c + (255 - c) * 0.45)).join(" ")})`;
}

// 1, 2, 5 over few decades, powers of ten over many.
function decades(low, high) {
  const wide = Math.log10(high / low);
  const steps = wide > 2.5 ? [1] : [1, 2, 5];
  const every = wide > 8 ? Math.ceil(wide / 6) : 1;
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += every) {
    for (const step of steps) {
      const tick = step * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) found.push(tick);
    }
  }
  return found;
}

function axis(label, log, whole, room) {
  return {
    label, labelSize: 22, labelFont: "13px system-ui, sans-serif", font: "12px system-ui, sans-serif",
    stroke: css("--soft"), size: room, gap: 4,
    filter: (_, ticks) => ticks,
    grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--grid"), width: 1, size: 5 },
    ...(log ? { splits: (_, __, low, high) => decades(low, high) } : {}),
    values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : number(tick, 4))),
    ...(whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] } : {}),
  };
}

function line(one) {
  const stroke = tone(one.colour);
  const made = {
    label: one.label, stroke, width: one.width || 1.5, dash: one.dash?.length ? one.dash : undefined,
    points: { show: Boolean(one.points), size: 6, fill: css("--card"), stroke, width: 1.5 },
    spanGaps: Boolean(one.spanGaps), scale: "y",
    value: (_, value) => (value === null ? "" : number(value, 4)),
  };
  if (one.filled) made.fill = dark.matches ? "rgba(255,255,255,.09)" : "rgba(0,0,0,.07)";
  if (one.bars) {
    made.paths = window.uPlot.paths.bars({ size: [0.7, 60] });
    made.fill = dark.matches ? "rgba(255,255,255,.22)" : "rgba(0,0,0,.14)";
    made.width = 1;
  }
  if (one.step) made.paths = window.uPlot.paths.stepped({ align: 1 });
  if (one.marks) made.paths = () => null;
  return made;
}

export function plot(container, wanted) {
  const { x, series, xLabel, yLabel, logX, logY, height = 300, words, whole, range, xRange } = wanted;
  drawn.get(container)?.[0].destroy();
  container.replaceChildren();
  container.classList.add("drawn");
  container.setAttribute("role", "img");
  container.setAttribute("aria-label", words);
  const width = Math.max(240, container.clientWidth || 600);
  const made = new window.uPlot({
    width, height: width < 480 ? Math.min(height, 240) : height,
    scales: {
      x: { time: false, distr: logX ? 3 : 1, ...(xRange ? { range: xRange } : {}) },
      y: { distr: logY ? 3 : 1, ...(range ? { range } : {}) },
    },
    axes: [axis(xLabel, logX, whole, 40), axis(yLabel, logY, false, 58)],
    series: [{ label: "at", value: (_, value) => (value === null ? "" : number(value, 4)) }, ...series.map(line)],
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    legend: { show: true, markers: { dash: (_, k) => (series[k - 1]?.dash?.length ? "dashed" : "solid") } },
  }, [x, ...series.map((one) => one.y)], container);
  drawn.set(container, [made, wanted]);
}

export function clear(container) {
  drawn.get(container)?.[0].destroy();
  drawn.delete(container);
  container.classList.remove("drawn");
  container.replaceChildren();
  container.removeAttribute("role");
  container.removeAttribute("aria-label");
}

function again() {
  for (const [container, [, wanted]] of [...drawn]) {
    if (container.clientWidth) plot(container, wanted);
  }
}

let waiting = 0;
window.addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(again, 120);
});
dark.addEventListener("change", again);
export const redraw = again;

// A short piece of a mechanism's line, for tables.
export function swatch(one) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("class", "swatch");
  picture.setAttribute("width", "34");
  picture.setAttribute("height", "10");
  picture.setAttribute("aria-hidden", "true");
  const stroke = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const values = { x1: 1, x2: 33, y1: 5, y2: 5, stroke: tone(one.colour), "stroke-width": one.width + 0.5 };
  for (const [name, value] of Object.entries(values)) stroke.setAttribute(name, value);
  if (one.dash?.length) stroke.setAttribute("stroke-dasharray", one.dash.join(" "));
  picture.append(stroke);
  return picture;
}
