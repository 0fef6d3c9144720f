// The view Ask.

import { Following, send } from "./api.js";
import { changed, clearErrors, restore, showErrors, writeAddress } from "./fields.js";
import { clear, plot, tone } from "./plots.js";
import { beginQuestions, columnsAre, questions, questionsFrom, questionsText } from "./questions.js";
import { byId, make, number, percent } from "./words.js";

const COLOURS = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7A6000", "#56B4E9", "#AA3377"];
const DASHES = [[], [9, 3], [2, 2], [9, 3, 2, 3], [5, 2], [12, 4], [3, 3], [6, 2, 1, 2]];

let form, table = null, choices = 0, planning = null, asking = null, plans = new Map();

export async function begin(values) {
  form = byId("ask-form");
  beginQuestions(keep);
  if (values.has("questions")) questionsFrom(values.get("questions"));
  const person = values.get("unit");
  if (person) byId("unit").append(make("option", { value: person, text: `all rows of one ${person}` }));
  restore(form, values);
  form.addEventListener("change", (event) => {
    if (event.target.id === "ask-epsilon") slideTo(Number(event.target.value));
    arrange();
    keep();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  byId("demo").addEventListener("click", () => choose(send("POST", "/api/tables/demo")));
  byId("upload").addEventListener("change", (event) => {
    const file = event.target.files[0];
    event.target.value = ""; // so that the same file can be chosen again
    if (file) choose(send("POST", `/api/tables/upload?name=${encodeURIComponent(file.name)}`, file));
  });
  byId("plan").addEventListener("click", plan);
  byId("ask-stop").addEventListener("click", () => { planning?.stop(); asking?.stop(); });
  byId("epsilon-slider").addEventListener("input", slid);
  byId("ledger-create").addEventListener("click", createLedger);
  slideTo(Number(byId("ask-epsilon").value));
  arrange();
  await listed(values.get("table"));
}

// Shown again: as it was, or as another address says.
export function again(values) {
  if ([...values].length) {
    if (values.has("questions")) questionsFrom(values.get("questions"));
    restore(form, values);
    arrange();
  }
  keep();
}

function arrange() {
  byId("person").hidden = byId("unit").value === "";
  byId("ask-go").disabled = !table;
}

function keep() {
  writeAddress("ask", { ...changed(form), questions: questionsText(), table: table?.kind === "demo" ? "demo" : "" });
}

function fail(error, where = "ask-error") {
  showErrors(form, byId(where), error.errors || [{ field: null, message: error.message }]);
}

// -- tables ---------------------------------------------------------------------------------------

async function listed(wanted) {
  try {
    const all = await send("GET", "/api/tables");
    const given = all.find((one) => one.kind === "file");
    if (given) {
      const button = make("button", { type: "button", text: `Use ${given.name}`, id: "given" });
      button.addEventListener("click", () => choose(Promise.resolve(given)));
      byId("tables").append(button);
    }
    if (wanted === "demo") await choose(send("POST", "/api/tables/demo"));
    else if (given) await choose(Promise.resolve(given));
  } catch (error) {
    fail(error);
  }
}

// What is shown is the latest choice, whichever answer comes last: a table, its columns and its
// ledger are shown together, once all of them are there.
async function choose(coming) {
  choices += 1;
  const mine = choices;
  clearErrors(form, byId("error-table"));
  byId("columns").textContent = "Reading the names of the columns …";
  try {
    const { id } = await coming;
    const found = (await send("GET", "/api/tables")).find((one) => one.id === id);
    const columns = await send("GET", `/api/tables/${found.id}/columns`);
    const balance = found.ledger ? await send("GET", `/api/tables/${found.id}/ledger`) : null;
    if (mine !== choices) return;
    chosen(found, columns, balance);
  } catch (error) {
    if (mine !== choices) return;
    byId("columns").textContent = "";
    byId("error-table").textContent = error.message;
    byId("error-table").hidden = false;
  }
  arrange();
  keep();
}

function chosen(found, columns, balance) {
  table = found;
  byId("columns").textContent = `${table.name}: ${columns.map((one) => one.name).join(", ")}.`;
  const unit = byId("unit"), kept = unit.value;
  unit.replaceChildren(make("option", { value: "", text: "one row" }),
    ...columns.map((one) => make("option", { value: one.name, text: `all rows of one ${one.name}` })));
  unit.value = columns.some((one) => one.name === kept) ? kept : "";
  columnsAre(columns.map((one) => one.name));
  byId("ledger-lasts").textContent = table.lasting
    ? "This ledger is the file that you named: it outlives this page. All tables here share it."
    : table.kind === "demo" ? "The demo table is about nobody and has a ledger of its own, which is gone when the server stops."
      : "All tables here share this ledger, which is gone when the server stops. For real data start with: leastnoise serve FILE --ledger budget.db";
  if (balance) showLedger(balance);
  else {
    byId("ledger-new").hidden = false;
    byId("ledger-state").hidden = true;
  }
}

// -- what is asked ----------------------------------------------------------------------------------

function whole(id) {
  const value = byId(id).value.trim();
  if (value === "") return null;
  return /^\d+$/.test(value) ? Number(value) : value;
}

function request() {
  const person = byId("unit").value;
  return {
    queries: questions(), epsilon: byId("ask-epsilon").value.trim(), delta: byId("ask-delta").value.trim(),
    unit: person || null, max_rows: person ? whole("max-rows") : null, max_groups: person ? whole("max-groups") : null,
    neighbours: byId("neighbours").value, rows: whole("rows"),
  };
}

// -- the plan ---------------------------------------------------------------------------------------

const slideTo = (epsilon) => { if (epsilon > 0) byId("epsilon-slider").value = String(Math.round(20 * Math.log10(epsilon))); };

function slid() {
  const epsilon = number(10 ** (Number(byId("epsilon-slider").value) / 20), 2);
  byId("ask-epsilon").value = epsilon;
  byId("epsilon-slider").setAttribute("aria-valuetext", `epsilon ${epsilon}`);
  if (plans.size) showPlan();
  keep();
}

async function plan() {
  planning?.leave();
  clearErrors(form, byId("ask-error"));
  plans = new Map();
  clear(byId("plan-plot"));
  byId("plan-scroll").hidden = true;
  const wanted = request();
  const middle = Number(wanted.epsilon) || 1;
  const epsilons = [0.5, 2, 0.25, 4, 0.125].map((share) => middle * share).filter((e) => e <= 15).map((e) => number(e, 3));
  byId("ask-state").textContent = "Planning …";
  byId("ask-stop").hidden = false;
  try {
    planning = new Following(await send("POST", "/api/plan", { ...wanted, epsilons }), {
      queued: (ahead) => { byId("ask-state").textContent = `Waiting: ${ahead + 1} in the queue.`; },
      plan: (data) => { plans.set(data.epsilon, data.queries); showPlan(); },
      end: (how, data) => {
        byId("ask-stop").hidden = true;
        byId("ask-state").textContent = how === "done" ? "Planned. Nothing was read, nothing was spent." : "";
        if (how === "failed") fail({ errors: [data] });
      },
    });
  } catch (error) {
    byId("ask-state").textContent = "";
    byId("ask-stop").hidden = true;
    fail(error);
  }
}

function showPlan() {
  const at = [...plans.keys()].sort((a, b) => a - b);
  const epsilon = Number(byId("ask-epsilon").value);
  const near = at.reduce((best, one) => (Math.abs(Math.log(one / epsilon)) < Math.abs(Math.log(best / epsilon)) ? one : best), at[0]);
  const queries = plans.get(near);
  byId("plan-plot").hidden = at.length < 2;
  if (at.length > 1) {
    plot(byId("plan-plot"), {
      x: at, logX: true, logY: true, height: 260, xLabel: "epsilon of all questions together", yLabel: "error, relative",
      series: queries.map((query, k) => ({
        label: query.query, y: at.map((e) => plans.get(e)[k].relative), colour: COLOURS[k % 8], dash: DASHES[k % 8], points: true,
      })),
      words: `The expected relative error of each question for epsilon from ${number(at[0], 3)} to ${number(at[at.length - 1], 3)}.`,
    });
  }
  byId("plan-scroll").hidden = false;
  byId("plan-table").tBodies[0].replaceChildren(...queries.map((query, k) => {
    const error = between(at, k, "error", epsilon), relative = between(at, k, "relative", epsilon);
    const exact = plans.has(epsilon) || at.length < 2;
    const name = make("td", { text: query.query });
    name.append(make("span", { class: "note", text: query.why }));
    if (query.keys_from) name.append(make("span", { class: "note", text: `A key is shown with 95 % if ${query.keys_from} units have it.` }));
    if (exact && query.shown !== null) name.append(make("span", { class: "note", text: `A key that ${query.rows} units have is shown with ${percent(query.shown)}.` }));
    return make("tr", {}, name, make("td", { class: "n", text: `${exact ? "" : "about "}${number(error, exact ? 4 : 2)}` }),
      make("td", { class: "n", text: percent(relative) }), make("td", { class: "n", text: number(query.epsilon * epsilon / near, 3) }));
  }));
}

// On a straight line between the two nearest plans, in logarithms.
function between(at, k, what, epsilon) {
  const value = (e) => plans.get(e)[k][what];
  if (plans.has(epsilon)) return value(epsilon);
  const below = at.filter((e) => e < epsilon).pop() ?? at[0];
  const above = at.find((e) => e > epsilon) ?? at[at.length - 1];
  if (below === above) return (value(below) * below) / epsilon;
  const share = Math.log(epsilon / below) / Math.log(above / below);
  return Math.exp(Math.log(value(below)) * (1 - share) + Math.log(value(above)) * share);
}

// -- the ledger -------------------------------------------------------------------------------------

async function createLedger() {
  clearErrors(form, byId("ask-error"));
  if (!table) {
    fail({ errors: [{ field: null, message: "Choose a table first: a ledger belongs to one." }] });
    return;
  }
  try {
    await send("POST", `/api/tables/${table.id}/ledger`, {
      epsilon: byId("ledger-epsilon").value.trim(), delta: byId("ledger-delta").value.trim(),
      composition: byId("ledger-composition").value,
    });
    await readLedger();
  } catch (error) {
    fail(error);
  }
}

// The ledger of the table that is chosen now, which need not be that of an answer that has come.
async function readLedger() {
  const mine = choices;
  const balance = await send("GET", `/api/tables/${table.id}/ledger`).catch(() => null); // there may be none
  if (balance && mine === choices) showLedger(balance);
}

function showLedger(balance) {
  byId("ledger-new").hidden = true;
  byId("ledger-state").hidden = false;
  byId("ledger-words").textContent = `Left: epsilon ${number(balance.left_epsilon, 4)} of ${number(balance.epsilon, 4)}, delta ${number(balance.left_delta, 3)} of ${number(balance.delta, 3)}; ${balance.history.length} charge${balance.history.length === 1 ? "" : "s"} so far.`;
  const meter = byId("ledger-meter");
  meter.max = balance.epsilon || 1;
  meter.value = balance.spent_epsilon;
}

// -- answers ----------------------------------------------------------------------------------------

async function ask() {
  asking?.leave();
  clearErrors(form, byId("ask-error"));
  if (!table) {
    fail({ errors: [{ field: null, message: "Choose a table first." }] });
    return;
  }
  byId("ask-go").disabled = true;
  byId("ask-state").textContent = "Asking …";
  try {
    const job = await send("POST", `/api/tables/${table.id}/ask`, request());
    asking = new Following(job, {
      queued: (ahead) => { byId("ask-state").textContent = `Waiting: ${ahead + 1} in the queue.`; },
      step: (data) => { byId("ask-state").textContent = `${data.words} …`; },
      end: (how, data) => answered(how, data, job),
    });
  } catch (error) {
    byId("ask-go").disabled = false;
    byId("ask-state").textContent = "";
    fail(error);
  }
}

function answered(how, data, job) {
  byId("ask-go").disabled = false;
  byId("ask-state").textContent = how === "done" ? "Answered. All of this may be published." : "Not answered.";
  if (how === "done") {
    byId("answers").replaceChildren(...data.answers.map((one) => answerCard(one, job)));
    byId("ask-take").hidden = false;
    for (const [id, file] of [["take-report", "report.html"], ["take-script", "script.py"], ["take-notebook", "notebook.ipynb"]]) {
      byId(id).dataset.file = `/api/jobs/${job.job}/files/${file}`;
    }
  } else if (how === "failed") fail({ errors: [data] });
  readLedger();
}

function answerCard(one, job) {
  const rows = make("div", { class: "interval", role: "table", "aria-label": `Answers to ${one.query}` });
  const known = one.answers.filter((group) => group.low !== null && group.high !== null);
  const low = Math.min(...known.map((group) => group.low)), high = Math.max(...known.map((group) => group.high));
  for (const group of one.answers) {
    const around = group.low === null || group.high === null ? "" : ` (${number(group.low)} to ${number(group.high)})`;
    rows.append(make("span", { text: group.key || "all rows" }), interval(group, low, high), make("span", { class: "n" }, make("b", { text: number(group.value, 6) }), around));
  }
  rows.removeAttribute("role");
  rows.removeAttribute("aria-label");
  const notes = make("ul", { class: "help" }, ...[one.why, one.noise, ...one.notes].map((words) => make("li", { text: words })));
  const proofs = make("div", { class: "row" }, ...one.mechanisms.map((name) => make("button", {
    type: "button", class: "quiet", "data-file": `/api/jobs/${job.job}/files/${name}`, "data-name": name, text: `Proof: ${name}`,
  })));
  return make("div", { class: "card answer" }, make("h2", { text: one.query }), rows,
    make("details", {}, make("summary", { text: "Why the noise is as large as it is" }), notes), proofs);
}

function interval(group, low, high) {
  const NS = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(NS, "svg");
  picture.setAttribute("viewBox", "0 0 300 22");
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("aria-hidden", "true");
  if (group.low === null || group.high === null) return picture;
  const pad = 0.08 * (high - low || 1);
  const x = (value) => 300 * (value - low + pad) / (high - low + 2 * pad);
  const add = (tag, values) => {
    const part = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(values)) part.setAttribute(name, value);
    picture.append(part);
  };
  add("line", { x1: x(group.low), x2: x(group.high), y1: 11, y2: 11, stroke: tone("#56B4E9"), "stroke-width": 5, "stroke-linecap": "round", "vector-effect": "non-scaling-stroke" });
  add("line", { x1: x(group.value), x2: x(group.value), y1: 2, y2: 20, stroke: tone("#000000"), "stroke-width": 3, "vector-effect": "non-scaling-stroke" });
  return picture;
}
