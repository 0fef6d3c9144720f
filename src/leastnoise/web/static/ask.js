// The view Ask.

import { showAnswers } from "./answers.js";
import { Following, send } from "./api.js";
import { explain, marginOn, often, right } from "./explain.js";
import { changed, clearErrors, restore, showErrors, writeAddress } from "./fields.js";
import { balance, beginLedger, createLedger, ledgerOf, readLedger } from "./ledger.js";
import { clear, plot } from "./plots.js";
import { alone, beginQuestions, columnsAre, grouped, margins, problems, questions, questionsFrom, questionsText, spoken } from "./questions.js";
import { beginTable, columnNames, columnsFor, decimal, table, unstated, written } from "./table.js";
import { byId, make, measured, number, percent, plain } from "./words.js";

const COLOURS = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7A6000", "#56B4E9", "#AA3377"];
const DASHES = [[], [9, 3], [2, 2], [9, 3, 2, 3], [5, 2], [12, 4], [3, 3], [6, 2, 1, 2]];
const FREE = "No row is read and no budget is spent.";
const NO_TABLE = { errors: [{ field: null, message: "Choose a table first, in step 1." }] };

let form, planning = null, asking = null, plans = new Map();
let smallest = ""; // what is said of the epsilon that follows from margins
let round = 0, underway = false; // of plans: which is the latest, and whether it is still coming

export async function begin(values) {
  form = byId("ask-form");
  const offered = beginQuestions(edited);
  if (values.has("questions")) questionsFrom(values.get("questions"));
  const person = values.get("unit");
  if (person) byId("unit").append(make("option", { value: person, text: `all rows of one ${person}` }));
  restore(form, values);
  form.addEventListener("change", (event) => {
    if (event.target.id === "ask-epsilon") slideTo(Number(event.target.value));
    edited();
  });
  form.addEventListener("input", (event) => { // what was planned was planned for other numbers
    if (plans.size && !["ask-epsilon", "epsilon-slider"].includes(event.target.id)) forgetPlan();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
  byId("plan").addEventListener("click", plan);
  byId("ask-stop").addEventListener("click", () => { planning?.stop(); asking?.stop(); });
  byId("epsilon-slider").addEventListener("input", slid);
  byId("sure-yes").addEventListener("click", ask);
  byId("sure-no").addEventListener("click", () => byId("sure").close());
  beginLedger(async () => {
    clearErrors(form, byId("ask-error"));
    if (!table()) throw NO_TABLE;
    await createLedger();
  }, fail);
  slideTo(Number(byId("ask-epsilon").value));
  arrange();
  try {
    await Promise.all([offered, beginTable(form, taken, values.get("table"))]);
  } catch (error) {
    fail(error);
  }
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

function edited() {
  arrange();
  keep();
}

function arrange() {
  byId("person").hidden = byId("unit").value === "";
  const groups = grouped();
  byId("group-rows-field").hidden = !groups;
  byId("rests-on-field").hidden = !alone();
  byId("rows-help").textContent = `A public guess at the number of rows of the table${groups ? ", and of one group (if that is empty, the rows divided evenly)" : ""}. The predicted margin of error depends on it, the answer does not.`;
  const follows = margins();
  for (const id of ["ask-epsilon", "epsilon-slider"]) byId(id).disabled = follows;
  byId("plan").textContent = follows ? "Find the smallest epsilon" : "Show the margin of error first";
  byId("epsilon-help").textContent = follows ? "Epsilon follows from the margins of error that you state for the queries." : "Or state a margin of error for every query: epsilon then follows from them.";
  const epsilon = Number(byId("ask-epsilon").value), delta = Number(byId("ask-delta").value);
  const what = byId("neighbors").value === "replace" ? "which of two things the table says about a person" : "whether a person is in the table";
  byId("bet-words").textContent = epsilon > 0 && delta >= 0 && delta < 1
    ? `Somebody who knows everything about the others and guesses ${what} is right in at most ${often(right(epsilon, delta))} of 100 cases after these answers.` : "";
  explain(byId("view-ask"), { epsilon, delta, way: byId("neighbors").value });
}

function keep() {
  const kept = Object.entries(changed(form)).filter(([id]) => !/^csv-/.test(id));
  writeAddress("ask", { ...Object.fromEntries(kept), questions: questionsText(), table: table()?.kind === "demo" ? "demo" : "" });
}

function fail(error, where = "ask-error") {
  showErrors(form, byId(where), error.errors || [{ field: null, message: error.message }]);
}

// A table was chosen, or its file is read in another way: what its ledger holds, or null.
function taken(book) {
  const names = columnsFor("person");
  const unit = byId("unit"), kept = unit.value;
  unit.replaceChildren(make("option", { value: "", text: "one row" }), ...names.map((name) => make("option", { value: name, text: `all rows of one ${name}` })));
  unit.value = names.includes(kept) ? kept : "";
  columnsAre(columnNames(), columnsFor("number"), columnsFor("key"), columnsFor("time"));
  const wanted = underway && table(); // it was asked for while the table was read
  forgetPlan();
  byId("ask-state").textContent = "";
  if (table()) ledgerOf(table(), book);
  arrange();
  keep();
  if (wanted) plan();
}

// -- what is asked ----------------------------------------------------------------------------------

function whole(id) {
  const value = byId(id).value.trim();
  if (value === "") return null;
  return /^[+-]?\d+$/.test(value) ? Number(value) : value; // what is no integer the server explains
}

function request() {
  const person = byId("unit").value;
  return {
    queries: questions(), epsilon: byId("ask-epsilon").value.trim(), delta: byId("ask-delta").value.trim(),
    unit: person || null, max_rows_per_group: person ? whole("max-rows-per-group") : null, max_groups: person ? whole("max-groups") ?? 1 : null,
    neighbors: byId("neighbors").value, ...(whole("rows") === null ? {} : { rows: whole("rows") }),
    group_rows: grouped() ? whole("group-rows") : null,
    rests_on: alone() ? byId("rests-on").value.trim() || null : null,
  };
}

// What must be said before a plan or an answer makes sense; true if nothing is missing.
function complete(planned) {
  clearErrors(form, byId("ask-error"));
  const missing = [...(columnNames().length ? unstated() : []), ...problems()];
  if (whole("rows") === null && (planned || questions().length > 1)) {
    missing.push({ field: "rows", message: planned ? "State roughly how many rows there are: the margin of error depends on it." : "State roughly how many rows there are: the budget is divided accordingly." });
  }
  if (!planned && margins() && !plans.size) missing.push({ field: "epsilon", message: "Find the smallest epsilon first: it follows from your margins of error." });
  if (missing.length) showErrors(form, byId("ask-error"), missing);
  return !missing.length;
}

// -- the plan ---------------------------------------------------------------------------------------

const slideTo = (epsilon) => { if (epsilon > 0) byId("epsilon-slider").value = String(Math.round(20 * Math.log10(epsilon))); };

function slid() {
  const epsilon = number(10 ** (Number(byId("epsilon-slider").value) / 20), 2);
  byId("ask-epsilon").value = epsilon;
  byId("epsilon-slider").setAttribute("aria-valuetext", `epsilon ${epsilon}`);
  arrange();
  if (plans.size) showPlan();
  keep();
}

function forgetPlan() {
  planning?.leave();
  round += 1;
  underway = false;
  plans = new Map();
  clear(byId("plan-plot"));
  byId("plan-scroll").hidden = true;
  byId("plan-bounds").hidden = true;
  byId("ask-stop").hidden = true;
  byId("plan-state").textContent = FREE;
}

async function plan() {
  forgetPlan();
  if (!complete(true)) return;
  const wanted = request();
  const middle = Number(wanted.epsilon) || 1;
  const epsilons = margins() ? [] : [0.5, 2, 0.25, 4, 0.125].map((share) => middle * share).filter((e) => e <= 15).map((e) => number(e, 3));
  byId("plan-state").textContent = "Planning …";
  byId("ask-stop").hidden = false;
  underway = true;
  const mine = round;
  const over = (words) => {
    if (mine !== round) return;
    underway = false;
    byId("ask-stop").hidden = true;
    byId("plan-state").textContent = words;
  };
  try {
    const job = await send("POST", "/api/plan", { ...wanted, epsilons, columns: table() ? columnNames() : null });
    if (mine !== round) return;
    planning = new Following(job, {
      queued: (ahead) => { byId("plan-state").textContent = `Waiting: ${ahead + 1} in the queue.`; },
      step: (data) => { byId("plan-state").textContent = `${data.words[0].toUpperCase()}${data.words.slice(1)} …`; },
      plan: (data) => {
        plans.set(data.epsilon, data.queries);
        if (margins()) takeEpsilon(data);
        showPlan();
      },
      end: (how, data) => {
        over(how === "done" ? `${margins() ? smallest : ""}Planned. No row was read and no budget was spent.` : FREE);
        if (how === "failed") fail({ errors: [data] });
      },
    });
  } catch (error) {
    if (mine !== round) return;
    over(FREE);
    fail(error);
  }
}

// Margins were stated: epsilon is the result.
function takeEpsilon(data) {
  byId("ask-epsilon").value = String(data.epsilon);
  slideTo(data.epsilon);
  arrange();
  keep();
  const floor = data.floor > 0 ? ` No mechanism keeps them below epsilon ${number(data.floor, 3)}.` : "";
  smallest = `Epsilon ${number(data.epsilon, 3)} is the smallest that keeps your margins.${floor} `;
}

function showPlan() {
  const at = [...plans.keys()].sort((a, b) => a - b);
  const epsilon = Number(byId("ask-epsilon").value);
  const near = at.reduce((best, one) => (Math.abs(Math.log(one / epsilon)) < Math.abs(Math.log(best / epsilon)) ? one : best), at[0]);
  const queries = plans.get(near), alone = queries.length === 1;
  byId("plan-plot").hidden = at.length < 2;
  if (at.length > 1) {
    plot(byId("plan-plot"), {
      x: at, logX: true, logY: true, height: 240, xRange: () => [at[0] / 1.1, at[at.length - 1] * 1.1], xLabel: alone ? "epsilon" : "epsilon of all queries together",
      yLabel: alone ? `margin of error${queries[0].rank ? ", in rows" : ""}` : "relative margin of error",
      series: queries.map((query, k) => ({
        label: query.query, y: at.map((e) => plans.get(e)[k][alone ? "error" : "relative"]), colour: COLOURS[k % 8], dash: DASHES[k % 8], points: true,
      })),
      words: `The margin of error of each query for epsilon from ${number(at[0], 3)} to ${number(at[at.length - 1], 3)}.`,
    });
  }
  byId("plan-scroll").hidden = false;
  byId("plan-bounds").hidden = !queries.some((query) => query.bounded);
  byId("plan-table").tBodies[0].replaceChildren(...queries.map((query, k) => planned(query, {
    error: between(at, k, "error", epsilon), relative: between(at, k, "relative", epsilon),
    share: (query.epsilon * epsilon) / near, exact: plans.has(epsilon) || at.length < 2,
  })));
}

function planned(query, { error, relative, share, exact }) {
  const name = make("td", { text: query.query });
  const add = (words) => name.append(make("span", { class: "note", text: words }));
  const margin = `${exact ? "" : "about "}${measured(0, -error, error).margin}`;
  if (query.rank) add("This margin of error is in rows of rank: the number of values below the answer is off by at most this many rows.");
  else if (query.ends) { // the answer lies between these
    const [low, high] = query.ends;
    name.append(make("div", { class: "picture" }, marginOn(low, high, error)));
    if (2 * error > high - low) add("The noise is as wide as your bounds, so the answer would say nothing. Choose a larger epsilon, or query more rows.");
  }
  if (query.keys_from) add(`A group of ${plain(query.keys_from)} people is released with 95% probability.`);
  if (exact && query.release_probability !== null) add(`A group of ${plain(query.rows)} people is released with ${percent(query.release_probability)} probability.`);
  const cell = (label, text) => make("td", { class: "n", text, "data-label": label });
  return make("tr", {}, name, cell("95% of answers within", query.rank ? `${margin} rows of rank` : `± ${margin}`),
    cell("Relative", percent(relative)), cell("Part of epsilon", query.shared ? "shared by all" : number(share, 3)));
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

// -- the answers ------------------------------------------------------------------------------------

// A last look before the budget is spent: what is asked, in words, and whether the bounds are right.
function look() {
  clearErrors(form, byId("error-table"));
  byId("ask-state").textContent = "";
  if (!table() || !columnNames().length) {
    fail(NO_TABLE);
    return;
  }
  if (!complete(false)) return;
  byId("sure-list").replaceChildren(...spoken().map((one) => {
    const parts = [make("p", {}, make("b", { text: one.words }))];
    if (one.bounds) {
      const [low, high] = one.bounds;
      const box = make("input", { type: "checkbox" });
      box.addEventListener("change", ready);
      parts.push(make("label", { class: "check" }, box,
        make("span", { text: `Yes: every ${one.column} lies between ${plain(low)} and ${plain(high)}; a number is written like ${example(low, high)} in the file.` })));
    }
    return make("div", { class: "ask-about" }, ...parts);
  }));
  const bounded = spoken().some((one) => one.bounds);
  byId("sure-list").append(...(bounded ? [make("p", { class: "help", text: "If that is wrong, values are clamped or missing, the answer is wrong, and its budget is spent all the same. No message can tell you so, because it would reveal private data." })] : []));
  const book = balance(), epsilon = byId("ask-epsilon").value.trim();
  byId("sure-cost").textContent = book
    ? `This spends epsilon ${epsilon} of the ${number(book.left_epsilon, 4)} left in the ledger.`
    : `A ledger is created first, with epsilon ${byId("ledger-epsilon").value.trim()}, delta ${byId("ledger-delta").value.trim()} for all answers about this table. This spends epsilon ${epsilon} of it.`;
  ready();
  byId("sure").showModal();
}

// A number between the bounds with a decimal, as the file is said to write it.
function example(low, high) {
  const middle = (low + high) / 2, digits = high - low < 1 ? 3 : 1;
  const shown = middle.toFixed(digits);
  return (Number.isInteger(middle) ? (middle + 0.5).toFixed(digits) : shown).replace(".", decimal() || ".");
}

function ready() {
  byId("sure-yes").disabled = ![...byId("sure-list").querySelectorAll("input")].every((box) => box.checked);
}

async function ask() {
  byId("sure").close();
  asking?.leave();
  byId("ask-go").disabled = true;
  byId("ask-state").textContent = "Asking …";
  const { id, name } = table(), wanted = { ...request(), csv: written(), imprecise: byId("imprecise").value.trim() || null }; // as it was confirmed
  try {
    if (!balance()) await createLedger();
    const job = await send("POST", `/api/tables/${id}/ask`, wanted);
    asking = new Following(job, {
      queued: (ahead) => { byId("ask-state").textContent = `Waiting: ${ahead + 1} in the queue.`; },
      step: (data) => { byId("ask-state").textContent = `${data.words} …`; },
      end: (how, data) => answered(how, data, job, name),
    });
  } catch (error) {
    byId("ask-go").disabled = false;
    byId("ask-state").textContent = "Not asked: no budget was spent.";
    fail(error);
  }
}

function answered(how, data, job, name) {
  byId("ask-go").disabled = false;
  byId("ask-state").textContent = how === "done" ? "Answered. You may publish all of this." : "Not answered.";
  if (how === "done") {
    showAnswers(data, job, name);
  } else if (how === "failed") fail({ errors: [data] });
  if (table()) readLedger();
}
