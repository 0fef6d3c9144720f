// Numbers as people write them.

export function number(value, digits = 5) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) {
    const [mantissa, power] = value.toExponential(Math.min(digits - 1, 3)).split("e");
    return `${Number(mantissa)}e${Number(power)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

// With commas between thousands, and not as a power of ten: 1,234,567; 0.000001.
export function plain(value, decimals = undefined) {
  const most = decimals ?? Math.min(12, Math.max(0, 5 - Math.floor(Math.log10(Math.abs(value) || 1))));
  return value.toLocaleString("en-GB", { minimumFractionDigits: decimals ?? 0, maximumFractionDigits: most });
}

// A number as n 10^p: the shortest decimal that reads back as it, as Python writes it.
function decimalOf(value) {
  const [mantissa, power] = value.toExponential().split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  return { n: BigInt(whole + fraction), p: Number(power) - fraction.length };
}

const scaled = (one, p) => one.n * 10n ** BigInt(one.p - p);

// So many units of 10^place: with commas between thousands.
function written(steps, place) {
  const digits = String(steps < 0n ? -steps : steps).padStart(Math.max(0, -place) + 1, "0");
  const cut = place < 0 ? digits.length + place : digits.length;
  const whole = (digits.slice(0, cut) + (steps && place > 0 ? "0".repeat(place) : "")).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${steps < 0n ? "-" : ""}${whole}${place < 0 ? `.${digits.slice(cut)}` : ""}`;
}

// An answer in the digits that its interval supports, whose ends are rounded outwards. The rule
// stands in docs/reports.md under Digits; Python follows it, too (`rounded` in tables/answer.py).
// The margin is that of the rounded number, and `even` says whether it says as much as the ends do.
export function measured(value, low, high) {
  if (low === null || high === null) return { value: number(value), margin: null, low: null, high: null, even: false };
  if (!(low < high)) return { value: number(value, 8), margin: "0", low: number(low, 8), high: number(high, 8), even: true };
  const parts = [value, low, high].map(decimalOf), p = Math.min(0, ...parts.map((one) => one.p));
  const [near, below, above] = parts.map((one) => scaled(one, p));
  const larger = (one, two) => (one > two ? one : two);
  const half = larger(above - near, near - below), lead = String(half).length - 1 + p;
  const smallLead = half < 3n * 10n ** BigInt(lead - p); // it begins with 1 or 2
  const own = near ? String(near < 0n ? -near : near).length - 1 + p : -1; // of an answer of 1 or more: two digits
  const wide = own < 0 ? lead - 2 : Math.min(lead - 2, Math.max(0, own - 1));
  let place = lead >= 3 ? wide : lead >= 1 ? 0 : smallLead ? lead - 1 : lead;
  if ([value, low, high].every(Number.isInteger)) place = Math.max(place, 0);
  const finer = place < p ? 10n ** BigInt(p - place) : 1n, unit = place > p ? 10n ** BigInt(place - p) : 1n;
  const floor = (n, by) => n / by - (n % by < 0n ? 1n : 0n);
  const down = (n) => floor(n * finer, unit), up = (n) => -down(-n);
  const rounded = floor(2n * near * finer + unit, 2n * unit), back = rounded * unit;
  const margin = larger(-floor(back - above * finer, unit), -floor(below * finer - back, unit));
  return {
    value: written(rounded, place), margin: written(margin, place), low: written(down(below), place), high: written(up(above), place),
    even: 20n * margin * unit <= 11n * (above - below) * finer,
  };
}

export function percent(share) {
  if (share === null || share === undefined) return "–";
  const value = 100 * share;
  if (value >= 1000) return `${number(1 + share, 3)} times`;
  return value < 10 ? `${value.toFixed(2)}%` : `${value.toFixed(1)}%`;
}

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name === "class") element.className = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const byId = (id) => document.getElementById(id);
