// A piecewise linear loss: drag the points, or type them. The outer slopes go on for ever.

import { byId, make, number } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 320, HEIGHT = 170, EDGE = 12;
const USUAL = { points: [["-1", "0.5"], ["0", "0"], ["1", "0.5"]], slopes: ["-1", "1"] };

let loss = structuredClone(USUAL);
let tell = () => {};

export const drawnLoss = () => loss;
export const asText = () => [...loss.points.map((point) => point.join(",")), loss.slopes.join(",")].join(";");

export function fromText(text) {
  const rows = text.split(";").map((row) => row.split(","));
  if (rows.length >= 2 && rows.length < 40 && rows.every((row) => row.length === 2)) {
    loss = { points: rows.slice(0, -1), slopes: rows[rows.length - 1] };
  }
}

export function begin(changed) {
  tell = changed;
  show();
}

function ends() {
  const xs = loss.points.map((point) => Number(point[0])).filter(Number.isFinite);
  const ys = loss.points.map((point) => Number(point[1])).filter(Number.isFinite);
  const reach = Math.max(2, ...xs.map((x) => 1.3 * Math.abs(x)));
  return [reach, Math.max(2, ...ys.map((y) => 1.4 * y))];
}

function board() {
  const [reach, top] = ends();
  const px = (x) => EDGE + ((x + reach) / (2 * reach)) * (WIDTH - 2 * EDGE);
  const py = (y) => HEIGHT - EDGE - (y / top) * (HEIGHT - 2 * EDGE);
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  picture.setAttribute("class", "loss-board");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "The loss as drawn; the fields below hold the same points.");
  const add = (tag, values) => {
    const one = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(values)) one.setAttribute(name, value);
    picture.append(one);
    return one;
  };
  add("line", { x1: px(0), x2: px(0), y1: 0, y2: HEIGHT });
  add("line", { x1: 0, x2: WIDTH, y1: py(0), y2: py(0) });
  const points = loss.points.map((point) => point.map(Number)).filter((point) => point.every(Number.isFinite));
  if (points.length) {
    const [first, last] = [points[0], points[points.length - 1]];
    const [left, right] = loss.slopes.map(Number);
    const outer = [
      [-reach, first[1] + left * (-reach - first[0])], ...points, [reach, last[1] + right * (reach - last[0])],
    ];
    add("polyline", { points: outer.map(([x, y]) => `${px(x)},${py(y)}`).join(" ") });
  }
  points.forEach(([x, y], place) => {
    const dot = add("circle", { cx: px(x), cy: py(y), r: 7, "data-point": place });
    dot.addEventListener("pointerdown", (start) => drag(start, picture, place, reach, top));
  });
  return picture;
}

function drag(start, picture, place, reach, top) {
  start.preventDefault();
  const box = picture.getBoundingClientRect();
  const move = (event) => {
    const scale = WIDTH / box.width;
    const x = (((event.clientX - box.left) * scale - EDGE) / (WIDTH - 2 * EDGE)) * 2 * reach - reach;
    const y = ((HEIGHT - EDGE - (event.clientY - box.top) * scale) / (HEIGHT - 2 * EDGE)) * top;
    const before = place > 0 ? Number(loss.points[place - 1][0]) + 0.05 : -Infinity;
    const after = place + 1 < loss.points.length ? Number(loss.points[place + 1][0]) - 0.05 : Infinity;
    loss.points[place] = [
      number(Math.round(20 * Math.min(Math.max(x, before), after)) / 20, 4),
      number(Math.max(0, Math.round(20 * y) / 20), 4),
    ];
    byId("drawn").querySelector("svg").replaceWith(board());
    fields();
  };
  const end = () => {
    window.removeEventListener("pointermove", move);
    show();
    tell();
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end, { once: true });
}

function fields() {
  byId("drawn").querySelectorAll("input[data-at]").forEach((input) => {
    const [place, side] = input.dataset.at.split(",").map(Number);
    input.value = loss.points[place]?.[side] ?? "";
  });
}

function show() {
  const rows = make("div", { class: "loss-points" });
  loss.points.forEach((point, place) => {
    const cells = ["Error", "Loss"].map((word, side) => {
      const input = make("input", { value: point[side], inputmode: "decimal", "data-at": `${place},${side}`, autocomplete: "off",
        ...(place === 0 && side === 0 ? { "data-field": "loss.points" } : {}) });
      input.addEventListener("change", () => {
        loss.points[place][side] = input.value.trim();
        byId("drawn").querySelector("svg").replaceWith(board());
        tell();
      });
      return make("label", {}, word, input);
    });
    const gone = make("button", { type: "button", class: "quiet", text: "Remove", "aria-label": `Remove point ${place + 1}` });
    gone.disabled = loss.points.length === 1;
    gone.addEventListener("click", () => {
      loss.points.splice(place, 1);
      show();
      tell();
    });
    rows.append(make("div", { class: "point" }, ...cells, gone));
  });
  const more = make("button", { type: "button", class: "quiet", text: "Add a point" });
  more.addEventListener("click", () => {
    const last = loss.points[loss.points.length - 1];
    loss.points.push([number(Number(last[0]) + 1, 4), number(Number(last[1]) + Number(loss.slopes[1]), 4)]);
    show();
    tell();
  });
  const slopes = make("div", { class: "pair" });
  ["Slope on the left", "Slope on the right"].forEach((word, side) => {
    const input = make("input", { value: loss.slopes[side], inputmode: "decimal", autocomplete: "off",
      ...(side === 0 ? { "data-field": "loss.slopes" } : {}) });
    input.addEventListener("change", () => {
      loss.slopes[side] = input.value.trim();
      byId("drawn").querySelector("svg").replaceWith(board());
      tell();
    });
    slopes.append(make("label", {}, word, input));
  });
  byId("drawn").replaceChildren(board(), rows, slopes, more);
}
