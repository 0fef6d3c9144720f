// A checker of mechanism files and of reports, independent of the one in Python: written from
// docs/certificate*.md and docs/reports.md.
// Whole numbers (BigInt) only, no server, no other file (floats only to show a number). In a page, in
// a worker or in node: `leastnoiseCheck(bytes or text)` returns {exit_code, claims, words}: 0 all proven, 1 refuted,
// 2 malformed, 3 not all checked, null: the file holds something that is not covered here.
(() => {
"use strict";

class Malformed extends Error {}
class NotCovered extends Error {}
const demand = (holds, words) => { if (!holds) throw new Malformed(words); };

// ---- JSON: no key twice, numbers kept as they are written ------------------------------------

class Literal { constructor(text) { this.text = text; } } // a JSON number

function parseJson(text) {
  let [at, parts] = [0, 0];
  for (let k = 0; k < text.length; k += 1) { const code = text.charCodeAt(k); if (code === 44 || code === 91 || code === 123) parts += 1; }
  demand(parts <= 8000000, "the file has more than 8,000,000 commas and opening brackets");
  const fail = (words) => { throw new Malformed(`not JSON: ${words} at character ${at}`); };
  const space = () => { while (at < text.length && " \t\n\r".includes(text[at])) at += 1; };
  const word = (name, value) => { if (!text.startsWith(name, at)) fail(`"${name}" expected`); at += name.length; return value; };
  const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
  const plain = /[^"\\\u0000-\u001f]*/y;
  const escapes = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
  function string() {
    let out = "";
    at += 1;
    for (;;) {
      plain.lastIndex = at;
      const run = plain.exec(text)[0];
      out += run;
      at += run.length;
      if (text[at] === '"') { at += 1; return out; }
      if (text[at] !== "\\") fail("a text does not end");
      const sign = text[at + 1];
      if (sign === "u") {
        const digits = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) fail("bad escape");
        out += String.fromCharCode(parseInt(digits, 16));
        at += 6;
      } else if (sign in escapes) { out += escapes[sign]; at += 2; } else fail("bad escape");
    }
  }
  function value(depth) {
    if (depth > 100) fail("too deep");
    tick();
    space();
    const sign = text[at];
    if (sign === "{") {
      const found = new Map();
      at += 1;
      space();
      if (text[at] === "}") { at += 1; return found; }
      for (;;) {
        space();
        if (text[at] !== '"') fail("a key expected");
        const key = string();
        if (found.has(key)) fail(`the key "${key.slice(0, 40)}" occurs twice`);
        space();
        if (text[at] !== ":") fail("a colon expected");
        at += 1;
        found.set(key, value(depth + 1));
        space();
        if (text[at] === "}") { at += 1; return found; }
        if (text[at] !== ",") fail("a comma expected");
        at += 1;
      }
    }
    if (sign === "[") {
      const found = [];
      at += 1;
      space();
      if (text[at] === "]") { at += 1; return found; }
      for (;;) {
        found.push(value(depth + 1));
        space();
        if (text[at] === "]") { at += 1; return found; }
        if (text[at] !== ",") fail("a comma expected");
        at += 1;
      }
    }
    if (sign === '"') return string();
    if (sign === "t") return word("true", true);
    if (sign === "f") return word("false", false);
    if (sign === "n") return word("null", null);
    numberPattern.lastIndex = at;
    const number = numberPattern.exec(text);
    if (!number) fail("a value expected");
    if (number[0].length > 4300 && /^-?[0-9]{4301,}$/.test(number[0])) fail("an integer of more than 4300 digits");
    at += number[0].length;
    return new Literal(number[0]);
  }
  const found = value(0);
  space();
  if (at < text.length) fail("something follows");
  return found;
}

// ---- rationals -------------------------------------------------------------------------------

const abs = (a) => (a < 0n ? -a : a);
const gcd = (a, b) => { while (b) { tick(); [a, b] = [b, a % b]; } return abs(a); };
const lcm = (a, b) => a / gcd(a, b) * b;
const floorDiv = (a, b) => { const q = a / b; return a % b !== 0n && (a < 0n) !== (b < 0n) ? q - 1n : q; };
const ceilDiv = (a, b) => -floorDiv(-a, b);
// A file may ask for more work than anyone waits for: after this many milliseconds it is not judged.
// (Steps are few and short between two looks at the clock: a step of Euclid's algorithm, not a rational.)
const PATIENCE = 30000;
// (Once it is late it stays late: a report has many files, and each would go on for a few steps.)
let [ticks, deadline] = [0, Infinity];
function tick(steps = 1) {
  ticks += steps;
  if (ticks < 500) return;
  if (Date.now() <= deadline) ticks = 0; else throw new NotCovered("a file that takes more than half a minute");
}
function Q(n, d = 1n) {
  tick();
  if (d < 0n) [n, d] = [-n, -d];
  if (d !== 1n) { const g = gcd(n, d); if (g !== 1n) { n /= g; d /= g; } }
  return { n, d };
}
const ZERO = Q(0n);
const ONE = Q(1n);
const add = (a, b) => (a.d === b.d ? Q(a.n + b.n, a.d) : Q(a.n * b.d + b.n * a.d, a.d * b.d));
const neg = (a) => ({ n: -a.n, d: a.d });
const sub = (a, b) => add(a, neg(b));
const mul = (a, b) => Q(a.n * b.n, a.d * b.d);
const div = (a, b) => Q(a.n * b.d, a.d * b.n);
const cmp = (a, b) => { const s = a.n * b.d - b.n * a.d; return s < 0n ? -1 : s > 0n ? 1 : 0; };
const less = (a, b) => cmp(a, b) < 0;
const most = (a, b) => cmp(a, b) <= 0;
const same = (a, b) => a.n === b.n && a.d === b.d;
const qabs = (a) => ({ n: abs(a.n), d: a.d });
const qmax = (a, b) => (less(a, b) ? b : a);
const qmin = (a, b) => (less(b, a) ? b : a);
const times = (k, a) => Q(BigInt(k) * a.n, a.d);
const over = (a, k) => Q(a.n, a.d * BigInt(k));
const qfloor = (a) => floorDiv(a.n, a.d);
const qceil = (a) => ceilDiv(a.n, a.d);
const whole = (a) => a.d === 1n;
const length = (a) => a.toString(16).length; // in digits of four bits
const power = (a, k) => Q(a.n ** BigInt(k), a.d ** BigInt(k));
const sum = (list) => list.reduce(add, ZERO);
const side = (s, a) => (s > 0 ? a : neg(a));
function decimal(a, digits = 6) { // to look at
  const size = abs(a.n) * 10n ** BigInt(digits + 30) / a.d;
  const text = size.toString().padStart(digits + 31, "0");
  const value = Number(`${text.slice(0, -digits - 30)}.${text.slice(-digits - 30)}`);
  return `${a.n < 0n ? "-" : ""}${value.toPrecision(digits)}`;
}

// ---- fields ----------------------------------------------------------------------------------

const MAX_CELLS = 60000n;
const object = (value, name) => { demand(value instanceof Map, `"${name}" must be an object`); return value; };
function keys(data, name, required, optional = []) {
  for (const key of required) demand(data.has(key), `"${name}" lacks ${key}`);
  for (const key of data.keys()) demand(required.includes(key) || optional.includes(key), `"${name}" has the unknown key "${key.slice(0, 40)}"`);
}
const list = (value, name, longest) => {
  demand(Array.isArray(value) && value.length <= longest, `"${name}" must be a list of at most ${longest} entries`);
  return value;
};
function index(value, name, low, high) {
  demand(value instanceof Literal && /^-?[0-9]+$/.test(value.text) && value.text.length <= 400, `"${name}" must be an integer`);
  const found = BigInt(value.text);
  demand(BigInt(low) <= found && found <= BigInt(high), `"${name}" must be from ${low} to ${high}`);
  return found;
}
function number(value, name, longest = 400) {
  const parts = typeof value === "string" && value.length <= longest && /^(-?)([0-9]+)(?:\.([0-9]+)|\/([0-9]+))?$/.exec(value);
  demand(parts, `"${name}" must be a text that holds an integer, a decimal or a fraction, of at most ${longest} characters`);
  const [, minus, front, after, below] = parts;
  demand(below === undefined || BigInt(below) !== 0n, `"${name}" divides by zero`);
  const top = BigInt(front + (after ?? ""));
  return Q(minus ? -top : top, below !== undefined ? BigInt(below) : 10n ** BigInt((after ?? "").length));
}
const short = (value, name) => number(value, name, 100);
const positive = (value, name) => { const q = short(value, name); demand(q.n > 0n, `"${name}" must be positive`); return q; };
function count(value, name) {
  demand(typeof value === "string" && value.length <= 400 && /^[0-9]+$/.test(value), `"${name}" must be a text of digits`);
  return BigInt(value);
}
const flag = (value, name) => { demand(typeof value === "boolean", `"${name}" must be true or false`); return value; };
const pair = (value, name) => { demand(Array.isArray(value) && value.length === 2, `"${name}" must hold pairs`); return value; };
function budget(epsilon, delta) {
  demand(epsilon.n >= 0n && most(epsilon, Q(100n)), "an epsilon must be from 0 to 100");
  demand(delta.n >= 0n && less(delta, ONE), "a delta must be at least 0 and below 1");
}
const points = (value, name) => list(value, name, 300).map((one) => {
  const [epsilon, delta] = pair(one, name);
  const found = [short(epsilon, name), number(delta, name)];
  budget(...found);
  return found;
});
// A number as Python writes it: an integer, or the shortest decimal that reads back as the float.
function written(text) {
  if (/^-?[0-9]+$/.test(text)) return text === "-0" ? "0" : text;
  const value = Number(text);
  const [, minus, first, rest, power] = /^(-?)([0-9])(?:\.([0-9]+))?e([-+][0-9]+)$/.exec(value.toExponential()) ?? [];
  if (first === undefined) return text; // not finite
  const [sign, digits, at] = [Object.is(value, -0) ? "-" : minus, first + (rest ?? ""), Number(power)];
  if (at < -4 || at >= 16) return `${sign}${first}${rest ? "." + rest : ""}e${at < 0 ? "-" : "+"}${String(Math.abs(at)).padStart(2, "0")}`;
  if (at < 0) return `${sign}0.${"0".repeat(-at - 1)}${digits}`;
  return `${sign}${digits.slice(0, at + 1).padEnd(at + 1, "0")}.${digits.slice(at + 1) || "0"}`;
}
// The size of `about` is that of its text, without spaces, everything beyond ASCII escaped.
function about(value) {
  object(value, "about");
  let length = 0;
  const text = (words) => { for (const sign of words) { const code = sign.codePointAt(0); length += code > 0xffff ? 12 : code > 126 || (code < 32 && !"\b\f\n\r\t".includes(sign)) ? 6 : '"\\\b\f\n\r\t'.includes(sign) ? 2 : 1; } length += 2; };
  (function look(one, depth) {
    if (one instanceof Literal) {
      length += written(one.text).length;
      if (/^-?[0-9]+$/.test(one.text)) demand(one.text.length < 400 && abs(BigInt(one.text)) <= 10n ** 18n, '"about" holds a number beyond 10^18');
      else demand(Number.isFinite(Number(one.text)), '"about" holds a number that is not finite');
    } else if (typeof one === "string") text(one);
    else if (one === null || typeof one === "boolean") length += String(one).length;
    else {
      demand(depth <= 5, '"about" is too deep');
      const inside = Array.isArray(one) ? one : [...one.values()];
      length += 2 + Math.max(0, inside.length - 1);
      if (one instanceof Map) for (const key of one.keys()) { text(key); length += 1; }
      for (const part of inside) look(part, depth + 1);
    }
  })(value, 1);
  demand(length <= 20000, '"about" is too long');
}

// ---- e^x, enclosed -----------------------------------------------------------------------------

const EXP_BITS = 128n;
function expBounds(x) { // [low, high] in units of 2^-128, for x >= 0
  if (x.n === 0n) return [1n << EXP_BITS, 1n << EXP_BITS];
  let halvings = 0n;
  while (x.n > x.d << halvings) halvings += 1n;
  const bits = 256n + 2n * halvings;
  const one = 1n << bits;
  const y = (x.n << bits) / (x.d << halvings);
  let [lowTerm, lowSum, highTerm, highSum] = [one, one, one, one];
  for (let k = 1n; highTerm > 1n; k += 1n) {
    lowTerm = lowTerm * y / (one * k);
    highTerm = highTerm * (y + 1n) / (one * k) + 1n;
    lowSum += lowTerm;
    highSum += highTerm;
    if (highTerm < 4n) break;
  }
  highSum += 2n * highTerm; // every further term is at most half of the one before it
  for (let k = 0n; k < halvings; k += 1n) {
    lowSum = lowSum * lowSum >> bits;
    highSum = (highSum * highSum >> bits) + 1n;
  }
  const drop = bits - EXP_BITS;
  return [lowSum >> drop, -(-highSum >> drop)];
}

// ---- losses --------------------------------------------------------------------------------------

// A piecewise linear loss: points [x, c(x)] and the outer slopes.
class Pieces {
  constructor(spots, slopes) {
    this.spots = spots;
    this.kinks = spots.map(([x]) => x);
    this.slopes = [slopes[0]];
    for (let k = 1; k < spots.length; k += 1) this.slopes.push(div(sub(spots[k][1], spots[k - 1][1]), sub(spots[k][0], spots[k - 1][0])));
    this.slopes.push(slopes[1]);
    this.bends = spots.map(([x], k) => [x, sub(this.slopes[k + 1], this.slopes[k])]).filter(([, bend]) => bend.n !== 0n);
    const mirrored = this.bends.map(([x, bend]) => [neg(x), bend]).reverse();
    this.symmetric = same(neg(slopes[0]), slopes[1]) && this.bends.every(([x, bend], k) => same(x, mirrored[k][0]) && same(bend, mirrored[k][1]));
  }
  at(x) {
    let k = 0;
    while (k < this.kinks.length && less(this.kinks[k], x)) k += 1;
    const [near, value] = this.spots[Math.max(0, k - 1)];
    return add(value, mul(this.slopes[k], sub(x, near)));
  }
  between(low, high) { return this.bends.filter(([t]) => less(low, t) && less(t, high)); }
  point(x, g) {
    const near = this.between(sub(x, g), add(x, g)).filter(([, bend]) => bend.n > 0n);
    return add(this.at(x), over(sum(near.map(([t, bend]) => mul(bend, sub(g, qabs(sub(x, t)))))), 4));
  }
  run(middle, k, g) { // the mean over k grid points around the middle
    const first = sub(middle, over(times(k - 1n, g), 2));
    const last = add(middle, over(times(k - 1n, g), 2));
    const near = this.between(sub(first, g), add(last, g));
    if (!near.length) return this.at(middle);
    let [total, start] = [ZERO, 0n];
    const upTo = near.map(([t]) => qfloor(div(sub(t, first), g)));
    for (const stop of [...upTo, k - 1n]) { // c is straight from point to point
      const end = stop < k - 1n ? stop : k - 1n;
      if (end >= start) {
        total = add(total, times(end - start + 1n, this.at(add(first, times(start + end, over(g, 2))))));
        start = end + 1n;
      }
    }
    near.forEach(([t, bend], place) => {
      if (bend.n <= 0n) return;
      for (const j of [upTo[place], upTo[place] + 1n]) {
        const close = sub(g, qabs(sub(add(first, times(j, g)), t)));
        if (j >= 0n && j < k && close.n > 0n) total = add(total, over(mul(bend, close), 4));
      }
    });
    return over(total, k);
  }
  mean(middle, k, g) { // of c over k points, if no bend lies between them
    const half = over(times(k - 1n, g), 2);
    return this.between(sub(middle, half), add(middle, half)).length ? null : this.at(middle);
  }
  get smeared() { return over(sum(this.bends.map(([, bend]) => qmax(bend, ZERO))), 8); }
  chord(u, v) {
    const [a, b] = [this.at(u), this.at(v)];
    return this.between(u, v).map(([t]) => sub(add(a, mul(sub(b, a), div(sub(t, u), sub(v, u)))), this.at(t))).reduce(qmax, ZERO);
  }
  outer(s, edge) { // the infimum of c(s t) over t >= edge
    const beyond = this.spots.filter(([x]) => less(edge, side(s, x))).map(([, value]) => value);
    return [this.at(side(s, edge)), ...beyond].reduce(qmin);
  }
  tail(s, start) { // a polynomial in t that is nowhere below c(s t) from the start on
    const last = this.kinks.map((x) => side(s, x)).reduce(qmax);
    demand(!less(start, last), "the tail begins before the last kink of the loss");
    const slope = qabs(s > 0 ? this.slopes.at(-1) : this.slopes[0]);
    const from = qmax(ZERO, last);
    return [sub(this.at(side(s, from)), mul(slope, from)), slope];
  }
}

// Convex, even and smooth: x^p for whole p, and Huber's loss.
class Smooth {
  constructor(c, integral, chord, tail) { Object.assign(this, { at: c, integral, chord, symmetric: true, kinks: [], polynomial: tail }); }
  point(x, g) { return add(this.at(x), over(add(sub(this.at(sub(x, g)), times(2, this.at(x))), this.at(add(x, g))), 4)); }
  run(middle, k, g) {
    const half = over(times(k, g), 2);
    const [low, high] = [sub(middle, half), add(middle, half)];
    const [first, last] = [add(low, over(g, 2)), sub(high, over(g, 2))];
    const rise = sub(this.at(add(last, g)), this.at(last));
    const fall = sub(this.at(first), this.at(sub(first, g)));
    const mean = div(sub(this.integral(high), this.integral(low)), sub(high, low));
    return add(mean, over(sub(rise, fall), 4n * k));
  }
  outer(s, edge) { return this.at(edge); }
  tail(s, start) { return this.polynomial(start); }
}
const powerLoss = (p) => new Smooth(
  (x) => power(qabs(x), p),
  (x) => side(x.n < 0n ? -1 : 1, over(power(qabs(x), p + 1), p + 1)),
  (u, v) => {
    if (p < 2) return ZERO;
    const far = qmax(qabs(u), qabs(v));
    return over(times(p * (p - 1), mul(power(far, p - 2), power(sub(v, u), 2))), 8);
  },
  () => [...Array(p).fill(ZERO), ONE],
);
class Square extends Smooth { // the rounding of a value has a variance of at most g^2/4
  constructor() { super((x) => mul(x, x), null, (u, v) => over(power(sub(v, u), 2), 4), () => [ZERO, ZERO, ONE]); }
  point(x, g) { return add(mul(x, x), over(mul(g, g), 4)); }
  mean(middle, k, g) { return add(mul(middle, middle), times(k * k - 1n, over(mul(g, g), 12))); }
  get smeared() { return Q(1n, 12n); } // the variance of a uniform number between -1/2 and 1/2
  run(middle, k, g) { return add(mul(middle, middle), times(k * k + 2n, over(mul(g, g), 12))); }
}
const huberLoss = (w) => new Smooth(
  (x) => { const t = qabs(x); const inner = qmin(t, w); return mul(inner, sub(t, over(inner, 2))); },
  (x) => {
    const t = qabs(x);
    let area = over(power(qmin(t, w), 3), 6);
    if (less(w, t)) { const out = sub(t, w); area = add(area, mul(w, add(over(mul(out, w), 2), over(mul(out, out), 2)))); }
    return side(x.n < 0n ? -1 : 1, area);
  },
  function (u, v) { // the largest excess of the chord, at the slope of the chord
    if (!less(u, w) || !less(neg(w), v)) return ZERO;
    const slope = div(sub(this.at(v), this.at(u)), sub(v, u));
    return add(sub(this.at(u), mul(slope, u)), over(mul(slope, slope), 2));
  },
  (start) => (!less(start, w) ? [neg(over(mul(w, w), 2)), w] : [ZERO, ZERO, Q(1n, 2n)]),
);
class WeightedSum {
  constructor(terms) {
    this.terms = terms;
    this.symmetric = terms.every(([, loss]) => loss.symmetric);
    this.kinks = terms.flatMap(([, loss]) => loss.kinks);
  }
  each(part) { return sum(this.terms.map(([weight, loss]) => mul(weight, part(loss)))); }
  at(x) { return this.each((l) => l.at(x)); }
  point(x, g) { return this.each((l) => l.point(x, g)); }
  run(m, k, g) { return this.each((l) => l.run(m, k, g)); }
  chord(u, v) { return this.each((l) => l.chord(u, v)); }
  outer(s, e) { return this.each((l) => l.outer(s, e)); }
  tail(s, start) {
    const parts = this.terms.map(([weight, loss]) => loss.tail(s, start).map((a) => mul(weight, a)));
    return Array.from({ length: Math.max(...parts.map((p) => p.length)) }, (_, k) => sum(parts.map((p) => p[k] ?? ZERO)));
  }
}
function readLoss(raw, inSum = false) {
  const data = object(raw, "loss");
  const name = data.get("name");
  demand(typeof name === "string", '"loss" lacks a name');
  const has = (...more) => keys(data, "loss", ["name", ...more]);
  if (name === "custom" && !inSum) { has(); return null; }
  if (name === "l1") { has(); return new Pieces([[ZERO, ZERO]], [neg(ONE), ONE]); }
  if (name === "l2") { has(); return new Square(); }
  if (name === "pinball") {
    has("tau");
    const tau = short(data.get("tau"), "tau");
    demand(tau.n > 0n && less(tau, ONE), '"tau" must be between 0 and 1');
    return new Pieces([[ZERO, ZERO]], [sub(tau, ONE), tau]);
  }
  if (name === "huber") { has("width"); return huberLoss(positive(data.get("width"), "width")); }
  if (name === "power") {
    has("p");
    const p = short(data.get("p"), "p");
    demand(!less(p, ONE) && most(p, Q(16n)) && p.d <= 1000n, '"p" must be from 1 to 16');
    if (!whole(p)) throw new NotCovered("a power that is not whole");
    return p.n === 2n ? new Square() : powerLoss(Number(p.n));
  }
  if (name === "piecewise") {
    has("points", "slopes");
    const spots = list(data.get("points"), "points", 1000).map((one) => pair(one, "points").map((v) => short(v, "points")));
    const slopes = pair(data.get("slopes"), "slopes").map((v) => short(v, "slopes"));
    demand(spots.length, '"points" must not be empty');
    demand(spots.every(([x], k) => !k || less(spots[k - 1][0], x)), '"points" must rise');
    demand(spots.every(([, value]) => value.n >= 0n), "a loss is not negative");
    demand(slopes[0].n < 0n && slopes[1].n > 0n, "a loss falls before its first point and rises after its last");
    return new Pieces(spots, slopes);
  }
  demand(name === "sum" && !inSum, `the loss "${name.slice(0, 40)}" is not known`);
  has("terms");
  let spots = 0;
  const terms = list(data.get("terms"), "terms", 100).map((one) => {
    const [weight, loss] = pair(one, "terms");
    const part = readLoss(loss, true);
    spots += loss.get("name") === "piecewise" ? part.spots.length : 0;
    const found = [short(weight, "weight"), part];
    demand(found[0].n >= 0n, "a weight is not negative");
    return found;
  });
  demand(spots <= 1000, "a loss of more than 1000 points");
  const used = terms.filter(([weight]) => weight.n > 0n);
  demand(used.length, "a sum needs a positive weight");
  return new WeightedSum(used);
}

// ---- one number: reading ---------------------------------------------------------------------

function readNoise(data) {
  const integer = data.get("kind") === "integer";
  const gridded = !integer || data.has("grid");
  keys(data, "the file", ["format", "kind", "epsilon", "delta", "sensitivity", "loss", "step", "noise", "upper", "lower", ...(gridded ? ["grid"] : [])],
    ["certificate", "constraints", "profile", "gdp", "releases", "about"]);
  if (data.has("about")) about(data.get("about"));
  const noise = object(data.get("noise"), "noise");
  const mesh = gridded && noise.has("edges");
  keys(noise, "noise", ["denominator", "weights", mesh ? "edges" : "first", ...(gridded ? ["atom"] : [])], mesh ? [] : ["tail"]);
  const file = {
    integer,
    epsilon: number(data.get("epsilon"), "epsilon"),
    delta: number(data.get("delta"), "delta"),
    sensitivity: positive(data.get("sensitivity"), "sensitivity"),
    loss: readLoss(data.get("loss")),
    step: positive(data.get("step"), "step"),
    grid: gridded ? index(data.get("grid"), "grid", 1, integer ? 10n ** 15n : 1000001n) : 1n,
    denominator: count(noise.get("denominator"), "denominator"),
    weights: list(noise.get("weights"), "weights", 60000).map((w) => count(w, "weights")),
    atom: gridded ? count(noise.get("atom"), "atom") : 0n,
    first: mesh ? 0n : index(noise.get("first"), "first", -MAX_CELLS, MAX_CELLS),
    upper: number(data.get("upper"), "upper"),
    lower: number(data.get("lower"), "lower"),
    profile: data.has("profile") ? points(data.get("profile"), "profile") : [],
  };
  budget(file.epsilon, file.delta);
  demand(file.grid % 2n === 1n, '"grid" must be odd');
  demand(file.denominator > 0n, '"denominator" must be positive');
  demand(file.upper.n >= 0n && most(file.lower, file.upper), '"lower" must be at most "upper", and that not negative');
  const ratio = div(file.sensitivity, file.step);
  if (integer) {
    demand(whole(file.sensitivity), '"sensitivity" must be whole');
    demand(same(file.step, Q(file.grid)), '"step" must be 1, or "grid"');
  } else demand(whole(ratio), '"sensitivity" must be a whole number of steps');
  file.n = qceil(ratio);
  demand(file.n >= 1n && file.n <= MAX_CELLS, "the sensitivity must be 1 to 60000 steps");
  file.runs = integer && (file.grid !== 1n || file.atom !== 0n || mesh);
  if (mesh) readEdges(file, noise);
  else demand(file.n * BigInt(file.weights.length) <= 20000000n, "too many cells times shifts");
  if (noise.has("tail")) readTail(file, noise);
  for (const key of ["constraints", "gdp", "releases"]) if (data.has(key)) throw new NotCovered(`"${key}"`);
  if (file.loss === null) {
    demand(!data.has("certificate"), "a custom loss has no certificate");
    return file;
  }
  demand(data.has("certificate"), '"certificate" is missing');
  readCertificate(file, object(data.get("certificate"), "certificate"));
  return file;
}

function readEdges(file, noise) {
  file.edges = list(noise.get("edges"), "edges", 60000).map((e) => short(e, "edges"));
  demand(file.edges.length === file.weights.length + 1, "a mesh has one edge more than weights");
  demand(file.edges.every((e, k) => !k || less(file.edges[k - 1], e)), '"edges" must rise');
  demand(file.edges.every((e) => most(qabs(e), Q(MAX_CELLS))), "an edge is beyond 60000 steps");
  const halves = file.edges.map((e) => times(2n * file.grid, e));
  demand(halves.every(whole), "every edge times 2*grid must be whole");
  file.marks = halves.map((e) => e.n); // in half grid steps
  file.span = 2n * file.grid * file.n;
  const h = file.marks.reduce((a, m) => gcd(a, m - file.marks[0]), file.span);
  const cells = (file.marks.at(-1) - file.marks[0]) / h;
  file.lattice = { h, cells, n: file.span / h };
  const small = cells <= MAX_CELLS && cells * file.lattice.n <= 20000000n;
  demand(file.marks.length <= 600 || small, "more than 600 edges that share no small lattice");
}

function readTail(file, noise) {
  const tail = object(noise.get("tail"), "tail");
  keys(tail, "tail", ["period", "ratio"]);
  file.tail = { period: Number(index(tail.get("period"), "period", 1, MAX_CELLS)), ratio: short(tail.get("ratio"), "ratio") };
  demand(BigInt(file.tail.period) === file.n, '"period" must be the sensitivity in steps');
  demand(file.tail.ratio.n > 0n && less(file.tail.ratio, ONE), '"ratio" must be between 0 and 1');
  demand(file.weights.length >= 2 * file.tail.period, "a tail needs two periods of weights");
  const last = file.first + BigInt(file.weights.length) - 1n;
  demand(file.first <= -1n && last >= 1n, "a tail must begin on its own side of 0");
  file.tailPolynomials = file.loss && [1, -1].map((s) => {
    const beyond = times(s > 0 ? last + 1n : 1n - file.first, file.step);
    const start = file.integer && !file.runs ? beyond : sub(beyond, add(over(file.step, 2), over(file.step, file.grid)));
    return file.loss.tail(s, start);
  });
}

function readCertificate(file, data) {
  keys(data, "certificate", ["step", "reach", "shifts"], ["points"]);
  const step = positive(data.get("step"), "certificate.step");
  const given = data.has("points") ? points(data.get("points"), "points") : [];
  const reach = index(data.get("reach"), "reach", 0, MAX_CELLS);
  const ratio = div(file.sensitivity, step);
  const between = file.integer && !whole(step);
  if (between) demand(file.loss.smeared, '"certificate.step" must be whole');
  if (between || !file.integer) demand(whole(ratio), "the sensitivity must be a whole number of steps of the certificate");
  const n = qfloor(ratio);
  demand(n >= 1n && n <= MAX_CELLS, "the sensitivity must be 1 to 60000 steps of the certificate");
  const shifts = readShifts(data, reach, given.length);
  for (const { shift } of shifts) demand(abs(shift) <= n, "a shift must be from 1 to the sensitivity, in steps");
  file.certificate = { step, reach, n, shifts, points: given.length ? given : [[file.epsilon, file.delta]], given: given.length > 0 };
}

function readShifts(data, reach, given) {
  let multipliers = 0;
  const seen = new Set();
  return list(data.get("shifts"), "shifts", 60000).map((raw) => {
    const entry = object(raw, "shifts");
    keys(entry, "shifts", ["shift", "mirror", "budget", "cells", ...(given ? ["point"] : [])]);
    const cells = list(entry.get("cells"), "cells", 100000 - multipliers).map((cell) => {
      const [i, z] = pair(cell, "cells");
      return [index(i, "cells", -MAX_CELLS, MAX_CELLS), number(z, "cells")];
    });
    multipliers += cells.length;
    const found = {
      shift: index(entry.get("shift"), "shift", -MAX_CELLS, MAX_CELLS),
      mirror: flag(entry.get("mirror"), "mirror"),
      budget: number(entry.get("budget"), "budget"),
      point: given ? Number(index(entry.get("point"), "point", 0, 300)) : 0,
      cells,
    };
    demand(found.shift !== 0n, "a shift must not be 0");
    demand(found.budget.n >= 0n, '"budget" must not be negative');
    demand(new Set(cells.map(([i]) => i)).size === cells.length, "a cell occurs twice within a shift");
    demand(cells.every(([i]) => abs(i) <= reach), "a multiplier lies beyond the reach");
    demand(cells.every(([, z]) => z.n >= 0n && most(z, found.budget)), "a multiplier is not from 0 to its budget");
    demand(found.point < Math.max(1, given), "a shift names a point that is not there");
    for (const s of found.mirror ? [found.shift, -found.shift] : [found.shift]) {
      demand(!seen.has(`${found.point} ${s}`), "a shift occurs twice");
      seen.add(`${found.point} ${s}`);
    }
    return found;
  });
}

// ---- one number: the checks --------------------------------------------------------------------

function total(file) {
  let found = Q(file.weights.reduce((a, w) => a + w, file.atom));
  if (file.tail) {
    const { period, ratio } = file.tail;
    const ends = [...file.weights.slice(0, period), ...file.weights.slice(-period)].reduce((a, w) => a + w, 0n);
    found = add(found, times(ends, div(ratio, sub(ONE, ratio))));
  }
  return over(found, file.denominator);
}

function worstStick(file, epsilon) { // atom + the largest V(m)
  const top = expBounds(epsilon)[0];
  const bottom = 1n << EXP_BITS;
  let found;
  if (!file.edges) found = latticeStick(file.weights, file.n, file.tail, top, bottom);
  else if (file.edges.length > 600) found = cutStick(file, top, bottom);
  else found = meshStick(file, top, bottom);
  return over(add(Q(file.atom), found), file.denominator);
}

function latticeStick(weights, n, tail, top, bottom) {
  const even = weights.every((w, k) => w === weights[weights.length - 1 - k]);
  let [cells, from, to, unit] = [weights, 0, weights.length, bottom];
  let [inner, outer, period] = [1n, 0n, 0];
  if (tail) { // two continued periods on either side, and all that follows from the first
    const [a, b] = [tail.ratio.n, tail.ratio.d];
    period = tail.period;
    const [left, right] = [weights.slice(0, period), weights.slice(-period)];
    cells = [...left.map((w) => w * a * a), ...left.map((w) => w * a * b), ...weights.map((w) => w * b * b), ...right.map((w) => w * a * b), ...right.map((w) => w * a * a)];
    [from, to, unit] = [2 * period, 2 * period + weights.length, bottom * b * b * (b - a)];
    [inner, outer] = [b - a, b];
  }
  const plus = cells.map((w) => w * bottom);
  const minus = cells.map((w) => w * top);
  let worst = 0n;
  const stretch = (low, high, m) => {
    let v = 0n;
    tick(1 + ((high - low) >> 4));
    for (let i = low; i < high; i += 1) {
      const p = plus[i];
      const q = i - m >= 0 && i - m < minus.length ? minus[i - m] : 0n;
      if (p > q) v += p - q;
    }
    return v;
  };
  for (let size = 1; size <= Number(n); size += 1) {
    for (const m of even ? [size] : [size, -size]) {
      let v = stretch(from, to, m) * inner;
      if (tail) v += (stretch(from - period, from, m) + stretch(to, to + period, m)) * outer;
      if (v > worst) worst = v;
    }
    if (!tail && size > cells.length) break; // nothing overlaps any more
  }
  return Q(worst, unit);
}

function cutStick(file, top, bottom) { // every cell cut into equal parts of one length
  const parts = file.weights.map((_, k) => (file.marks[k + 1] - file.marks[k]) / file.lattice.h);
  const common = parts.reduce(lcm, 1n);
  const cells = file.weights.flatMap((w, k) => Array(Number(parts[k])).fill(w * (common / parts[k])));
  return over(latticeStick(cells, file.lattice.n, null, top, bottom), common);
}

function meshStick(file, top, bottom) {
  // V(s) = mass - overlap(s); the overlap of two steps at x and y + s has a kink at s = x - y.
  const lengths = file.weights.map((_, k) => file.marks[k + 1] - file.marks[k]);
  const common = lengths.reduce(lcm, 1n);
  const density = file.weights.map((w, k) => w * (common / lengths[k]));
  const plus = [0n, ...density.map((d) => d * bottom), 0n];
  const minus = [0n, ...density.map((d) => d * top), 0n];
  const least = (a, b) => (a < b ? a : b);
  const change = (i, k) => least(plus[i + 1], minus[k + 1]) - least(plus[i], minus[k + 1]) - least(plus[i + 1], minus[k]) + least(plus[i], minus[k]);
  const kinks = [[-file.span], [file.span]]; // [s, i, k]; changes are long, so none is kept
  for (let i = 0; i < file.marks.length; i += 1) {
    tick(file.marks.length);
    for (let k = 0; k < file.marks.length; k += 1) kinks.push([file.marks[i] - file.marks[k], i, k]);
  }
  kinks.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  let [value, slope, last, worst] = [file.weights.reduce((a, w) => a + w, 0n) * common * bottom, 0n, kinks[0][0], 0n];
  const size = 1 + (length(common) >> 10);
  for (const [s, i, k] of kinks) { // (far away nothing overlaps: V is the whole mass)
    tick(size);
    value += slope * (s - last);
    if (i !== undefined) slope += change(i, k);
    last = s;
    if (s !== 0n && abs(s) <= file.span && value > worst) worst = value;
  }
  return Q(worst, common * bottom);
}

function upperLoss(file) {
  const { loss, integer, grid } = file;
  const g = over(file.step, grid);
  const pointCost = (x) => (integer ? loss.at(x) : loss.point(x, g));
  const runCost = (middle, k) => {
    const mean = integer && loss.mean ? loss.mean(middle, k, g) : null; // exactly, if that is known
    if (mean) return mean;
    if (!integer || k > 400n) return loss.run(middle, k, g);
    const first = sub(middle, Q(k - 1n, 2n));
    return over(sum(Array.from({ length: Number(k) }, (_, j) => loss.at(add(first, Q(BigInt(j)))))), k);
  };
  const parts = [times(file.atom, pointCost(ZERO))];
  file.weights.forEach((w, k) => {
    if (!w) return;
    if (!file.edges) { parts.push(times(w, runCost(times(file.first + BigInt(k), file.step), grid))); return; }
    const [a, b] = [file.marks[k], file.marks[k + 1]]; // half step h rounds to (h + 1) / 2
    const [first, last] = [floorDiv(a, 2n) + 1n, floorDiv(b - 1n, 2n)];
    let cost = ZERO;
    if (first <= last) cost = times(2n * (last - first + 1n), runCost(times(first + last, over(g, 2)), last - first + 1n));
    for (const end of [a, b]) if (end % 2n === 0n) cost = add(cost, pointCost(times(end / 2n, g)));
    parts.push(over(times(w, cost), b - a));
  });
  if (file.tail) parts.push(...[1, -1].map((s, k) => tailLoss(file, s, file.tailPolynomials[k], g)));
  return over(together(parts), file.denominator);
}

function together(parts) { // a sum of many fractions
  const common = parts.reduce((a, q) => lcm(a, q.d), 1n);
  const size = 1 + (length(common) >> 10);
  return Q(parts.reduce((a, q) => (tick(size), a + q.n * (common / q.d)), 0n), common);
}

const choose = (n, k) => { let c = 1n; for (let j = 1; j <= k; j += 1) c = c * BigInt(n - j + 1) / BigInt(j); return c; };
function tailLoss(file, s, polynomial, g) {
  // A quarter of the second difference, and the mean over a cell, of a polynomial.
  const moved = file.integer ? ZERO : g;
  const half = file.integer && !file.runs ? ZERO : over(file.step, 2);
  const size = polynomial.length;
  const bent = [...polynomial];
  polynomial.forEach((a, j) => { for (let e = 2; e <= j; e += 2) bent[j - e] = add(bent[j - e], over(mul(times(choose(j, e), a), power(moved, e)), 2)); });
  const mean = Array(size).fill(ZERO);
  bent.forEach((a, j) => { for (let e = 0; e <= j; e += 2) mean[j - e] = add(mean[j - e], over(mul(times(choose(j, e), a), power(half, e)), e + 1)); });
  const { period, ratio } = file.tail;
  const sums = []; // of k^l ratio^k, k >= 1
  for (let l = 0; l < size; l += 1) {
    const before = sums.reduce((acc, one, j) => add(acc, times(choose(l, j), one)), ONE);
    sums.push(div(mul(ratio, before), sub(ONE, ratio)));
  }
  const end = file.first + BigInt(file.weights.length) - 1n;
  const cells = s > 0 ? file.weights.slice(-period) : file.weights.slice(0, period).reverse();
  const start = (s > 0 ? end : -file.first) - BigInt(period) + 1n;
  const length = times(period, file.step);
  const moments = Array.from({ length: size }, (_, p) => cells.reduce((acc, w, k) => (tick(), acc) + w * (start + BigInt(k)) ** BigInt(p), 0n));
  let found = ZERO;
  mean.forEach((a, j) => {
    for (let k = 0; k <= j; k += 1) {
      const part = mul(mul(a, power(file.step, j - k)), mul(power(length, k), sums[k]));
      found = add(found, times(choose(j, k) * moments[j - k], part));
    }
  });
  return found;
}

function lowerBound(file) { // null: a point is not promised
  const { step, reach, n, shifts, points: budgets } = file.certificate;
  const stated = [[file.epsilon, file.delta], ...file.profile];
  for (const { point } of shifts) {
    const [e, d] = budgets[point];
    if (!stated.some(([epsilon, delta]) => most(epsilon, e) && most(delta, d))) return null;
  }
  const integer = file.integer && same(step, ONE);
  const edge = Number(reach + n);
  const common = (a, d) => {
    const found = lcm(a, d);
    demand(!(found >> 4096n), "the multipliers have no common denominator below 2^4096");
    return found;
  };
  const scale = shifts.reduce((a, entry) => entry.cells.reduce((b, [, z]) => common(b, z.d), common(a, entry.budget.d)), 1n);
  const bottom = 1n << EXP_BITS;
  const gains = Array(2 * edge + 1).fill(0n);
  let spent = ZERO;
  const tops = budgets.map(([e]) => expBounds(e)[1]);
  for (const entry of shifts) {
    for (const s of entry.mirror ? [1n, -1n] : [1n]) {
      spent = add(spent, mul(budgets[entry.point][1], entry.budget));
      for (const [i, z] of entry.cells) {
        const amount = z.n * (scale / z.d);
        gains[edge + Number(s * i)] += amount * bottom;
        gains[edge + Number(s * (i - entry.shift))] -= amount * tops[entry.point];
      }
    }
  }
  const { loss } = file;
  const floors = [];
  const chordAt = (i) => loss.chord(times(i, step), times(i + 1, step));
  let before = integer ? ZERO : chordAt(-edge - 1);
  for (let i = -edge; i <= edge; i += 1) {
    const x = times(i, step);
    if (integer) { floors.push(loss.at(x)); continue; }
    const after = chordAt(i);
    floors.push(sub(loss.at(x), qmax(before, after)));
    before = after;
  }
  const beyond = [-1, 1].map((s) => loss.outer(s, times(edge, step)));
  if (!integer) {
    floors[0] = qmin(floors[0], beyond[0]);
    floors[2 * edge] = qmin(floors[2 * edge], beyond[1]);
  }
  const unit = scale * bottom;
  const values = floors.map((k, place) => Q(k.n * unit + gains[place] * k.d, k.d * unit));
  let theta;
  if (loss.symmetric) { // the noise may be taken symmetric
    theta = over(add(...beyond), 2);
    for (let d = 0; d <= edge; d += 1) theta = qmin(theta, over(add(values[edge - d], values[edge + d]), 2));
  } else theta = [...values, ...beyond].reduce(qmin);
  // Noise on the whole numbers plus a uniform number is real noise, and costs at most so much more.
  const more = file.integer && !whole(step) ? loss.smeared : ZERO;
  return qmax(ZERO, sub(sub(theta, spent), more));
}

const lowerWords = (file, bound) => (bound.n
  ? `no ${file.profile?.length ? "equally private" : "(epsilon, delta)-DP"} noise has a smaller expected loss than ${decimal(bound)}`
  : "trivial, no lower bound is claimed: no expected loss is below 0");
const open = (name, why) => ({ name, verdict: "not checked", slack: "", words: `not covered here: ${why}`, open: true });
const claim = (name, slack, words) => ({ name, verdict: slack.n >= 0n ? "proven" : "refuted", slack: decimal(slack, 3), words });
function checkNoise(file) {
  const off = sub(total(file), ONE);
  const claims = [claim("distribution", neg(qabs(off)), "the weights sum to the denominator")];
  const worst = worstStick(file, file.epsilon);
  claims.push(claim("privacy", sub(file.delta, worst), `largest hockey-stick divergence ${decimal(worst)}`));
  if (file.profile.length) {
    const slack = file.profile.map(([e, d]) => sub(d, worstStick(file, e))).reduce(qmin);
    claims.push(claim("profile", slack, `${file.profile.length} budgets`));
  }
  if (file.loss === null) {
    for (const name of ["upper", "lower"]) claims.push({ name, verdict: "not checked", slack: "", words: "the loss is a Python function" });
    return claims;
  }
  const loss = upperLoss(file);
  claims.push(claim("upper", sub(file.upper, loss), `expected loss of a release at most ${decimal(loss)}`));
  const bound = lowerBound(file);
  claims.push(bound === null
    ? { name: "lower", verdict: "refuted", slack: "", words: "the certificate uses a budget that is not claimed" }
    : claim("lower", sub(bound, file.lower), lowerWords(file, bound)));
  return claims;
}

// ---- unknown keys --------------------------------------------------------------------------------

function readKeyed(data) {
  keys(data, "the file", ["format", "kind", "epsilon", "delta", "sensitivity", "loss", "upper", "lower", "chain", "excess"], ["about", "profile", "curve", "releases"]);
  if (data.has("about")) about(data.get("about"));
  demand(!(data.has("profile") && data.has("curve")), '"profile" and "curve" exclude each other');
  for (const key of ["curve", "releases"]) if (data.has(key)) throw new NotCovered(`"${key}" of kind "keyed"`);
  const chain = object(data.get("chain"), "chain");
  keys(chain, "chain", ["denominator", "shown", "beyond"]);
  const file = {
    epsilon: number(data.get("epsilon"), "epsilon"),
    delta: number(data.get("delta"), "delta"),
    loss: readLoss(data.get("loss")),
    upper: number(data.get("upper"), "upper"),
    lower: number(data.get("lower"), "lower"),
    excess: number(data.get("excess"), "excess"),
    profile: data.has("profile") ? points(data.get("profile"), "profile") : [],
    denominator: count(chain.get("denominator"), "denominator"),
    shown: list(chain.get("shown"), "shown", 20001).map((v) => count(v, "shown")),
    beyond: list(chain.get("beyond"), "beyond", 10000).map((v) => count(v, "beyond")),
  };
  budget(file.epsilon, file.delta);
  const D = file.denominator;
  demand(same(number(data.get("sensitivity"), "sensitivity"), ONE), '"sensitivity" must be 1');
  demand(D >= 1n << 64n && (D & (D - 1n)) === 0n, '"denominator" must be a power of two and at least 2^64');
  demand(file.beyond.length && file.shown.length, '"shown" and "beyond" must not be empty');
  demand(!data.has("profile") || file.profile.length, '"profile" must not be empty');
  demand(file.excess.n >= 0n, '"excess" must not be negative');
  demand(file.lower.n >= 0n && most(file.lower, file.upper), '"lower" must be from 0 to "upper"');
  demand(file.loss !== null && file.loss.symmetric, "the loss must be even");
  const last = file.loss.kinks.map(qabs).reduce(qmax, ZERO);
  const spots = [ZERO, ...file.loss.kinks.filter((t) => t.n > 0n), add(last, ONE)].sort(cmp);
  demand(spots.every((t, k) => !k || !less(file.loss.at(t), file.loss.at(spots[k - 1]))), "the loss must not fall away from 0");
  return file;
}

function checkKeyed(file) {
  const { denominator: D, shown, beyond, loss } = file;
  const T = beyond.length;
  const one = 1n << EXP_BITS;
  const show = (n) => (n <= 0 ? 0n : n <= shown.length ? shown[n - 1] : D);
  const tail = (j) => (j >= 1 ? (j <= T ? beyond[j - 1] : 0n) : D - (1 - j <= T ? beyond[-j] : 0n));
  const good = beyond.every((v, k) => v > 0n && (!k || v <= beyond[k - 1])) && 2n * beyond[0] <= D
    && shown.every((v, k) => (!k || v >= shown[k - 1]) && (v === D) === (k === shown.length - 1))
    && shown.every((v, k) => tail(T + 1 - (k + 1)) <= v);
  // (Beyond the list a key is always shown: nothing to compare.)
  const claims = [{ name: "distribution", verdict: good ? "proven" : "refuted", slack: "", words: "chances rise from key to key and agree with the noise" }];
  if (!good) return claims;

  const q = (k) => tail(k) - tail(k + 1);
  const masses = (n) => { // by output: not shown, T, T + 1, ...
    const found = new Map([["-", D - show(n)]]);
    if (n === 0) return found;
    found.set(T, show(n) - tail(T + 1 - n));
    return found;
  };
  const stick = (epsilon) => { // the largest of all pairs, at least
    const [low] = expBounds(epsilon);
    // Terms q(k) against q(k+-1) over k > T - n: kept as running sums.
    const away = (p, r) => { const v = p * one - r * low; return v > 0n ? v : 0n; };
    const N = Math.max(2 * T + 1, shown.length);
    let worst = 0n;
    let [there, back] = [0n, 0n];
    for (let n = 0; n <= N; n += 1) {
      tick(4);
      const [a, b] = [masses(n), masses(n + 1)];
      if (n > 0) { // v = T + 1 is new: all others are those of n - 1, moved by one
        there += away(q(T + 1 - n), q(T - n));
      }
      let [go, come] = [there, 0n];
      if (n === 0) { back = 0n; for (let k = T; k <= T; k += 1) back += away(q(k), 0n); come = back; } else {
        back += away(q(T - n), q(T + 1 - n));
        come = back;
      }
      go += away(a.get("-"), b.get("-")) + away(a.get(T) ?? 0n, b.get(T) ?? 0n);
      come += away(b.get("-"), a.get("-")) + away(b.get(T) ?? 0n, a.get(T) ?? 0n);
      for (const v of [go, come]) if (v > worst) worst = v;
    }
    return Q(worst, D * one);
  };
  const worst = stick(file.epsilon);
  claims.push(claim("privacy", sub(file.delta, worst), `largest hockey-stick divergence ${decimal(worst)}`));
  if (file.profile.length) {
    const left = file.profile.map(([epsilon, delta]) => sub(delta, stick(epsilon))).reduce(qmin);
    claims.push(claim("profile", left, `${file.profile.length} budgets`));
  }

  const lines = [[file.epsilon, file.delta], ...file.profile].map(([epsilon, delta]) => [Q(expBounds(epsilon)[1], one), delta]);
  const room = add(ONE, file.excess);
  let [c, slack] = [ZERO, null];
  const SCALE = 1n << 256n;
  const up = (x) => Q(ceilDiv(x.n * SCALE, x.d), SCALE); // rounded up: a larger c proves as much
  for (let n = 1; n <= shown.length; n += 1) {
    const allowed = lines.flatMap(([e, delta]) => [add(mul(e, c), delta), sub(ONE, div(sub(sub(ONE, delta), c), e))]);
    c = up(allowed.reduce(qmin, ONE));
    const left = sub(mul(room, Q(show(n), D)), c);
    slack = slack === null ? left : qmin(slack, left);
  }
  claims.push(claim("shown", slack, "no equally private mechanism releases a key more often, but for the excess"));

  const parts = [];
  for (let k = -T; k <= T; k += 1) parts.push(times(q(k), loss.at(Q(BigInt(k)))));
  const cost = over(together(parts), D);
  claims.push(claim("upper", sub(file.upper, cost), `expected loss ${decimal(cost)}`));

  let t = lines.map(([e, delta]) => div(sub(ONE, delta), add(ONE, e))).reduce(qmax);
  let bound = loss.at(ZERO);
  const down = (x) => Q(floorDiv(x.n * SCALE, x.d), SCALE);
  for (let k = 0; t.n > 0n && k < 200000; k += 1) {
    bound = add(bound, times(2, mul(sub(loss.at(Q(BigInt(k + 1))), loss.at(Q(BigInt(k)))), t)));
    bound = down(bound);
    t = down(lines.map(([e, delta]) => div(sub(t, delta), e)).reduce(qmax, ZERO));
  }
  claims.push(claim("lower", sub(bound, file.lower), lowerWords(file, bound)));
  return claims;
}

// ---- several numbers at once -----------------------------------------------------------------------

function readJoint(data) {
  keys(data, "the file", ["format", "kind", "epsilon", "delta", "sensitivity", "loss", "upper", "lower", "certificate", "largest", "integer", "grid", "noise"], ["about", "weights"]);
  if (data.has("about")) about(data.get("about"));
  const noise = object(data.get("noise"), "noise");
  if (noise.has("each")) throw new NotCovered(`${noise.has("balls") ? "Euclidean" : "Gaussian"} noise for several numbers`);
  keys(noise, "noise", ["ratio", "offsets"], ["overlap"]);
  const shape = object(data.get("sensitivity"), "sensitivity");
  keys(shape, "sensitivity", ["blocks", "one_sided"]);
  const file = {
    oneSided: flag(shape.get("one_sided"), "one_sided"),
    grid: positive(data.get("grid"), "grid"),
    integer: flag(data.get("integer"), "integer"),
    largest: flag(data.get("largest"), "largest"),
    epsilon: number(data.get("epsilon"), "epsilon"),
    delta: number(data.get("delta"), "delta"),
    ratio: number(noise.get("ratio"), "ratio"),
    upper: number(data.get("upper"), "upper"),
    lower: number(data.get("lower"), "lower"),
    overlap: null,
  };
  budget(file.epsilon, file.delta);
  demand(file.epsilon.n > 0n, '"epsilon" must be positive');
  demand(file.ratio.n > 0n && less(file.ratio, ONE), '"ratio" must be between 0 and 1');
  demand(file.lower.n >= 0n && most(file.lower, file.upper), '"lower" must be from 0 to "upper"');
  demand(!file.integer || same(file.grid, ONE), '"grid" must be 1 for whole numbers');
  file.blocks = list(shape.get("blocks"), "blocks", 1000).map((raw) => {
    const block = object(raw, "blocks");
    keys(block, "blocks", ["numbers", "most", "width"]);
    const numbers = index(block.get("numbers"), "numbers", 1, 1000);
    const moved = index(block.get("most"), "most", 1, numbers);
    const width = positive(block.get("width"), "width");
    demand(moved === numbers || numbers <= 200n, "too many numbers that do not all move");
    demand(most(width, times(1000000, file.grid)), "a width is more than 1,000,000 steps of the grid");
    demand(!file.integer || whole(width), '"width" must be whole for whole numbers');
    demand(file.integer || moved === numbers, '"integer" must be true where not all numbers move at once');
    return { numbers, moved, width, steps: qceil(div(width, file.grid)) };
  });
  file.dimension = file.blocks.reduce((a, b) => a + b.numbers, 0n);
  demand(file.dimension >= 1n && file.dimension <= 1000n, "there must be 1 to 1000 numbers");
  for (const { numbers, moved, width } of file.blocks) {
    const steps = times(file.dimension, width);
    const few = most(steps, times(20000, file.epsilon)) && most(steps, times(40000, sub(div(ONE, file.ratio), ONE)));
    demand(moved === numbers || few, '"width" must be smaller where not all numbers move at once');
  }
  const exactly = (value, name) => { demand(list(value, name, file.blocks.length).length === file.blocks.length, `"${name}" must have an entry for each block`); return value; };
  exactly(noise.get("offsets"), "offsets").forEach((one, k) => {
    const block = file.blocks[k];
    block.offset = index(one, "offsets", 0, block.moved === block.numbers ? 1000000 : 0);
  });
  if (noise.has("overlap")) {
    demand(file.oneSided, '"overlap" is for moves of one sign');
    file.overlap = index(noise.get("overlap"), "overlap", 0, 1000000);
  }
  const name = object(data.get("loss"), "loss").get("name");
  // A draw chooses among as many weights as there are numbers and steps of overlap.
  const levels = file.dimension + (file.overlap ?? 0n);
  demand(levels * levels * BigInt(file.ratio.n.toString(2).length + file.ratio.d.toString(2).length) <= 1500000000n, '"overlap" and "ratio" must be shorter');
  file.loss = readLoss(data.get("loss"));
  demand(name === "l1" || name === "l2", '"loss" must be l1 or l2');
  file.power = name === "l1" ? 1 : 2;
  if (file.largest) {
    demand(name === "l1" && !data.has("weights"), "the largest error has the loss l1 and no weights");
    demand(file.blocks.length === 1 && file.blocks[0].moved === file.blocks[0].numbers && file.overlap === null, '"largest" is for one block whose numbers all move');
  }
  let weights = file.blocks.map(() => ONE);
  if (data.has("weights")) {
    weights = exactly(data.get("weights"), "weights").map((one) => positive(one, "weights"));
    let common = 1n;
    for (const one of weights) {
      common = lcm(common, one.d);
      demand(common.toString(2).length + one.n.toString(2).length <= 256, '"weights" must be of at most 256 bits together');
    }
    demand(weights.some((one) => !same(one, ONE)), '"weights" must be left out where all are 1');
  }
  const own = file.blocks.map((b, k) => times(b.numbers, weights[k]));
  file.shares = own.map((one) => div(one, sum(own)));
  file.certificate = readRates(object(data.get("certificate"), "certificate"), file);
  if (file.blocks.some((b) => b.moved !== b.numbers)) file.beyond = "blocks of which not all numbers move at once";
  if (file.dimension > 300n || (file.overlap ?? 0n) > 3000n) file.beyond = "more than 300 numbers, or an overlap above 3000";
  return file;
}

function readRates(data, file) {
  if (!data.size) return null;
  if (data.has("curves")) throw new NotCovered("bounds by the volume of projections");
  if (data.has("shifts")) {
    keys(data, "certificate", ["numbers", "step", "reach", "shifts"]);
    const reach = index(data.get("reach"), "reach", 0, MAX_CELLS);
    const numbers = index(data.get("numbers"), "numbers", 1, file.power === 2 ? file.dimension : 1);
    return { numbers, step: positive(data.get("step"), "step"), reach, shifts: readShifts(data, reach, 0) };
  }
  if (data.has("bases")) return readBases(data, file);
  if (data.has("cells")) { keys(data, "certificate", ["cells"]); demand(file.largest, '"cells" are for the largest error'); return { cells: index(data.get("cells"), "cells", 1, 1000) }; }
  keys(data, "certificate", ["numbers", "ranked", "unit", "rates"], ["cut"]);
  const found = {
    numbers: Number(index(data.get("numbers"), "numbers", 1, file.dimension < 60n ? file.dimension : 60n)),
    ranked: flag(data.get("ranked"), "ranked"),
    unit: positive(data.get("unit"), "unit"),
    rates: new Map(),
    cut: data.has("cut") ? index(data.get("cut"), "cut", 1, 1000) : 0n,
  };
  for (const entry of list(data.get("rates"), "rates", 60000)) {
    demand(Array.isArray(entry) && entry.length === 5, '"rates" must hold five values each');
    const [rank, above, b, below] = entry.slice(0, 4).map((x) => Number(index(x, "rates", 0, found.numbers + 1)));
    demand(below < b && b < above && b <= found.numbers, '"rates" must have below < b < above');
    demand(found.ranked || rank === 0, '"rates" must have rank 0 where they are not ranked');
    const key = `${rank} ${above} ${b} ${below}`;
    demand(!found.rates.has(key), '"rates" must not repeat a place');
    found.rates.set(key, count(entry[4], "rates"));
  }
  return found;
}

function places(k) { // [rank, above, b, below] of the rates of bases, in the order of a file
  const found = [];
  for (let rank = 1; rank <= k; rank += 1) {
    const end = k + 1 - rank;
    for (let above = rank > 1 ? 2 : k + 1; above <= (rank > 1 ? end + 1 : k + 1); above += 1) {
      for (let b = 1; b < above && b <= end; b += 1) for (let below = 0; below < b; below += 1) found.push([rank, above, b, below]);
    }
  }
  return found;
}

function readBases(data, file) {
  keys(data, "certificate", ["numbers", "reach", "unit", "apart", "bases"], ["moves"]);
  const MOST = (1n << 53n) - 1n;
  const small = (name, low, high) => Number(index(data.get(name), name, low, high));
  const numbers = small("numbers", 1, file.dimension < 20n ? file.dimension : 20n);
  const [reach, apart, unit] = [small("reach", 1, 1000), small("apart", 1, 20), positive(data.get("unit"), "unit")];
  demand(unit.n.toString(2).length + unit.d.toString(2).length <= 256, '"unit" must be shorter');
  const starts = [0];
  for (let n = apart; n < numbers; n += 1) starts.push(n);
  const tables = starts.map((start) => places(numbers - start));
  const readSide = (raw, many) => {
    keys(object(raw, "side"), "side", ["steps", "extremes", "rates"]);
    const [steps, extremes] = ["steps", "extremes"].map((name) => list(raw.get(name), name, many).map((one) => index(one, name, -MOST, MOST)));
    demand(steps.length === many && extremes.length === many, `"steps" and "extremes" must have ${many} entries`);
    demand(steps.every((one, j) => j === 0 || (one >= 0n && one + extremes[j] >= 0n)), '"steps" must not be negative from the second on, also with "extremes"');
    const rates = list(raw.get("rates"), "rates", 20).map((table) => list(table, "rates", 60000).map((one) => index(one, "rates", 0, MOST)));
    demand(rates.length === tables.length && rates.every((table, n) => table.length === tables[n].length), '"rates" must be as many as there are places');
    return { steps, extremes, rates };
  };
  const bases = list(data.get("bases"), "bases", 20).map((one) => {
    const raw = object(one, "bases");
    keys(raw, "bases", ["base", "start", "weight", "above"], ["below"]);
    const base = Number(index(raw.get("base"), "base", 0, 1000));
    demand(base < reach && raw.has("below") === base > 0, '"base" must be below "reach", and "below" is for bases above 0');
    const sides = [[1, readSide(raw.get("above"), reach - base)]];
    if (base) sides.push([-1, readSide(raw.get("below"), reach + base)]);
    return { base, start: index(raw.get("start"), "start", -MOST, MOST), weight: index(raw.get("weight"), "weight", 0, MOST), sides, twice: base ? 2n : 1n };
  });
  return { around: bases, numbers, reach, unit, starts, tables, moves: data.has("moves") ? small("moves", 1, 1000) : 1 };
}

// The sum over l >= 0 of f(l) q^l, f a polynomial of at most this degree from l = start on.
function series(f, start, degree, q) {
  const [a, b, c] = [q.n, q.d, q.d - q.n];
  const value = (l) => { tick(20); return f(l); };
  let rows = Array.from({ length: degree + 1 }, (_, k) => value(start + BigInt(k)));
  const heads = [];
  while (rows.length) { tick(1 + (rows.length >> 2)); heads.push(rows[0]); rows = rows.slice(1).map((v, k) => v - rows[k]); }
  let [top, bottom] = [0n, 1n]; // sum of heads[r] a^r / c^(r+1), from the last on
  for (const head of heads.reverse()) { top = head * bottom + top * a; bottom *= c; }
  let [head, scale] = [0n, 1n]; // the terms before the start, times b^start / b
  for (let l = start - 1n; l >= 0n; l -= 1n) { head = head * a + value(l) * scale; scale *= b; }
  return { n: head * b * bottom + a ** start * top * b, d: scale * bottom }; // (not reduced: that may take long)
}
function quotient(a, b) { // a / b; rounded up at 2^-256 where reducing it would take long
  const [n, d] = [a.n * b.d, a.d * b.n];
  return d >> 8192n ? Q(ceilDiv(n << 256n, d), 1n << 256n) : Q(n, d);
}
const powers = (r, p) => (p === 1 ? r * (r + 1n) / 2n : r * (r + 1n) * (2n * r + 1n) / 6n); // 1^p + ... + r^p

function largestMean(numbers, width, offset, q) { // E max |x_i| of boxes that grow by a width
  let [smaller, upTo] = [0n, 0n]; // the sum of (2j - 1)^numbers for j = 1..upTo; boxes only grow
  const end = (l) => offset + l * width;
  const moment = (l) => {
    const R = end(l);
    if (R > 3000000n) throw new NotCovered("a box of more than 3,000,000 steps");
    while (upTo < R) { tick(1 + Number(numbers >> 3n)); upTo += 1n; smaller += (2n * upTo - 1n) ** numbers; }
    return R * (2n * R + 1n) ** numbers - smaller;
  };
  const k = Number(numbers);
  return div(series(moment, 0n, k + 1, q), series((l) => (2n * end(l) + 1n) ** numbers, 0n, k, q));
}

function jointLoss(file) {
  const { blocks, power: p, ratio: q } = file;
  if (file.largest) {
    const [one] = blocks;
    return mul(add(largestMean(one.numbers, one.steps, one.offset, q), file.integer ? ZERO : ONE), file.grid);
  }
  const T = file.overlap;
  const product = (c, less) => blocks.reduce((acc, b, k) => acc * (2n * b.offset + c * b.steps + 1n) ** (b.numbers - (k === less ? 1n : 0n)), 1n);
  const half = (b, l) => 2n * powers(b.offset + l * b.steps, p);
  const counted = (l) => (T === null || l < T ? product(2n * l) : (l - T + 1n) * product(l + T) - (l - T) * product(l + T - 1n));
  const moment = (k) => (l) => {
    if (T === null || l < T) return product(2n * l, k) * half(blocks[k], l);
    let before = 0n;
    for (let i = T; i < l; i += 1n) { tick(); before += half(blocks[k], i); }
    return product(l + T, k) * (before + half(blocks[k], l)) - product(l + T - 1n, k) * before;
  };
  const d = Number(file.dimension);
  const all = series(counted, T ?? 0n, d, q);
  const mean = sum(blocks.map((_, k) => mul(file.shares[k], quotient(series(moment(k), T ?? 0n, d + p, q), all))));
  return mul(add(mean, file.integer ? ZERO : Q(1n, BigInt(2 * p))), power(file.grid, p));
}

function jointBound(file) {
  const proof = file.certificate;
  if (proof === null) return ZERO;
  if (proof.shifts) return sumsBound(file, proof);
  if (file.delta.n > 0n && !proof.cut && !proof.around) return ZERO;
  const moves = (numbers) => (file.oneSided && numbers > 1n ? 2n : 1n);
  const below = (x) => { // a short rational at most e^-x
    const parts = 1n << (102n + 2n * qceil(x));
    return Q((parts << EXP_BITS) / expBounds(x)[1], parts);
  };
  if (proof.cells) {
    const [block] = file.blocks;
    const cell = over(block.width, proof.cells);
    if (file.integer && !whole(cell)) return ZERO;
    const q = below(times(moves(block.numbers), file.epsilon));
    let least = null;
    for (let r = 0n; r < proof.cells; r += 1n) {
      const one = largestMean(block.numbers, proof.cells, r, q);
      least = least === null ? one : qmin(least, one);
    }
    if (!(file.integer && same(cell, ONE))) least = sub(least, ONE);
    return mul(qmax(ZERO, least), cell);
  }
  const p = file.power;
  const best = movable(file, BigInt(proof.numbers));
  if (best === null) return ZERO;
  if (proof.around) return basesBound(file, proof, best, below);
  const twice = moves(BigInt(proof.numbers)) === 2n;
  const q = below(times(twice ? 2n : 1n, file.epsilon));
  const delta = twice ? mul(file.delta, Q((1n << EXP_BITS) + expBounds(file.epsilon)[1], 1n << EXP_BITS)) : file.delta;
  let each = over(sub(flowBound(proof, q, p), delta.n ? mul(delta, slackOfDelta(proof, q, p)) : ZERO), proof.numbers);
  if (p === 2 && !(file.integer && same(best.width, ONE))) each = sub(each, Q(1n, 4n));
  return mul(mul(qmax(ZERO, each), power(best.width, p)), best.share);
}

function basesBound(file, proof, best, below) { // flows around bases, of moves one way
  const { numbers: k, moves, unit, around } = proof;
  const [epsilon, p] = [times(moves, file.epsilon), file.power];
  if (less(Q(100n), epsilon)) return ZERO;
  const q = below(epsilon);
  if (less(ONE, times(around.reduce((all, one) => all + one.twice * one.weight, 0n), unit))) return ZERO;
  let total = sub(ZERO, surplusOfBases(proof, p));
  for (const base of around) total = add(total, mul(Q(base.twice), boundOfBase(proof, base, q, p)));
  if (file.delta.n > 0n) {
    if (around.some(({ weight }) => weight > 0n)) return ZERO;
    const delta = mul(times(moves, file.delta), Q(expBounds(sub(epsilon, file.epsilon))[1], 1n << EXP_BITS));
    total = sub(total, mul(delta, priceOfDelta(proof, q)));
  }
  let each = over(total, k);
  const width = times(moves, best.width);
  if (p === 2 && !(file.integer && same(width, ONE))) each = sub(each, Q(1n, 4n));
  return mul(mul(qmax(ZERO, each), power(width, p)), best.share);
}

function surplusOfBases({ numbers, reach, unit, around }, p) { // what the parts are too large by
  const [parts, extremes, last] = [Array(reach + 1).fill(0n), new Map(), Math.max(0, ...around.map(({ base }) => base))];
  for (const { base, start, sides } of around) {
    for (const [sign, { steps, extremes: more }] of sides) {
      let [x, part, value] = [base, start, 0n];
      const put = () => { if (x >= 0 && !(sign < 0 && x === base)) parts[x] += part; if (base && x <= 0 && !(x === 0 && sign > 0)) parts[-x] += part; };
      put();
      steps.forEach((step, j) => { tick(); x += sign; part += step; value += more[j]; put(); const v = sign * x; extremes.set(v, (extremes.get(v) ?? 0n) + value); });
    }
  }
  const surplus = parts.map((part, x) => sub(times(part, unit), Q(BigInt(x) ** BigInt(p)))).reduce(qmax, ZERO);
  let most = 0n;
  for (let v = 1 - last; v <= reach; v += 1) { const value = extremes.get(v) ?? 0n; if (value > most) most = value; }
  return add(times(numbers, surplus), times(2n * most, unit));
}

function boundOfBase(proof, base, q, p) { // at most the mean of its part of the loss
  const { numbers: k, unit } = proof;
  const ends = base.sides.map(([sign, side]) => leastSums(proof, side, costsOfSide(proof, base, sign, side, q, p), q));
  const [up, down] = [ends[0], ends[ends.length - 1]];
  let least = null;
  for (let n = 0; n <= k; n += 1) for (let m = 0; m + n <= k; m += 1) { const one = up[n][m] + down[m][n]; if (least === null || one < least) least = one; }
  return mul(add(Q(BigInt(k) * base.start), Q(least, q.d << 40n)), unit);
}

function costsOfSide({ numbers: k }, { base, weight }, sign, { steps, extremes }, q, p) {
  const [a, m, scale, rest, slope] = [q.n, q.d, q.d << 40n, sub(ONE, q), BigInt(2 * sign * base - 1)];
  const [costs, ends, chance] = [Array(k).fill(0n), Array(k).fill(0n), [1n << 128n, ...Array(k).fill(0n)]];
  steps.forEach((step, at) => {
    const j = BigInt(at + 1);
    const more = step - weight * (p === 1 ? 1n : slope + 2n * j);
    tick(k);
    for (let i = 0; i < k; i += 1) {
      costs[i] += more * (more > 0n ? chance[i] : chance[i] + j);
      ends[i] += extremes[at] * (extremes[at] > 0n ? chance[i] : chance[i] + j);
    }
    for (let i = k - 1; i > 0; i -= 1) chance[i] = (a * chance[i] + (m - a) * chance[i - 1]) / m;
    chance[0] = a * chance[0] / m;
  });
  const each = costs.map((cost, i) => {
    const mean = p === 1 ? div(ONE, rest) : add(div(Q(BigInt(2 * i + 2)), mul(rest, rest)), div(Q(slope), rest));
    return (cost * scale >> 128n) + qfloor(times(weight * scale, mean));
  });
  let total = 0n;
  return [each, [0n, ...ends.map((value) => { total += value; return total * scale >> 128n; })]];
}

function leastSums({ numbers: k, starts, tables }, side, [each, ends], q) { // [n][p]
  const [got, spent, sums] = [q.n << 40n, (q.d - q.n) << 40n, []];
  starts.forEach((start, t) => {
    const [most, rates, gained, least] = [k - start, new Map(), new Map(), new Map()];
    tables[t].forEach(([rank, above, b, below], n) => {
      tick();
      rates.set(`${rank} ${above} ${b} ${below}`, side.rates[t][n]);
      const key = `${rank} ${above} ${below}`;
      if (rank > 1) gained.set(key, (gained.get(key) ?? 0n) + got * choose(above - below, b - below) * side.rates[t][n]);
    });
    for (let n = tables[t].length - 1; n >= 0; n -= 1) { // (members below come later in the order)
      const [rank, above, b, below] = tables[t][n];
      tick();
      const rest = (below ? least.get(`${rank + 1} ${b} ${below}`) : ends[rank]) + (gained.get(`${rank + 1} ${b} ${below}`) ?? 0n);
      const one = BigInt(b) * each[rank - 1] + rest - spent * side.rates[t][n];
      const key = `${rank} ${above} ${b}`;
      if (!least.has(key) || one < least.get(key)) least.set(key, one);
    }
    for (let others = start; others < (starts[t + 1] ?? k + 1); others += 1) {
      const row = [];
      for (let m = 0; m <= k - others; m += 1) {
        let inflow = 0n;
        for (let b = m + 1; b <= k - others; b += 1) inflow += choose(k - others - m, b - m) * rates.get(`1 ${most + 1} ${b} ${m}`);
        row.push((m ? least.get(`1 ${most + 1} ${m}`) : 0n) + got * inflow);
      }
      sums.push(row);
    }
  });
  return sums;
}

function priceOfDelta({ numbers: k, unit, tables, around }, q) { // of one unit of delta
  let total = ZERO;
  for (const { sides } of around) {
    for (const [, { steps, extremes, rates }] of sides) {
      const largest = Array(k + 1).fill(0n);
      tables.forEach((table, t) => table.forEach(([, , b], n) => { if (rates[t][n] > largest[b]) largest[b] = rates[t][n]; }));
      const [step, extreme] = [steps, extremes].map((one) => one.slice(1).reduce((x, y) => x + y, 0n));
      for (let b = 1; b <= k; b += 1) {
        const range = div(Q(BigInt(b) * step + extreme), sub(ONE, q));
        total = add(total, times(2n * choose(k, b), add(range, Q(largest[b]))));
      }
    }
  }
  return mul(mul(q, total), unit);
}

function movable(file, numbers) { // the best width by which so many numbers can all move at once
  let best = null;
  for (const { width } of file.blocks) {
    const wide = file.blocks.map((b, k) => [b, file.shares[k]]).filter(([b]) => !less(b.width, width));
    const reach = wide.reduce((a, [b]) => a + b.moved, 0n);
    const share = times(reach, wide.map(([b, one]) => over(one, b.moved)).reduce(qmin));
    const worth = mul(share, power(width, file.power));
    // (Of equal ones the widest.)
    const better = best === null || less(best.worth, worth) || (same(best.worth, worth) && less(best.width, width));
    if (reach >= numbers && better) best = { width, share, worth };
  }
  return best;
}

function sumsBound(file, proof) { // sums of several numbers are one number
  const { numbers: n, step } = proof;
  const best = movable(file, n);
  if (best === null) return ZERO;
  const cells = div(best.width, step);
  const integer = file.integer && n === 1n;
  const fits = (whole(cells) && (!integer || file.loss.smeared)) || (integer && whole(step));
  if (!fits || less(cells, ONE) || less(Q(MAX_CELLS), cells)) return ZERO;
  if (proof.shifts.some(({ shift }) => less(cells, Q(abs(shift))))) return ZERO;
  const certificate = { ...proof, n: qfloor(cells), points: [[file.epsilon, file.delta]] };
  const B = lowerBound({ ...file, integer, profile: [], certificate });
  if (n === 1n) return mul(B, best.share);
  const lost = file.integer ? Q(1n, 12n) : ZERO;
  const all = over(sub(times(n * n, B), lost), n);
  if (!file.oneSided) return mul(qmax(ZERO, all), best.share);
  let c = n % 2n;
  while ((c + 2n) * (c + 2n) <= n) c += 2n;
  const plus = (n + c) / 2n;
  const part = Q(n - 1n, n * n - c * c);
  const other = over(sub(ONE, times(c * c, part)), n);
  return mul(qmax(ZERO, add(mul(part, sub(times(plus * plus, B), lost)), mul(other, all))), best.share);
}

function gapMeans(q, cut) { // at most the means of min(gap, cut) and of its square; cut 0: of the gap
  const rest = sub(ONE, q);
  const [first, second] = [div(ONE, rest), div(add(ONE, q), mul(rest, rest))];
  if (!cut) return [first, second];
  const beyond = Q(ceilDiv(q.n ** cut << 256n, q.d ** cut), 1n << 256n);
  const tail = add(div(Q(2n * cut + 1n), rest), div(times(2n, q), mul(rest, rest)));
  return [sub(first, mul(beyond, first)), sub(second, mul(beyond, tail))];
}

function slackOfDelta({ numbers, unit, rates, cut }, q, p) {
  const k = BigInt(numbers);
  const [first, second] = gapMeans(q, cut);
  const largest = new Map();
  for (const [key, rate] of rates) { const b = key.split(" ")[2]; if (rate > (largest.get(b) ?? 0n)) largest.set(b, rate); }
  let total = ZERO;
  for (let b = 1n; b <= k; b += 1n) {
    let z = times(b, sub(Q(cut), first));
    if (p === 2) {
      const others = add(Q((k - b) * b * cut), div(Q(b * (b - 1n), 2n), sub(ONE, q)));
      z = add(times(b, sub(Q(cut * cut), second)), mul(times(2n, sub(Q(cut), first)), others));
    }
    const most = add(div(z, sub(ONE, q)), times(largest.get(`${b}`) ?? 0n, unit));
    total = add(total, times(choose(numbers, Number(b)) << b, most));
  }
  return mul(q, total);
}

function flowBound({ numbers: k, ranked, unit, rates, cut }, q, p) {
  // The least sum over ways from k + 1 down to 0; all in units of 1 / ((m - a)^2 m d), q = a/m.
  const [a, m] = [q.n, q.d];
  const [lose, gain] = [(m - a) ** 3n * unit.n, a * (m - a) ** 2n * unit.n];
  const [first, second] = gapMeans(q, cut);
  const scale = (m - a) ** 2n * m * unit.d;
  const mean = (b, rank) => times(b, p === 1 ? first : add(second, times(2 * (rank - 1), mul(first, first))));
  const parts = new Map();
  const part = (b, rank) => { // (whole, unless there is a cut)
    const key = `${b} ${p === 1 ? 0 : rank}`;
    if (!parts.has(key)) parts.set(key, qfloor(times(scale, mean(b, rank))));
    return parts.get(key);
  };
  const rate = (rank, above, b, under) => rates.get(`${ranked ? rank : 0} ${above} ${b} ${under}`) ?? 0n;
  const ways = (above, b, under) => (above > k ? choose(k - under, b - under) * 2n ** BigInt(b - under) : choose(above - under, b - under));
  const known = new Map();
  const between = (above, under, rank) => { // what could be put between two neighbors
    const key = `${above} ${under} ${ranked ? rank : 0}`;
    if (!known.has(key)) {
      let found = 0n;
      for (let b = under + 1; b < above; b += 1) { const z = rate(rank, above, b, under); if (z) found += ways(above, b, under) * z; }
      known.set(key, found * gain);
    }
    return known.get(key);
  };
  const best = new Map();
  const ranks = ranked || p === 2; // else the rest of a way does not depend on it
  function from(above, b, rank) { // the rest of the way, at the member b of this rank below `above`
    const key = `${above} ${b} ${ranks ? rank : 0}`;
    if (best.has(key)) return best.get(key);
    let least = null;
    tick(b);
    for (let under = b - 1; under >= 0; under -= 1) {
      let found = part(b, rank) - lose * rate(rank, above, b, under) + between(b, under, rank + 1);
      if (under > 0) found += from(b, under, rank + 1);
      if (least === null || found < least) least = found;
    }
    best.set(key, least);
    return least;
  }
  let least = between(k + 1, 0, 1);
  for (let b = k; b >= 1; b -= 1) {
    const found = between(k + 1, b, 1) + from(k + 1, b, 1);
    if (found < least) least = found;
  }
  return Q(least, (m - a) ** 2n * m * unit.d);
}

function checkJoint(file) {
  const high = Q(1n << EXP_BITS, expBounds(file.epsilon)[0]); // at least e^-epsilon
  const privacy = claim("privacy", sub(file.ratio, high), "neighbors change the norm by at most 1");
  if (file.beyond) return [privacy, open("upper", file.beyond), open("lower", file.beyond)];
  const loss = jointLoss(file);
  const bound = jointBound(file);
  return [
    privacy,
    claim("upper", sub(file.upper, loss), `expected loss of a release at most ${decimal(loss)}`),
    claim("lower", sub(bound, file.lower), lowerWords(file, bound)),
  ];
}

// ---- many queries: privacy, and the error where it needs no matrix -------------------------------

const NAMES = ["identity", "prefix", "ranges", "total"];
const MAX_TABLE = 1000000n;
const bitsOf = (a) => (a ? a.toString(2).replace("-", "").length : 0);
const fits = (a, bits) => demand(bitsOf(a) <= bits, `"workload" has a number of more than ${bits} bits`);
function wholes(value, name, longest) { // integers of at most 256 bits
  return list(value, name, longest).map((one) => {
    tick();
    demand(one instanceof Literal && /^-?[0-9]+$/.test(one.text), `"${name}" must hold integers`);
    demand(bitsOf(BigInt(one.text)) <= 256, `"${name}" must hold integers of at most 256 bits`);
    return BigInt(one.text);
  });
}
function weightsOf(value, count) {
  let common = 1n;
  const found = list(value, "weights", count).map((one) => {
    const q = positive(one, "weights");
    common = lcm(common, q.d);
    fits(common, 128);
    fits(q.n, 128);
    return q;
  });
  return found;
}

// {cells, queries, rows: what iterates over rows of integers, over: their denominator, weights}
function readWorkload(raw, depth = 0, seen = { parts: 0 }) {
  demand(depth < 6 && seen.parts < 1000, '"workload" has too many parts, or is too deep');
  seen.parts += 1;
  const data = object(raw, "workload");
  const is = (...names) => { keys(data, "workload", names); };
  if (data.has("name")) {
    is("name", "cells");
    const name = data.get("name");
    demand(NAMES.includes(name), '"name" of a workload is not known');
    const cells = index(data.get("cells"), "cells", 1, 20000);
    return { name, cells, queries: name === "ranges" ? cells * (cells + 1n) / 2n : name === "total" ? 1n : cells, over: 1n };
  }
  if (data.has("rows")) {
    is("rows", "denominator");
    const rows = list(data.get("rows"), "rows", 20000).map((row) => wholes(row, "rows", 4000000));
    demand(rows.length && rows[0].length && rows.every((row) => row.length === rows[0].length), '"rows" must be alike, and some');
    demand(rows.length * rows[0].length <= 4000000 && rows.some((row) => row.some((a) => a)), '"rows" are too many, or all 0');
    const over = positive(data.get("denominator"), "denominator");
    demand(whole(over), '"denominator" must be whole');
    fits(over.n, 128);
    return { rows, cells: BigInt(rows[0].length), queries: BigInt(rows.length), over: over.n };
  }
  if (data.has("of")) {
    is("weights", "of");
    const part = readWorkload(data.get("of"), depth + 1, seen);
    demand(part.queries <= 4000000n, '"weights" are too many');
    const weights = weightsOf(data.get("weights"), Number(part.queries));
    demand(weights.length === 1 || BigInt(weights.length) === part.queries, '"weights" must be one, or one for each query');
    return { cells: part.cells, queries: part.queries, over: part.over, part, weights };
  }
  if (data.has("marginals")) {
    keys(data, "workload", ["marginals", "sets"], ["weights"]);
    const sizes = list(data.get("marginals"), "marginals", 500).map((one) => index(one, "marginals", 1, MAX_TABLE));
    demand(sizes.length, '"marginals" must have an attribute');
    const sets = list(data.get("sets"), "sets", 20000).map((one) => list(one, "sets", Math.min(sizes.length, 16)).map((i) => Number(index(i, "sets", 0, sizes.length - 1))));
    demand(sets.length && sets.every((one) => one.every((i, k) => !k || one[k - 1] < i)), '"sets" must be some, and rise');
    demand(new Set(sets.map(String)).size === sets.length, '"sets" must differ');
    const tables = sets.map((one) => one.reduce((a, i) => a * sizes[i], 1n));
    const queries = tables.reduce((a, b) => a + b);
    demand(queries <= 4000000n, '"sets" have too many cells');
    const weights = data.has("weights") ? weightsOf(data.get("weights"), sets.length) : sets.map(() => ONE);
    demand(weights.length === sets.length, '"weights" must be one for each set');
    return { cells: sizes.reduce((a, b) => a * b), queries, over: 1n, tables, weights };
  }
  const kind = ["stack", "product"].find((name) => data.has(name));
  demand(kind, '"workload" must have name, rows, of, marginals, stack or product');
  is(kind);
  const parts = list(data.get(kind), kind, 30).map((one) => readWorkload(one, depth + 1, seen));
  demand(parts.length > 1, `"${kind}" must have two parts or more`);
  const of = (value) => parts.map(value).reduce((a, b) => a * b);
  if (kind === "product") {
    demand(of((part) => part.cells) <= MAX_TABLE, '"product" has too many cells');
    return { product: parts, cells: of((part) => part.cells), queries: of((part) => part.queries), over: of((part) => part.over) };
  }
  demand(parts.every((part) => part.cells === parts[0].cells), '"stack" must be of one number of cells');
  return { stack: parts, cells: parts[0].cells, queries: parts.reduce((a, part) => a + part.queries, 0n), over: parts.map((part) => part.over).reduce(lcm) };
}

// (What is not known of a workload in parts of parts is null.)
function eachWeight(part) { // how many queries have which weight
  if (part.tables) return part.tables.map((count, k) => [count, part.weights[k]]);
  if (part.stack) { const inner = part.stack.map(eachWeight); return inner.some((one) => !one) ? null : inner.flat(); }
  if (part.product) return null;
  if (!part.weights) return [[part.queries, ONE]];
  const inner = eachWeight(part.part);
  if (!inner || (part.weights.length > 1 && inner.length > 1)) return null;
  if (part.weights.length === 1) return inner.map(([count, one]) => [count, mul(one, part.weights[0])]);
  return part.weights.map((one) => [1n, mul(one, inner[0][1])]);
}
function countsCost(part, largest) { // the total, or the largest, of weight times squared length
  const best = (values) => (largest ? values.reduce(qmax) : sum(values));
  if (part.tables) return best(part.weights.map((one, k) => (largest ? times(part.cells / part.tables[k], one) : times(part.cells, one))));
  if (part.name) {
    const n = part.cells;
    if (largest) return Q(part.name === "identity" ? 1n : n);
    return Q({ prefix: n * (n + 1n) / 2n, ranges: n * (n + 1n) * (n + 2n) / 6n }[part.name] ?? n);
  }
  if (part.stack) { const inner = part.stack.map((one) => countsCost(one, largest)); return inner.some((one) => !one) ? null : best(inner); }
  const lengths = ({ rows, over: d }) => rows.map((row) => Q(row.reduce((a, x) => (tick(), a + x * x), 0n), d * d));
  if (part.rows) return best(lengths(part));
  if (part.weights?.length === 1) { const inner = countsCost(part.part, largest); return inner && mul(inner, part.weights[0]); }
  return part.part?.rows ? best(lengths(part.part).map((one, k) => mul(one, part.weights[k]))) : null;
}
function answersMoved(part) { // the sum of sizes of what a unit changes in all answers
  if (part.tables) return Q(BigInt(part.tables.length));
  if (part.name) { const n = part.cells; return Q({ prefix: n, ranges: ((n + 1n) / 2n) * (n / 2n + 1n) }[part.name] ?? 1n); }
  if (part.part) return answersMoved(part.part);
  if (!part.rows) return null;
  return Q(part.rows[0].map((_, j) => part.rows.reduce((a, row) => (tick(), a + abs(row[j])), 0n)).reduce((a, b) => (a > b ? a : b)), part.over);
}

function readMany(data) {
  keys(data, "the file", ["format", "kind", "workload", "neighbours", "budget", "loss", "largest", "noise", "upper", "lower", "certificate"], ["law", "entropy", "about"]);
  if (data.has("about")) about(data.get("about"));
  const asked = object(data.get("budget"), "budget");
  for (const key of asked.keys()) demand(["gdp", "zcdp", "epsilon", "delta"].includes(key), '"budget" has an unknown key');
  if (asked.has("gdp") || asked.has("zcdp")) throw new NotCovered("Gaussian noise for many queries");
  keys(asked, "budget", ["epsilon", "delta"]);
  const file = {
    part: readWorkload(data.get("workload")),
    replaced: data.get("neighbours") === "replace",
    epsilon: positive(asked.get("epsilon"), "epsilon"),
    delta: number(asked.get("delta"), "delta"),
    largest: flag(data.get("largest"), "largest"),
    upper: number(data.get("upper"), "upper"),
    lower: number(data.get("lower"), "lower"),
    noise: list(data.get("noise"), "noise", 100).map((one) => object(one, "noise")),
  };
  demand(file.replaced || data.get("neighbours") === "add-remove", '"neighbours" must be "add-remove" or "replace"');
  budget(file.epsilon, file.delta);
  demand(!less(file.epsilon, Q(1n, 1000000n)), '"epsilon" must be at least 0.000001');
  demand(file.lower.n >= 0n && most(file.lower, file.upper), '"lower" must be from 0 to "upper"');
  const loss = object(data.get("loss"), "loss");
  demand(loss.size === 1 && loss.get("name") === "l2", '"loss" must be l2');
  demand(!data.has("entropy"), '"entropy" is for a budget of zcdp');
  const split = (part) => (part.product && !file.replaced ? part.product.flatMap(split) : [part]);
  file.factors = split(file.part);
  demand(file.factors.length === file.noise.length && file.noise.length <= 100, '"noise" must have a strategy for each factor');
  demand(list(data.get("certificate"), "certificate", 100).every((one) => one instanceof Map) && data.get("certificate").length === file.noise.length, '"certificate" must have an object for each factor');
  const kinds = new Set(file.noise.map((one) => ["counts", "answers", "roots", "scales", "each", "rows", "triangle"].find((key) => one.has(key))));
  [file.strategy] = kinds;
  if (kinds.size !== 1 || !["counts", "answers", "rows"].includes(file.strategy)) throw new NotCovered("such a strategy for many queries");
  for (const one of file.noise) {
    if (file.strategy === "rows") keys(one, "noise", ["bits", "rows"]);
    else { keys(one, "noise", [file.strategy]); demand(one.get(file.strategy) === true, `"${file.strategy}" must be true`); }
  }
  const alone = file.noise.length === 1;
  if (file.strategy === "counts") demand(!file.replaced, '"counts" are for add-remove');
  if (file.strategy === "answers") demand(alone && file.part.over === 1n, '"answers" are of integers, and not of products');
  if (file.strategy !== "rows") demand(file.factors.every((part) => part.cells <= MAX_TABLE), "too many cells");
  if (data.has("law")) {
    const law = object(data.get("law"), "law");
    demand(law.get("format") === "leastnoise/1", '"format" must be "leastnoise/1"');
    const kind = law.get("kind");
    demand(["integer", "joint", "vector"].includes(kind), '"law" must be of kind integer, joint or vector');
    if (kind === "vector") throw new NotCovered("vector noise for many queries");
    demand(file.strategy === (kind === "integer" ? "counts" : "answers"), `"law" is not for "${file.strategy}"`);
    file.law = { kind, raw: law, read: CHECKS[kind][0](law) };
  }
  file.factors.forEach((part, k) => readMultipliers(data.get("certificate")[k], part, file));
  if (file.strategy === "rows") file.measured = file.noise.map((one, k) => readMeasured(one, file.factors[k], file.replaced));
  return file;
}

function readMeasured(raw, part, replaced) { // rows over 2^bits about all cells, or all but the first
  const bits = index(raw.get("bits"), "bits", 0, 80);
  const rank = part.cells - (replaced ? 1n : 0n);
  demand(rank >= 1n && rank <= 400n, '"workload" must have 1 to 400 coordinates here');
  const rows = list(raw.get("rows"), "rows", 1000).map((row) => wholes(row, "rows", 400));
  demand(BigInt(rows.length) >= rank && rows.every((row) => BigInt(row.length) === rank), '"rows" must be as many as cells, and as long');
  return { rows, unit: 1n << bits };
}
function moveOf({ rows, unit }, replaced) { // the largest sum of sizes by which a unit moves the rows
  const columns = rows[0].map((_, j) => rows.map((row) => row[j]));
  if (replaced) columns.push(rows.map(() => 0n));
  let worst = 0n;
  const size = (column) => { tick(1 + (column.length >> 3)); return column.reduce((a, x) => a + abs(x), 0n); };
  columns.forEach((one, k) => {
    const sizes = replaced ? columns.slice(0, k).map((other) => size(one.map((x, i) => x - other[i]))) : [size(one)];
    for (const found of sizes) if (found > worst) worst = found;
  });
  return Q(worst, unit);
}

function readMultipliers(raw, part, file) { // (only their form: bounds for many queries are not covered here)
  if (!raw.size && file.strategy !== "rows") return;
  if (raw.has("values")) {
    keys(raw, "certificate", ["weights", "values"]);
    let base = part;
    while (base.weights?.length === 1 && base.part) base = base.part;
    demand(["prefix", "ranges"].includes(base.name) && part.cells <= 2000n && !file.replaced && !file.largest && file.strategy !== "rows", '"values" are for prefix sums and ranges');
    for (const key of ["weights", "values"]) {
      const found = wholes(raw.get(key), key, 2000);
      demand(BigInt(found.length) === part.cells && found.every((one) => one >= 1n && one < 1n << 60n), `"${key}" must be as many as cells, from 1`);
    }
    return;
  }
  keys(raw, "certificate", ["shifts", "matrix", ...(file.strategy === "rows" ? ["inverse"] : []), ...(file.largest ? ["questions"] : [])], ["coordinates"]);
  demand(part.cells <= 3200n, '"workload" must have at most 3200 cells here');
  const places = new Set();
  for (const one of list(raw.get("shifts"), "shifts", 5118400)) {
    const shift = wholes(one, "shifts", file.replaced ? 3 : 2);
    demand(shift.length === (file.replaced ? 3 : 2) && shift.every((x) => x >= 0n), '"shifts" must be cells and weights');
    const [i, j] = [shift[0], shift.at(-2)];
    demand(j < part.cells && (!file.replaced || i < j), '"shifts" must be cells and weights, i < j');
    demand(!places.has(`${i} ${j}`), '"shifts" must not repeat one');
    places.add(`${i} ${j}`);
  }
  const rank = part.cells - (file.replaced ? 1n : 0n);
  const square = (key, size) => {
    const rows = list(raw.get(key), key, 400).map((row) => wholes(row, key, 400));
    demand(BigInt(rows.length) === size && rows.every((row) => BigInt(row.length) === size) && size >= 1n, `"${key}" must have as many rows and columns as coordinates`);
  };
  if (raw.has("coordinates") && raw.get("coordinates") instanceof Map) throw new NotCovered("bounds about some cells");
  demand(!raw.has("coordinates") || raw.get("coordinates") === "questions", '"coordinates" are not known');
  square("matrix", raw.has("coordinates") ? part.queries : rank);
  if (file.strategy === "rows") square("inverse", rank);
  if (file.largest) {
    const found = wholes(raw.get("questions"), "questions", 4000000);
    demand(BigInt(found.length) === part.queries && found.every((x) => x >= 0n) && found.some((x) => x), '"questions" must be weights, not all 0');
  }
}

function lawFits(file) { // whether the law is what is needed of it, and why not
  const { kind, raw, read } = file.law;
  if (raw.get("loss").get("name") !== "l2" || read.largest || read.profile?.length) return "it must be for the squared error, and for nothing else";
  if (less(file.epsilon, read.epsilon) || less(file.delta, read.delta)) return "its budget is above the stated one";
  if (kind === "joint") return read.blocks.length === 1 && !raw.has("weights") && read.integer && read.blocks[0].moved === read.blocks[0].numbers ? null : "it must be for integers that may all change at once";
  const { weights, first } = read;
  const even = weights.every((w, k) => w === weights[weights.length - 1 - k]) && 2n * first === 1n - BigInt(weights.length);
  return same(read.sensitivity, ONE) && !read.runs && even ? null : "it must be symmetric, for a count that changes by one";
}
function movedWithin(file) { // whether what a unit does to the answers is a move of the law's shape
  const { part, law: { read } } = file;
  const shape = read.blocks[0];
  if (read.blocks.length !== 1 || read.dimension !== part.queries || (read.oneSided && file.replaced)) return false;
  let base = part;
  while (base.part) base = base.part;
  if (base.name || base.tables) return shape.width.n >= shape.width.d; // entries are 0 and 1
  if (!base.rows) throw new NotCovered("answers of such a workload");
  const signs = new Set();
  for (const row of base.rows) {
    const [low, high] = [row.reduce((a, x) => (x < a ? x : a)), row.reduce((a, x) => (x > a ? x : a))];
    tick(1 + (row.length >> 3));
    if (low < 0n || high > 0n) { signs.add(low < 0n); signs.add(high <= 0n); }
    const moved = file.replaced ? high - low : -low > high ? -low : high;
    if (less(shape.width, Q(moved))) return false;
  }
  return !read.oneSided || signs.size <= 1;
}

function checkMany(file) {
  const claims = [];
  let variance = null;
  if (file.law) {
    const within = file.law.kind === "integer" || movedWithin(file);
    claims.push(claim("privacy", within ? ZERO : neg(ONE), "the noise is for what one unit changes"));
    const wrong = lawFits(file);
    const bad = wrong ? null : CHECKS[file.law.kind][1](file.law.read).find((one) => one.verdict !== "proven");
    const verdict = wrong ? "refuted" : bad ? bad.verdict : "proven";
    claims.push({ name: "law", verdict, slack: "", words: wrong ?? (bad ? `${bad.name}: ${bad.words}` : "the noise of one measurement is proven by its own file") });
    if (bad?.verdict === "not checked" && bad.name === "privacy") throw new NotCovered("the noise of one measurement");
    variance = file.law.read.upper;
  } else if (file.strategy === "rows") {
    const move = file.measured.map((one) => moveOf(one, file.replaced)).reduce(mul);
    claims.push(claim("privacy", sub(ONE, move), `one unit changes the measurements by at most ${decimal(move)}`));
  } else {
    let rate = file.epsilon;
    if (file.strategy === "answers") {
      const moved = answersMoved(file.part);
      if (!moved) throw new NotCovered("answers of such a workload");
      rate = div(rate, qmax(ONE, file.replaced ? times(2, moved) : moved));
    }
    claims.push(claim("privacy", ZERO, "discrete Laplace noise on integers, at the rate of what one unit changes"));
    const q = Q(1n << EXP_BITS, expBounds(rate)[0]);
    const fine = div(Q(2n), mul(rate, rate));
    variance = same(q, ONE) ? fine : qmin(fine, div(times(2, q), power(sub(ONE, q), 2)));
  }
  let cost = null;
  if (file.strategy === "counts") { const each = file.factors.map((part) => countsCost(part, file.largest)); cost = each.some((one) => !one) ? null : each.reduce(mul); }
  if (file.strategy === "answers") { const each = eachWeight(file.part); cost = each && (file.largest ? each.map(([, one]) => one).reduce(qmax) : sum(each.map(([count, one]) => times(count, one)))); }
  claims.push(cost && variance ? claim("upper", sub(file.upper, mul(variance, cost)), `error of a release at most ${decimal(mul(variance, cost))}`) : open("upper", "the error of a strategy in rows"));
  claims.push(open("lower", "bounds for many queries"));
  return claims;
}

// ---- the first line ------------------------------------------------------------------------------

function rounded(a, up, digits = 12) { // not negative
  if (!a.n) return "0";
  let e = a.n.toString().length - a.d.toString().length - digits;
  const scaled = () => { const [n, d] = e < 0 ? [a.n * 10n ** BigInt(-e), a.d] : [a.n, a.d * 10n ** BigInt(e)]; return up ? ceilDiv(n, d) : n / d; };
  if (scaled() >= 10n ** BigInt(digits)) e += 1;
  const text = `${scaled()}e${e}`;
  return Number(text) ? `${Number(text)}` : text;
}
const atMost = (a) => rounded(a, true); // what is promised for less holds for more
const atLeast = (a) => rounded(a, false); // how far neighbors may be apart
function numbersOf({ numbers, moved }) {
  if (numbers === 1n) return "one number";
  return moved === numbers ? `all ${numbers} numbers` : `${moved} of ${numbers} numbers`;
}
const SCOPES = {
  additive: (file) => `neighboring datasets change the value by at most ${atLeast(file.sensitivity)} (the sensitivity)`,
  keyed: () => "neighboring datasets differ by one unit, which has this key",
  joint: (file) => {
    const moves = file.blocks.slice(0, 3).map((block) => `${numbersOf(block)} by at most ${atLeast(block.width)}`);
    if (file.blocks.length > 3) moves.push(`those of ${file.blocks.length - 3} further blocks as the file states`);
    return `neighboring datasets change ${moves.join(" and ")}${file.oneSided ? ", in one direction" : ""}`;
  },
};
SCOPES.integer = SCOPES.additive;
SCOPES.workload = (file) => `neighboring datasets ${file.replaced ? "replace" : "add or remove"} one unit and every unit counts in one cell`;

function summaryOf(kind, file, claims) { // for whom, with which budget, how close to optimal
  const pairs = [[file.epsilon, file.delta], ...(file.profile ?? [])];
  const budgets = pairs.slice(0, 3).map(([epsilon, delta]) => `(${atMost(epsilon)}, ${atMost(delta)})-DP`).join(" and ");
  const guarantee = `${kind === "keyed" ? "the release of a key" : "a release"} is ${budgets}${pairs.length > 3 ? " (and satisfies more budgets)" : ""} if ${SCOPES[kind](file)}.`;
  const refuted = claims.filter((one) => one.verdict === "refuted").map((one) => `"${one.name}"`);
  if (refuted.length) return `Refuted: ${refuted.join(", ")}. Do not use this file. It claims that ${guarantee}`;
  if (claims.some((one) => one.open)) return `Proven: ${guarantee} How close it is to optimal is not checked here.`;
  if (claims.some((one) => one.verdict === "not checked")) return `Proven: ${guarantee} How close it is to optimal is not proven.`;
  if (!file.lower.n) return `Proven: ${guarantee} No lower bound is claimed, so how close it is to optimal is not known.`;
  const gap = div(sub(file.upper, file.lower), file.lower);
  if (most(gap, Q(1n, 1000000n))) return `Proven: ${guarantee} The expected loss is optimal to within a millionth.`;
  return `Proven: ${guarantee} The expected loss is at most ${rounded(times(100, gap), true, 2)}% above optimal.`;
}

const CHECKS = { additive: [readNoise, checkNoise], integer: [readNoise, checkNoise], keyed: [readKeyed, checkKeyed], joint: [readJoint, checkJoint], workload: [readMany, checkMany] };
const KINDS = ["additive", "integer", "dependent", "vector", "keyed", "joint", "workload"];

function checkMechanism(text) {
  demand(text.length <= 8000000, "the file is larger than 8,000,000 bytes");
  return checkKind(object(parseJson(text), "the file"));
}

function checkKind(data) {
  demand(data.get("format") === "leastnoise/1", '"format" must be "leastnoise/1"');
  const kind = data.get("kind");
  demand(KINDS.includes(kind), '"kind" is not known');
  if (!(kind in CHECKS)) throw new NotCovered(`kind "${kind}"`);
  const [reader, checker] = CHECKS[kind];
  const file = reader(data);
  const claims = checker(file);
  const has = (verdict) => claims.some((one) => one.verdict === verdict);
  const code = has("refuted") ? 1 : has("not checked") ? 3 : 0;
  const partial = code === 3 && claims.some((one) => one.open); // some is not covered here, the rest is proven
  return { exit_code: code, partial, claims, words: summaryOf(kind, file, claims) };
}

// ---- a report ------------------------------------------------------------------------------------

const primes = [];
for (let n = 2; primes.length < 64; n += 1) if (primes.every((p) => n % p)) primes.push(n);
function sha256(bytes) {
  tick(20);
  const part = (x) => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
  const k = primes.map((p) => part(Math.cbrt(p)));
  const state = primes.slice(0, 8).map((p) => part(Math.sqrt(p)));
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  padded.set(bytes);
  padded[bytes.length] = 128;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const turn = (x, r) => (x >>> r) | (x << (32 - r));
  const w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 64; i += 1) {
      if (i < 16) { w[i] = view.getInt32(at + 4 * i); continue; }
      const [x, y] = [w[i - 15], w[i - 2]];
      w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + w[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((one, i) => { state[i] = (state[i] + one) | 0; });
  }
  return state.map((one) => (one >>> 0).toString(16).padStart(8, "0")).join("");
}
const utf8 = (text) => new TextEncoder().encode(text);

function inOrder(a, b) { // by code points, not by halves of surrogate pairs
  const [x, y] = [[...a], [...b]];
  const at = x.findIndex((sign, k) => sign !== y[k]);
  return at < 0 ? x.length - y.length : at >= y.length ? 1 : x[at].codePointAt(0) - y[at].codePointAt(0);
}
function ascii(text) { // in parts, since every letter that is replaced takes memory
  let out = "";
  const long = 65536;
  for (let k = 0; k < text.length; k += long) {
    tick(100);
    out += text.slice(k, k + long).replace(/[\u007f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
  return out;
}
function canonical(value) { // keys in order, no spaces, ASCII only, numbers as Python writes them
  tick();
  if (value instanceof Literal) {
    demand(/^-?[0-9]+$/.test(value.text) || Number.isFinite(Number(value.text)), "the report holds a number that is not finite");
    return written(value.text);
  }
  if (typeof value === "string") return ascii(JSON.stringify(value));
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value instanceof Map) return `{${[...value.keys()].sort(inOrder).map((key) => `${canonical(key)}:${canonical(value.get(key))}`).join(",")}}`;
  return String(value);
}

function checkReport(data) {
  const claims = [];
  const say = (name, verdict, words) => claims.push({ name, verdict, slack: null, words });
  const files = object(data.get("mechanisms"), "mechanisms");
  demand(files.size <= 100000, '"mechanisms" must have at most 100000 files');
  const rest = new Map(data);
  rest.delete("sha256");
  const sealed = sha256(utf8(canonical(rest))) === data.get("sha256");
  say("hash", sealed ? "proven" : "refuted", sealed ? "the content has the hash that is stated" : "the report was changed");
  for (const [name, text] of files) {
    demand(typeof text === "string", '"mechanisms" must hold texts');
    const title = `mechanism ${name.slice(0, 12)}`;
    demand(text.isWellFormed?.() ?? true, "a text has half of a surrogate pair");
    if (sha256(utf8(text)) !== name) { say(title, "refuted", "the file is not the one that answers name"); continue; }
    try {
      const found = checkMechanism(text);
      say(title, found.exit_code === 1 ? "refuted" : "proven", found.words);
    } catch (error) {
      if (!(error instanceof NotCovered)) throw error;
      say(title, "not checked", `not covered here: ${error.message}`);
    }
  }
  const batches = list(data.get("batches"), "batches", 100000).map((batch) => object(batch, "batches"));
  const spent = (part, name) => { const q = number(part.get(name), name, 4000); demand(q.n >= 0n, `"${name}" must not be negative`); return q; };
  const total = (name) => sum(batches.map((batch) => spent(batch, name)));
  const [epsilon, delta] = ["epsilon", "delta"].map((name) => spent(data, name));
  const adds = same(total("epsilon"), epsilon) && same(total("delta"), delta);
  say("budget", adds ? "proven" : "refuted", `the answers spend epsilon = ${atMost(epsilon)}, delta = ${atMost(delta)} in all, as their parts add up`);
  let [missing, bare, chosen] = [0, 0, 0];
  for (const batch of batches) {
    for (const answer of list(batch.get("answers"), "answers", 100000)) {
      const basis = object(object(answer, "answers").get("basis"), "basis");
      const names = [...list(basis.get("files"), "files", 100000), basis.get("keys") ?? null].filter((name) => name !== null);
      missing += names.filter((name) => !files.has(name)).length;
      if ((basis.get("epsilon") ?? null) !== null) chosen += 1;
      else if (!names.length) bare += 1;
    }
  }
  if (missing) say("files", "refuted", "an answer names a mechanism file that is not in the report");
  if (bare) say("answers", "refuted", "an answer names neither a mechanism file nor an exponential mechanism");
  if (chosen) say("quantiles", "by theorem", `${chosen === 1 ? "one answer has" : `${chosen} answers have`} no mechanism file: the exponential mechanism is private by a theorem`);
  say("queries", "not checked", "how far one unit moves each number, which the files count in steps of their own, that they are for that, and what a page shows around the copy of its report for programs");
  const refuted = claims.filter((one) => one.verdict === "refuted").map((one) => one.name);
  const headings = list(data.get("headings"), "headings", 100).map((one) => object(one, "headings")).reverse(); // the last of a name counts
  const heading = (name, none) => String(headings.find((one) => one.get("heading") === name)?.get("words") ?? none);
  const unit = `the privacy unit ${heading("Privacy unit", "that it names")} and ${heading("Neighboring tables", "the stated").split(":")[0]} neighbors`;
  const stated = `all answers together are (${atMost(epsilon)}, ${atMost(delta)})-DP for ${unit}`;
  if (refuted.length) return { exit_code: 1, claims, words: `Refuted: ${refuted.join(", ")}. Do not use this report. It claims that ${stated}.` };
  const open = claims.filter((one) => one.verdict === "not checked" && one.name !== "queries").length;
  const proofs = open ? `${files.size - open} of ${files.size} mechanism files are proven private here` : "every mechanism file is proven private";
  return { exit_code: 3, claims, words: `Checked in part: the report has its hash, ${proofs}, and the budgets add up. It states that ${stated}. That the files fit the queries is not checked here; leastnoise verify checks it.` };
}

// ---- any file -----------------------------------------------------------------------------------

const EMBEDDED = /<script type="application\/json" id="report">([^<]*)<\/script>/;

function check(content, patience = PATIENCE) {
  [ticks, deadline] = [0, Date.now() + patience];
  try {
    let text = content;
    if (typeof content !== "string") {
      const bytes = new Uint8Array(content);
      demand(bytes.length <= 40000000, "the file is larger than 40,000,000 bytes");
      try { text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes); } catch { throw new Malformed("not UTF-8"); }
    }
    if (text.trimStart().startsWith("<")) {
      const held = EMBEDDED.exec(text);
      demand(held, "this web page holds no report");
      [, text] = held;
    }
    const data = object(parseJson(text), "the file");
    if (data.get("format") === "leastnoise-report/3") return checkReport(data);
    demand(text.length <= 8000000, "the file is larger than 8,000,000 bytes");
    return checkKind(data);
  } catch (error) {
    if (error instanceof Malformed) return { exit_code: 2, claims: [], words: `Malformed: ${error.message}.` };
    if (error instanceof NotCovered) return { exit_code: null, claims: [], words: `Not covered here: ${error.message}.` };
    return { exit_code: null, claims: [], words: `Not checked: ${error.message}.` }; // numbers too long for the machine
  }
}
globalThis.leastnoiseCheck = check;

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  globalThis.onmessage = ({ data }) => {
    postMessage(check(data));
  };
}

// ---- a page of its own, and the page of a report --------------------------------------------------

const make = (name, words) => { const one = document.createElement(name); one.textContent = words; return one; };
async function show(content, name, said, table) {
  said.textContent = `Checking ${name} …`;
  table.replaceChildren();
  await new Promise((done) => setTimeout(done, 20));
  const found = check(content);
  said.textContent = `${name}: ${found.words}`;
  table.replaceChildren(...found.claims.map((one) => {
    const row = document.createElement("tr");
    row.append(make("td", one.name), make("td", one.verdict), make("td", one.words));
    return row;
  }));
}
function status() {
  const said = make("p", "");
  said.setAttribute("role", "status");
  return [said, document.createElement("table")];
}

const place = globalThis.document?.currentScript?.dataset ?? {};
if (place.alone !== undefined) {
  document.addEventListener("DOMContentLoaded", () => {
    const choose = Object.assign(document.createElement("input"), { type: "file", accept: ".json,.html" });
    choose.setAttribute("aria-label", "A mechanism file or a report");
    const [said, table] = status();
    document.body.append(make("h1", "Check a mechanism file or a report"),
      make("p", "Nothing is sent anywhere: this page checks the file by itself, in exact integer arithmetic."), choose, said, table);
    choose.addEventListener("change", async () => {
      const [file] = choose.files;
      if (file) await show(await file.arrayBuffer(), file.name, said, table);
    });
  });
}
if (place.report !== undefined) {
  document.addEventListener("DOMContentLoaded", () => {
    const [said, table] = status();
    const button = Object.assign(make("button", "Check this report in the browser"), { type: "button" });
    document.getElementById("checker").append(button, said, table);
    button.addEventListener("click", () => show(document.getElementById("report").textContent, "This report", said, table));
  });
}
})();
