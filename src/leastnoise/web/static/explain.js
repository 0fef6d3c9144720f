// The pictures of the explanations: from what stands in the form, never from a table.

import { box, line, part, picture, text, ticks, whisker } from "./svg.js";
import { byId, number, plain } from "./words.js";

const WIDE = 340;

// Where a value ends up: drawn from the bounds alone.
export function clamping(low, high) {
  const width = high - low, left = 95, right = 245;
  const x = (value) => left + ((right - left) * (value - low)) / width;
  const outside = [low - 0.3 * width, high + 0.3 * width];
  const arrow = (from, to) => part("g", {}, part("path", { d: `M ${from} 33 Q ${(from + to) / 2} 6 ${to} 22`, class: "arrow" }),
    part("path", { d: `M ${to - 4} 20 L ${to + 4} 20 L ${to} 28 z`, class: "solid" }));
  return picture(WIDE, 84, `Values between ${plain(low)} and ${plain(high)} count as they are; smaller ones count as ${plain(low)}, larger ones as ${plain(high)}.`,
    box(left, 32, right - left, 16, "shade"), line(8, 40, WIDE - 8, 40, "axis"),
    line(left, 28, left, 52, "edge"), line(right, 28, right, 52, "edge"),
    arrow(x(outside[0]), left), arrow(x(outside[1]), right),
    part("circle", { cx: x(outside[0]), cy: 40, r: 4.5, class: "ghost" }), part("circle", { cx: x(outside[1]), cy: 40, r: 4.5, class: "ghost" }),
    text(left, 66, plain(low), "strong"), text(right, 66, plain(high), "strong"), text((left + right) / 2, 66, "count as they are"),
    text(x(outside[0]) - 4, 80, `count as ${plain(low)}`), text(x(outside[1]) + 4, 80, `count as ${plain(high)}`));
}

// How often somebody is right at most who guesses which of two neighbors an answer came from.
export const right = (epsilon, delta) => Math.min(1, 0.5 + 0.5 * Math.tanh(epsilon / 2) + delta / (1 + Math.exp(epsilon)));
export const often = (share) => String(share > 0.99 ? Math.ceil(1000 * share - 1e-6) / 10 : Math.ceil(100 * share - 1e-6)); // at most

function bet(epsilon, delta) {
  const most = right(epsilon, delta);
  const x = (share) => 20 + 300 * share;
  return picture(WIDE, 62, `Right by chance: 50%. After the answers: at most ${often(most)}%.`,
    box(20, 20, 300, 16, "track"), box(x(0.5), 20, x(most) - x(0.5), 16, "shade"), line(x(0.5), 14, x(0.5), 42, "edge"), line(x(most), 16, x(most), 40, "whisker"),
    text(x(0.5), 10, "blind guess: 50%"), text(x(0), 54, "0%", "", "start"), text(x(1), 54, most > 0.8 ? "" : "100%", "", "end"),
    text(x(most), 54, `${often(most)}%`, "strong"));
}

function epsilonPicture(epsilon) {
  const middle = [145, 195], reach = 50 / Math.max(epsilon, 0.05);
  const curve = (at) => {
    const points = [];
    for (let x = 10; x <= 330; x += 2) points.push(`${x},${78 - 60 * Math.exp(-Math.abs(x - at) / reach)}`);
    return points.join(" ");
  };
  return picture(WIDE, 104, `Two overlapping curves: the probabilities of each answer with a person and without, at epsilon ${number(epsilon, 2)}.`,
    line(10, 78, 330, 78, "axis"),
    part("polyline", { points: curve(middle[0]), class: "curve one" }), part("polyline", { points: curve(middle[1]), class: "curve two" }),
    line(middle[0], 78, middle[0], 84, "axis"), line(middle[1], 78, middle[1], 84, "axis"),
    text(middle[0] - 4, 96, "without you", "one", "end"), text(middle[1] + 4, 96, "with you", "two", "start"), text(328, 14, `ε = ${number(epsilon, 2)}`, "strong", "end"));
}

function deltaPicture(delta) {
  const dots = [];
  for (let k = 0; k < 100; k += 1) {
    dots.push(part("circle", { cx: 16 + 11 * (k % 20), cy: 12 + 13 * Math.floor(k / 20), r: 3.6, class: k === 47 ? "odd" : "even" }));
  }
  const words = delta > 0 ? [`1 of ${plain(Number((1 / delta).toPrecision(2)))}`, "may be outside", "the guarantee"] : ["none is", "outside", "the guarantee"];
  if (!(delta > 0)) dots[47].setAttribute("class", "even");
  return picture(WIDE, 76, `${words.join(" ")}.`, ...dots, ...words.map((one, k) => text(248, 24 + 17 * k, one, k ? "" : "strong", "start")));
}

function neighborsPicture(way) {
  const rows = (x, marks) => marks.map((kind, k) => box(x, 24 + 14 * k, 92, 11, kind));
  const second = way === "replace" ? ["track", "track", "two", "track"] : ["track", "track", "gone", "track"];
  return picture(WIDE, 104, way === "replace" ? "Two tables that differ in one row, which is replaced." : "Two tables: one has one more row.",
    ...rows(24, ["track", "track", "one", "track"]), ...rows(220, second),
    text(70, 14, "a table"), text(266, 14, "its neighbor"), text(168, 52, "look", "strong"), text(168, 68, "alike", "strong"),
    text(70, 96, "with you", "one"), text(266, 96, way === "replace" ? "with somebody else" : "without you", way === "replace" ? "two" : ""));
}

function compositionPicture() {
  const parts = [[0, 1], [1, 1], [2, 0.5]];
  const x = (epsilon) => 20 + 75 * epsilon;
  return picture(WIDE, 74, "Three answers with epsilon 1, 1 and 0.5 fill 2.5 of a ledger of 4.",
    box(20, 22, 300, 20, "track"),
    ...parts.map(([start, size], k) => box(x(start), 22, 75 * size - 2, 20, k % 2 ? "two" : "one")),
    ...parts.map(([start, size]) => text(x(start + size / 2) - 1, 14, `ε ${size}`)),
    text(20, 58, "spent: 2.5", "strong", "start"), text(320, 58, "of 4", "", "end"));
}

function intervalPicture() {
  const parts = [line(170, 6, 170, 92, "edge")];
  const shifts = [-18, 22, 6, -30, 14, -52, 3];
  shifts.forEach((shift, k) => {
    const miss = Math.abs(shift) > 45;
    parts.push(part("g", miss ? { class: "miss" } : {}, whisker(170 + shift - 42, 170 + shift, 170 + shift + 42, 12 + 12 * k, false, 3)));
  });
  return picture(WIDE, 108, "Intervals around answers: nearly all of them hold the exact number.", ...parts, text(170, 104, "the exact number"));
}

// What was charged, one block an answer, and what is left.
export function ledgerBar(balance) {
  const whole = balance.epsilon || 1;
  const x = (epsilon) => (640 * Math.min(epsilon, whole)) / whole;
  let spent = 0;
  const blocks = balance.history.slice(0, 200).map((charge, k) => {
    const made = box(x(spent), 4, Math.max(1, x(spent + charge.epsilon) - x(spent) - 2), 18, k % 2 ? "two" : "one");
    made.append(part("title", {}, `${charge.query}: epsilon ${number(charge.epsilon, 3)}`));
    spent += charge.epsilon;
    return made;
  });
  return picture(640, 26, `Spent: epsilon ${number(balance.spent_epsilon, 3)} of ${number(whole, 3)}.`, box(0, 4, 640, 18, "track"), ...blocks);
}

// Where an answer may fall, on the scale between its bounds: the margin before anything is asked.
export function marginOn(low, high, error) {
  const x = (value) => 20 + (300 * (value - low)) / (high - low);
  const middle = (low + high) / 2;
  return picture(WIDE, 50, `On the scale from ${plain(low)} to ${plain(high)} an answer in the middle would be within ${plain(Number(error.toPrecision(2)))} to both sides.`,
    line(20, 20, 320, 20, "axis"),
    ...ticks(low, high, 5).flatMap((tick) => [line(x(tick), 20, x(tick), 25, "axis"), text(x(tick), 42, plain(tick))]),
    whisker(x(Math.max(low, middle - error)), x(middle), x(Math.min(high, middle + error)), 14, false));
}

const DRAW = {
  epsilon: ({ epsilon }) => epsilonPicture(epsilon),
  delta: ({ delta }) => deltaPicture(delta),
  neighbors: ({ way }) => neighborsPicture(way),
  composition: compositionPicture,
  clamping: () => clamping(1, 6),
  interval: intervalPicture,
  bet: ({ epsilon, delta }) => bet(epsilon, delta),
};

// All pictures of a part of the page, for these numbers.
export function explain(place, { epsilon = 1, delta = 1e-6, way = "add-remove" } = {}) {
  const given = {
    epsilon: epsilon > 0 && epsilon <= 50 ? epsilon : 1, delta: delta >= 0 && delta < 1 ? delta : 1e-6, way,
  };
  for (const one of place.querySelectorAll("[data-picture]")) one.replaceChildren(DRAW[one.dataset.picture](given));
}

export const begin = (values) => { explain(byId("view-glossary")); again(values); };

export function again(values) {
  byId(`term-${values.get("term")}`)?.scrollIntoView({ block: "center" });
}
