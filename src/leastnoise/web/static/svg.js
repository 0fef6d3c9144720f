// Small pictures: SVG elements whose colours are the page's, in the light and in the dark.

const NS = "http://www.w3.org/2000/svg";

export function part(tag, values = {}, ...children) {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A picture that says in words what it shows; without words it is an ornament.
export function picture(width, height, words, ...parts) {
  const about = words ? { role: "img", "aria-label": words } : { "aria-hidden": "true" };
  return part("svg", { viewBox: `0 0 ${width} ${height}`, ...about }, ...parts);
}

export const line = (x1, y1, x2, y2, kind) => part("line", { x1, y1, x2, y2, class: kind });
export const box = (x, y, width, height, kind) => part("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), class: kind });
export const text = (x, y, words, kind = "", anchor = "middle") => part("text", { x, y, class: kind, "text-anchor": anchor }, words);

// An interval with its ends, and the value in it.
export function whisker(low, value, high, at, upright, size = 5) {
  const flat = (a, b, c, d, kind) => (upright ? line(b, a, d, c, kind) : line(a, b, c, d, kind));
  return part("g", {},
    flat(low, at, high, at, "whisker"), flat(low, at - size, low, at + size, "whisker"), flat(high, at - size, high, at + size, "whisker"),
    ...(value === null ? [] : [part("circle", { cx: upright ? at : value, cy: upright ? value : at, r: 4.5, class: "dot" })]));
}

// Round numbers from low to high, about `some` of them.
export function ticks(low, high, some = 5) {
  const rough = (high - low) / some || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((k) => k >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(Number((k * step).toPrecision(12)));
  return found;
}
