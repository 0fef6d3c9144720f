// The view Design.

import { Following, Refused, send } from "./api.js";
import { asText, begin as beginDrawing, drawnLoss, fromText } from "./draw.js";
import { explain } from "./explain.js";
import { changed, clearErrors, restore, showErrors, writeAddress } from "./fields.js";
import { clear, plot, swatch } from "./plots.js";
import { byId, make, number, percent } from "./words.js";

const CARDS = ["density", "family", "radial", "table", "profile", "composition", "take"];

let form, following = null, composing = null, asked = {}, ticked = null, seen = {};

export function begin(values) {
  form = byId("design-form");
  take(values);
  beginDrawing(keep);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    start();
    // Where the form fills the screen, what comes out is below it.
    if (window.innerWidth < 960) byId("bracket-card").scrollIntoView({ block: "start" });
  });
  form.addEventListener("change", (event) => {
    if (event.target.id === "loss" && numberOfLoss()) byId("parameter").value = byId("loss").selectedOptions[0].dataset.usual;
    arrange();
    keep();
  });
  byId("design-stop").addEventListener("click", () => {
    byId("design-state").textContent = "Stopping …";
    following?.stop();
  });
  byId("family-slider").addEventListener("input", showFamily);
  window.addEventListener("pagehide", () => { following?.leave(); composing?.leave?.(); });
  arrange();
  start();
}

// Shown again: as it was, or as another address says.
export function again(values) {
  if (![...values].length) {
    keep();
    return;
  }
  form.reset();
  take(values);
  beginDrawing(keep);
  arrange();
  start();
}

function take(values) {
  if (values.has("draw")) fromText(values.get("draw"));
  ticked = values.has("baselines") ? new Set(values.get("baselines").trim().split(",").filter(Boolean)) : null;
  restore(form, values);
}

// What the number of the chosen loss is; empty if it has none.
const numberOfLoss = () => byId("loss").selectedOptions[0]?.dataset.number ?? "";

// What is of no use is not shown.
function arrange() {
  const kind = byId("loss").value;
  byId("parameter-label").hidden = !numberOfLoss();
  byId("parameter-name").textContent = numberOfLoss();
  byId("drawn").hidden = kind !== "piecewise";
  byId("range").hidden = !byId("ranged").checked;
  explain(byId("view-design"), { epsilon: Number(byId("epsilon").value), delta: Number(byId("delta").value) });
}

function keep() {
  const values = changed(form);
  if (byId("loss").value === "piecewise") values.draw = asText();
  if (!numberOfLoss()) delete values.parameter;
  if (ticked) values.baselines = [...ticked].join(",") || " ";
  writeAddress("design", values);
}

const text = (id) => byId(id).value.trim();
const some = (id) => text(id) || null;

function whole(id, usual) {
  const value = text(id);
  if (value === "" || value === usual) return null;
  return /^[+-]?\d+$/.test(value) ? Number(value) : value; // what is no whole number the server explains
}

function question() {
  const kind = byId("loss").value;
  const loss = { kind };
  if (numberOfLoss()) loss.parameter = text("parameter") || " ";
  if (kind === "piecewise") Object.assign(loss, structuredClone(drawnLoss()));
  return {
    epsilon: text("epsilon"), delta: text("delta"), sensitivity: text("sensitivity"), loss,
    integer: byId("integer").checked,
    bounds: byId("ranged").checked ? [text("low"), text("high")] : null,
    dimension: whole("dimension", "1"), releases: whole("releases", "1"),
    support: [some("support-low"), some("support-high")], max_error: some("max-error"),
    monotone: byId("monotone").checked, symmetric: byId("symmetric").checked, unbiased: byId("unbiased").checked,
    unimodal: some("unimodal"), distinguishing: some("distinguishing"),
    second_loss: some("second-loss"), second_bound: some("second-bound"),
    gap: some("gap"), time_limit: whole("time-limit", "") ?? 30,
  };
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
const sentence = (words) => `${capital(words).replace(/\.$/, "")}.`;

function say(words, how = "") {
  const state = byId("design-state");
  state.textContent = words;
  state.className = `state ${how}`;
}

async function start() {
  following?.leave();
  composing?.leave?.();
  following = composing = null;
  keep();
  clearErrors(form, byId("design-error"));
  forget(); // what was found was found for something else
  const wanted = question();
  let told;
  try {
    told = await send("POST", "/api/design", wanted);
  } catch (error) {
    say(error instanceof Refused && error.status === 422 ? "This cannot be designed: see the marked field." : error.message, "bad");
    showErrors(form, byId("design-error"), error.errors || [{ field: null, message: error.message }]);
    return;
  }
  asked = told;
  byId("design-stop").hidden = false;
  say("Starting …");
  following = new Following(told.job, {
    queued: (ahead) => say(`Waiting: ${ahead + 1} in the queue.`),
    running: () => say("Searching …"),
    progress: showProgress, design: showDesign, table: showTable, density: showDensity, profile: showProfile,
    radial: showRadial,
    family: (data) => { seen.family = data; beginFamily(); },
    end: ended,
  });
}

function forget() {
  seen = { history: [], rows: [], composition: [] };
  for (const card of CARDS) byId(`${card}-card`).hidden = true;
  for (const id of ["bracket-plot", "density-plot", "profile-plot", "composition-plot"]) clear(byId(id));
  byId("facts").replaceChildren();
  byId("bracket").hidden = true;
  byId("bracket-words").textContent = "";
}

function ended(how, data) {
  byId("design-stop").hidden = true;
  if (how === "done" && seen.curves) compose();
  if (how === "failed") {
    say("The design failed.", "bad");
    showErrors(form, byId("design-error"), [data]);
  } else if (how === "stopped" && !seen.design) {
    say(data.message || "Stopped before there was a design.");
  }
}

function showProgress(now) {
  if (seen.design) return;
  seen.history.push(now);
  byId("bracket").hidden = false;
  byId("bracket").classList.add("open");
  byId("lower").textContent = number(now.lower, 5);
  byId("upper").textContent = number(now.upper, 5);
  say(`Searching: round ${now.rounds}, ${number(now.seconds, 2)} s.`);
  byId("bracket-words").textContent = "Estimates so far; proven at the end.";
  drawBracket();
}

function drawBracket() {
  const points = seen.history.filter((one) => one.upper !== null);
  if (points.length < 2) return;
  const lowers = points.map((one) => (one.lower > 0 ? one.lower : null));
  const uppers = points.map((one) => one.upper);
  plot(byId("bracket-plot"), {
    x: points.map((one) => one.seconds), height: 180, xLabel: "seconds", yLabel: "expected loss",
    series: [
      { label: "upper", y: uppers, colour: "#000000", width: 1.9, step: true, points: true },
      { label: "lower", y: lowers, colour: "#767676", dash: [3, 3], width: 1.5, step: true, points: true },
    ],
    words: `The bracket after ${number(points[points.length - 1].seconds, 2)} seconds: ${number(points[points.length - 1].lower)} to ${number(points[points.length - 1].upper)}.`,
  });
}

function showDesign(found) {
  seen.design = found;
  byId("bracket").hidden = false;
  byId("bracket").classList.remove("open");
  byId("lower").textContent = found.lower_text;
  byId("upper").textContent = found.upper_text;
  const how = found.stopped ? "stopped early, and " : "";
  if (found.certified) say(`Proven${found.stopped ? " so far" : ""} in ${number(found.seconds, 2)} s: the gap is ${found.gap_text}.`, "good");
  else say(`An estimate, not proven: the gap is ${found.gap_text}.`);
  const which = { additive: "no such noise", integer: "no such noise", vector: "no such noise", dependent: "no private answer" }[found.kind];
  byId("bracket-words").textContent = `${found.title}. The expected loss of this noise is at most ${found.upper_text}; ${which} has less than ${found.lower_text}. ${capital(how + found.status)}.`;
  byId("facts").replaceChildren(...found.facts.map(([name, value]) => make("div", {}, make("dt", { text: name }), make("dd", { text: value }))));
  if (seen.history.length) {
    seen.history.push({ ...seen.history[seen.history.length - 1], lower: found.lower, upper: found.upper, seconds: found.seconds });
    drawBracket();
  }
  byId("python").textContent = asked.python;
  byId("command").textContent = asked.command;
  byId("take-file").dataset.file = `/api/jobs/${asked.job.job}/files/mechanism.json`;
  pictures();
  byId("take-card").hidden = false;
}

// -- baselines ---------------------------------------------------------------------------------------

const shown = (one) => one.name === "design" || (ticked ? ticked.has(one.name) : one.usual);

function usual() {
  return new Set(seen.rows.filter((row) => row.usual).map((row) => row.name));
}

function pictures() {
  const named = seen.curves ? seen.rows.filter((row) => row.name !== "design" && shown(row)).map((row) => row.name) : [];
  for (const kind of ["png", "svg"]) {
    byId(`take-${kind}`).dataset.file = `/api/jobs/${asked.job.job}/picture/${kind}?baselines=${encodeURIComponent(named.join(","))}`;
  }
}

function showTable({ rows, words, refused }) {
  seen.rows = rows;
  const body = byId("losses").tBodies[0];
  const drawable = !["dependent", "vector"].includes(seen.design?.kind) && rows.length > 1;
  byId("losses").classList.toggle("plain", !drawable);
  const cell = (label, text) => make("td", { class: "n", text, "data-label": label });
  body.replaceChildren(...rows.map((row) => {
    const tick = make("td");
    if (row.name !== "design" && drawable) {
      const box = make("input", { type: "checkbox", "aria-label": `Draw ${row.label}`, "data-baseline": row.name });
      box.checked = shown(row);
      box.addEventListener("change", () => {
        ticked = ticked || usual();
        if (box.checked) ticked.add(row.name);
        else ticked.delete(row.name);
        keep();
        drawDensity();
        drawProfile();
        pictures();
      });
      tick.append(box);
    }
    const name = make("td", {}, swatch(row), row.label);
    if (row.note) name.append(make("span", { class: "note", text: row.note }));
    return make("tr", { class: row.name === "design" ? "own" : "" }, tick, name,
      cell("Expected loss", row.loss_text), cell("Above the bound", percent(row.excess)), cell("95% of errors within", row.error_95 ?? "–"));
  }));
  const bound = seen.design ? `The bound is ${seen.design.lower_text}${seen.design.certified ? ", proven" : ", an estimate"}. ` : "";
  byId("losses-words").textContent = bound + [words, ...refused].filter(Boolean).map(sentence).join(" ");
  byId("table-card").hidden = false;
}

function labelled(one) {
  return one.atom >= 5e-4 ? `${one.label}, exactly 0 with ${percent(one.atom)}` : one.label;
}

function showDensity(data) {
  seen.curves = data;
  byId("density-card").hidden = false;
  byId("density-title").textContent = data.whole ? "The noise: probability of each number" : "The noise: its density";
  drawDensity();
  pictures();
}

function drawDensity() {
  const data = seen.curves;
  if (!data) return;
  const some = data.series.filter((one) => shown({ ...one, usual: usual().has(one.name) }));
  const few = data.x.length <= 61;
  plot(byId("density-plot"), {
    x: data.x, whole: data.whole, xLabel: "noise (released value − exact value)", yLabel: data.whole ? "probability" : "density",
    series: some.map((one) => ({
      ...one, label: labelled(one), filled: one.name === "design" && !data.whole,
      bars: data.whole && one.name === "design" && few, points: data.whole && one.name !== "design" && few,
    })),
    range: (_, low, high) => [0, high * 1.06 || 1],
    words: `The ${data.whole ? "probabilities" : "density"} of this design beside ${some.length - 1} others; the table below has their losses.`,
  });
}

// -- a range --------------------------------------------------------------------------------------

function beginFamily() {
  const slider = byId("family-slider");
  slider.max = String(seen.family.values.length - 1);
  slider.value = String(Math.floor(seen.family.values.length / 2));
  byId("family-card").hidden = false;
  showFamily();
}

function showFamily() {
  const data = seen.family, k = Number(byId("family-slider").value);
  const value = number(data.values[k]);
  byId("family-value").textContent = value;
  byId("family-slider").setAttribute("aria-valuetext", `exact value ${value}`);
  const most = Math.max(...data.masses.map((row) => Math.max(...row)));
  plot(byId("family-plot"), {
    x: data.x, xLabel: "answer", yLabel: data.binned ? "probability, in bins" : "probability",
    series: [{ label: `answer when the exact value is ${value}`, y: data.masses[k], colour: data.colour, bars: true }],
    range: () => [0, 1.05 * most],
    words: `Probability of each answer when the exact value is ${value}.`,
  });
  byId("family-words").textContent = `At ${value} the expected loss is ${number(data.loss[k], 4)}, the mean error ${number(data.bias[k], 3)}, the standard deviation ${number(data.spread[k], 4)}. All bars share one scale.`;
}

// -- vectors, profile, composition ------------------------------------------------------------------

function showRadial(data) {
  byId("radial-card").hidden = false;
  plot(byId("radial-plot"), {
    x: data.x, logY: true, xLabel: "distance from the exact vector", yLabel: "density", series: data.series,
    words: "The density of the noise against the distance from the exact vector, beside Gaussian and exponential noise.",
  });
  plot(byId("beyond-plot"), {
    x: data.x, height: 240, xLabel: "error", yLabel: "probability of a larger error",
    series: data.series.map((one) => ({ ...one, y: one.beyond })), range: () => [0, 1.02],
    words: "The probability that the error is larger than a distance.",
  });
}

function showProfile(data) {
  seen.profile = data;
  byId("profile-card").hidden = false;
  drawProfile();
}

function drawProfile() {
  const data = seen.profile;
  if (!data) return;
  const some = data.series.filter((one) => shown({ ...one, usual: usual().has(one.name) }));
  const [epsilon, delta] = data.budget;
  const least = delta > 0 ? delta / 1000 : 1e-6;
  const marks = data.x.map((x) => (delta > 0 && Math.abs(x - epsilon) < 1e-9 ? delta : null));
  plot(byId("profile-plot"), {
    x: data.x, logY: true, height: 260, xLabel: "epsilon", yLabel: "delta",
    series: [...some.map((one) => ({ ...one, y: one.y.map((v) => (v !== null && v >= least ? v : null)) })),
      ...(delta > 0 ? [{ label: "the budget", y: marks, colour: "#000000", points: true, marks: true, width: 2 }] : [])],
    range: () => [least, 1], words: `The smallest delta at each epsilon, of this design and ${some.length - 1} others.`,
  });
}

// It takes a while, so it comes last, as a job of its own; until it has something there is no box.
async function compose() {
  const mine = asked.job.job;
  try {
    const job = await send("POST", `/api/jobs/${mine}/composition`);
    if (asked.job.job === mine) composing = new Following(job, { composition: showComposition });
  } catch { /* the queue is full, or the design is gone: there is no box */ }
}

function showComposition(point) {
  seen.composition.push(point);
  const points = seen.composition;
  if (points.length < 2) return;
  byId("composition-card").hidden = false;
  const positive = (value) => (value !== null && value > 0 ? value : null);
  plot(byId("composition-plot"), {
    x: points.map((one) => one.times), logX: true, logY: true, height: 260, xLabel: "releases", yLabel: "total epsilon",
    series: [
      { label: "this design, at most", y: points.map((one) => positive(one.high)), colour: "#000000", width: 1.9, points: true },
      { label: "Gaussian noise of equal variance", y: points.map((one) => positive(one.gaussian)), colour: "#D55E00", dash: [2, 3], points: true },
    ],
    words: `The total epsilon of up to ${points[points.length - 1].times} releases at a total delta of ${number(point.delta, 3)}.`,
  });
  const ends = points.some((one) => one.high === null) ? " Where the curve ends, no epsilon is enough: an output can exclude a neighboring table." : "";
  byId("composition-words").textContent = `Total epsilon at a total delta of ${number(point.delta, 3)}. Noise that is best for one release is not best for many: set “Releases” to design for many.${ends}`;
}
