// Answers: a number with its margin, a picture, a sentence to publish, the proofs.

import { box, line, part, picture, text, ticks, whisker } from "./svg.js";
import { byId, make, measured, number, percent, plain } from "./words.js";

// Years, quarters, months and days.
const TIME = /^(\d{4})(?:-Q([1-4])|-(\d\d)(?:-(\d\d))?)?$/;
const BIN = /^\[(\S+), (\S+)[)\]]$/;
const known = (group) => group.low !== null && group.high !== null;
// The rows behind a number, in words; those that are left out only if they are clearly above 0.
function behind(group) {
  const named = Object.fromEntries((group.rests_on ?? []).map((one) => [one.name, one]));
  const rows = named.rows, left = named["rows left out"];
  return [...(rows ? [`from ${plain(rows.value)} ${rows.value === 1 ? "row" : "rows"}`] : []), ...(left && left.value >= 3 * Math.max(1, left.high - left.value) ? [`${plain(left.value)} ${left.value === 1 ? "row" : "rows"} left out`] : [])].join(", ");
}

// Imprecise numbers stand in parentheses, where that was asked for.
const digits = (one, group) => ({ ...measured(group.value, group.low, group.high), ...(group.key in (one.shown ?? {}) ? { value: one.shown[group.key] } : {}) });
const mark = (one, group, words) => (one.imprecise?.includes(group.key) ? `(${words})` : words);

// A batch of answers that were paid for together; earlier ones stay, for they cost budget, too. Each
// says which table it is about: another one may have been chosen since.
export function showAnswers(data, job, name) {
  const place = byId("answers");
  for (const old of place.querySelectorAll("[id]")) old.removeAttribute("id");
  place.querySelector(".latest")?.classList.remove("latest");
  const take = [["take-report", "report.html", "Report"], ["take-csv", "answers.csv", "CSV"], ["take-excel", "answers.xlsx", "Excel"], ["take-json", "report.json", "Report with proofs (JSON)"], ["take-script", "script.py", "Python script"], ["take-notebook", "notebook.ipynb", "Notebook"]]
    .map(([id, file, words]) => make("button", { type: "button", id, text: words, "data-name": file, "data-file": `/api/jobs/${job.job}/files/${file}` }));
  const now = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const title = make("h2", { class: "batch", tabindex: "-1", text: `${name}, answered at ${now}` });
  place.prepend(make("section", { class: "results latest", "aria-label": "Answers" }, title,
    ...data.answers.map((one) => answerCard(one, job)),
    make("div", { class: "card" }, make("h2", { text: "Download" }), make("div", { class: "row" }, ...take),
      make("p", { class: "help", text: "You may publish all of this. CSV and Excel hold the numbers alone. The report and the JSON hold the proofs: check either in Verify, or with leastnoise verify report.json. The script and the notebook run the queries again and spend their budget again." }))));
  title.focus({ preventScroll: true });
  title.scrollIntoView({ block: "start" });
}

function answerCard(one, job) {
  const parts = [make("h2", { text: one.heading })];
  const [first] = one.answers;
  if (one.answers.length === 1 && first.key === "") parts.push(...single(one, first));
  else if (!one.answers.length) parts.push(make("p", { text: "No group had enough rows to be released." }));
  else parts.push(...several(one));
  const notes = make("ul", { class: "help" }, ...[...one.notes, one.why, one.noise].map((words) => make("li", { text: words })));
  const proofs = make("div", { class: "row" }, ...one.mechanisms.map((name) => make("button", {
    type: "button", class: "quiet", "data-file": `/api/jobs/${job.job}/files/${name}`, "data-name": name, text: `Proof: ${name}`,
  })));
  parts.push(...(one.rests_on ?? []).map(coverage));
  if (one.legend) parts.push(make("p", { class: "help", text: `${one.legend[0].toUpperCase()}${one.legend.slice(1)}.` }));
  parts.push(...(one.hints ?? []).map((words) => make("p", { class: "warning", text: `${words[0].toUpperCase()}${words.slice(1)}${words.endsWith("?") ? "" : "."}` })));
  return make("div", { class: "card answer" }, ...parts,
    make("details", {}, make("summary", { text: "How the noise was chosen, and its proof" }), notes, proofs));
}

const spent = (one) => `epsilon ${number(one.epsilon, 3)}${one.delta > 0 ? `, delta ${number(one.delta, 3)}` : ""}`;

function single(one, group) {
  const told = digits(one, group);
  const sentence = told.margin === null
    ? `${one.heading}: ${told.value} (differentially private with ${spent(one)}).`
    : `${one.heading}: ${told.value}${told.even ? `, margin of error ${told.margin}` : ""} (95% confidence interval ${told.low} to ${told.high}; differentially private with ${spent(one)}).`;
  const copy = make("button", { type: "button", class: "quiet", text: "Copy" });
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(sentence);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(quote);
      copy.textContent = "Selected: copy it";
    }
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  });
  const quote = make("blockquote", { text: sentence });
  const parts = [make("p", { class: "bracket answer-value", text: mark(one, group, told.value) }, ...(told.margin === null ? [] : [" ", make("span", { class: "to", text: told.even ? `± ${told.margin}` : `from ${told.low} to ${told.high}` })]))];
  if (known(group)) {
    parts.push(make("div", { class: "picture" }, rule(group, one.query)),
      make("p", { text: `The exact number of this table lies between ${told.low} and ${told.high} with 95% confidence.` }));
  } else {
    parts.push(make("p", { text: "This answer has no confidence interval, only an error in rank, which stands below." }));
  }
  if (behind(group)) parts.push(make("p", { text: `This number is ${behind(group)}.` }));
  parts.push(make("p", { class: "help", text: "To publish:" }), make("div", { class: "quote" }, quote, copy));
  return parts;
}

// A single number on a short axis around its interval.
function rule(group, words) {
  const pad = 0.6 * (group.high - group.low || Math.abs(group.value) || 1);
  const low = group.low - pad, high = group.high + pad;
  const x = (value) => 20 + (300 * (value - low)) / (high - low);
  return picture(340, 52, `${words}: the answer with its interval.`, line(20, 24, 320, 24, "axis"),
    ...ticks(low, high, 5).flatMap((tick) => [line(x(tick), 24, x(tick), 29, "axis"), text(x(tick), 45, plain(tick))]),
    whisker(x(group.low), x(group.value), x(group.high), 14, false));
}

function several(one) {
  const bins = one.answers.map((group) => BIN.exec(group.key)?.slice(1).map(Number) ?? null);
  const histogram = one.counts_rows && bins.every((bin) => bin && bin.every(Number.isFinite));
  const crossed = (one.tables ?? []).length > 0;
  const drawn = !crossed && one.one_scale && one.answers.some((group) => known(group)) && one.answers.length <= 60;
  const parts = (one.tables ?? []).map((told) => crossTable(one, told));
  const days = one.answers.map((group) => dayOf(group.key));
  const timed = days.length > 2 && days.every((day, k) => day !== null && (!k || day > days[k - 1]));
  if (histogram && drawn) parts.push(make("div", { class: "picture wide-picture" }, bars(one, bins)));
  else if (timed && !crossed) parts.push(make("div", { class: "picture wide-picture" }, timeline(one, days)));
  else if (drawn) parts.push(make("div", { class: "picture wide-picture" }, rows(one)));
  const rested = one.answers.some((group) => behind(group));
  const table = make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col", text: histogram ? "from, to" : "group" }), make("th", { scope: "col", class: "n", text: "answer" }), make("th", { scope: "col", class: "n", text: "95% confidence interval" }), ...(rested ? [make("th", { scope: "col", text: "rests on" })] : []))),
    make("tbody", {}, ...one.answers.map((group) => {
      const told = digits(one, group);
      return make("tr", {}, make("td", { class: group.key.length < 14 ? "short" : null, text: group.key || "all rows" }), make("td", { class: "n", text: mark(one, group, told.value) }),
        make("td", { class: "n", text: told.margin === null ? "–" : `${told.low} to ${told.high}` }), ...(rested ? [make("td", { text: behind(group) })] : []));
    })));
  const numbers = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Answers to ${one.query}` }, table);
  if ((drawn || crossed) && one.answers.length > 6) parts.push(make("details", {}, make("summary", { text: "Show the numbers" }), numbers));
  else parts.push(numbers);
  parts.push(make("p", { class: "help", text: `Each interval holds its exact number with 95% confidence. All groups together spent ${spent(one)}.` }));
  return parts;
}

// A table of one axis against the others: each number with its interval below it.
function crossTable(one, told) {
  const cell = (numbers) => make("td", { class: "n" }, ...(numbers === null ? [] : [numbers[0], make("span", { class: "note", text: numbers[1] && `${numbers[1]} to ${numbers[2]}` })]));
  const head = make("tr", {}, ...told.down.map((name) => make("th", { scope: "col", text: name })),
    ...told.columns.map((name) => make("th", { scope: "col", class: "n", text: told.across ? `${told.across}: ${name}` : name || "answer" })));
  const body = told.rows.map((row) => make("tr", {}, ...row.keys.map((key) => make("th", { scope: "row", text: key || "all rows" })), ...row.cells.map(cell)));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of ${one.query}` }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}

// Which part of the rows counts, as it was estimated with a part of the budget.
function coverage(told) {
  const words = told.answers.filter((part) => part.high > 0).map((part) => `${part.key} ${percent(part.value)} (${percent(part.low)} to ${percent(part.high)})`);
  return make("p", { text: `What this rests on, on average: ${words.join(", ")}.` });
}

// So wide that the words of a picture are as large as those of the page.
const room = () => Math.min(640, Math.max(320, window.innerWidth - 70));

// Bars over the bins as wide as these are, each with its whisker, from 0.
function bars(one, bins) {
  const wide = room(), left = 46, right = wide - 8, top = 16, bottom = 214;
  const from = bins[0][0], to = bins[bins.length - 1][1];
  const most = Math.max(1e-9, ...one.answers.map((group) => (known(group) ? group.high : group.value)));
  const x = (value) => left + ((right - left) * (value - from)) / (to - from);
  const y = (value) => bottom - ((bottom - top) * Math.max(0, value)) / most;
  return picture(wide, 256, `${one.query}: ${one.answers.length} bars with their intervals.`,
    ...ticks(0, most, 4).flatMap((tick) => [line(left, y(tick), right, y(tick), "grid"), text(left - 6, y(tick) + 4, plain(tick), "", "end")]),
    ...one.answers.flatMap((group, k) => [
      box(x(bins[k][0]) + 1, y(group.value), x(bins[k][1]) - x(bins[k][0]) - 2, bottom - y(group.value), "bar"),
      ...(known(group) ? [whisker(y(group.low), null, y(group.high), (x(bins[k][0]) + x(bins[k][1])) / 2, true, 4)] : []),
    ]),
    line(left, bottom, right, bottom, "axis"),
    ...ticks(from, to, wide / 80).flatMap((tick) => [line(x(tick), bottom, x(tick), bottom + 5, "axis"), text(x(tick), bottom + 19, plain(tick))]),
    text((left + right) / 2, 252, one.axes.at(-1) ?? "", "strong"), text(8, 8, "rows", "", "start"));
}

// The first day of a period, in milliseconds; null for other keys.
function dayOf(key) {
  const found = TIME.exec(key);
  if (!found) return null;
  const [, year, quarter, month, day] = found;
  return Date.UTC(Number(year), Number(month ?? 3 * (quarter ?? 1) - 2) - 1, Number(day ?? 1));
}

// A line over time with its whiskers; counts from 0.
function timeline(one, days) {
  const wide = room(), left = 56, right = wide - 14, top = 16, bottom = 214;
  const all = one.answers.flatMap((group) => (known(group) ? [group.low, group.high] : [group.value]));
  const pad = 0.06 * (Math.max(...all) - Math.min(...all) || 1);
  const from = one.counts_rows ? 0 : Math.min(...all) - pad, to = Math.max(...all, from + 1e-9) + pad;
  const x = (day) => left + 10 + ((right - left - 20) * (day - days[0])) / (days[days.length - 1] - days[0]);
  const y = (value) => bottom - ((bottom - top) * (Math.max(from, value) - from)) / (to - from);
  const every = Math.ceil(days.length / (wide / 80));
  const points = one.answers.map((group, k) => `${x(days[k])},${y(group.value)}`).join(" ");
  return picture(wide, 256, `${one.query}: ${one.answers.length} periods with their intervals.`,
    ...ticks(from, to, 4).flatMap((tick) => [line(left, y(tick), right, y(tick), "grid"), text(left - 6, y(tick) + 4, plain(tick), "", "end")]),
    part("polyline", { points, class: "curve one" }),
    ...one.answers.flatMap((group, k) => [
      part("circle", { cx: x(days[k]), cy: y(group.value), r: 3, class: "dot" }),
      ...(known(group) ? [whisker(y(group.low), null, y(group.high), x(days[k]), true, 3)] : []),
      ...(k % every ? [] : [line(x(days[k]), bottom, x(days[k]), bottom + 5, "axis"), text(x(days[k]), bottom + 19, group.key)]),
    ]),
    line(left, bottom, right, bottom, "axis"), text((left + right) / 2, 252, one.axes.join(", "), "strong"));
}

// One line a group: counts as bars from 0, other numbers as dots on an axis of their own.
function rows(one) {
  const wide = room(), left = 0.25 * wide, right = wide - 20, tall = 24, most = Math.floor(left / 8);
  const all = one.answers.flatMap((group) => (known(group) ? [group.low, group.high] : [group.value]));
  const pad = 0.06 * (Math.max(...all) - Math.min(...all) || 1);
  const from = one.counts_rows ? 0 : Math.min(...all) - pad, to = Math.max(...all, from + 1e-9) + pad;
  const x = (value) => left + ((right - left) * (Math.max(from, value) - from)) / (to - from);
  const bottom = 8 + tall * one.answers.length;
  return picture(wide, bottom + 44, `${one.query}: ${one.answers.length} groups with their intervals.`,
    ...ticks(from, to, wide / 120).flatMap((tick) => [line(x(tick), 4, x(tick), bottom, "grid"), text(x(tick), bottom + 18, plain(tick))]),
    ...one.answers.flatMap((group, k) => {
      const at = 8 + tall * (k + 0.5);
      const name = group.key.length > most ? `${group.key.slice(0, most - 1)}…` : group.key || "all rows";
      return [text(left - 8, at + 4, name, "", "end"),
        ...(one.counts_rows ? [box(left, at - 7, x(group.value) - left, 14, "bar")] : []),
        known(group) ? whisker(x(group.low), one.counts_rows ? null : x(group.value), x(group.high), at, false, 4) : part("circle", { cx: x(group.value), cy: at, r: 4.5, class: "dot" })];
    }),
    line(left, bottom, right, bottom, "axis"), text((left + right) / 2, bottom + 38, one.counts_rows ? "rows" : one.about, "strong"));
}
