// The list of questions about a table. Nothing is filled in: a bound that nobody has stated would
// be a wrong answer that costs budget.

import { send } from "./api.js";
import { clamping } from "./explain.js";
import { byId, make, plain } from "./words.js";

const LABELS = {
  column: "Column", columns: "Columns, separated by commas", attributes: "Columns, separated by commas", ways: "Tables by how many columns", low: "Smallest value", high: "Largest value", q: "Quantile, 0 to 1", levels: "Quantiles, 0 to 1", bins: "Bins", interval: "Interval",
  condition: "Condition", within: "Margin of error, at most", where: "Only rows where", by: "Groups by", each: "One group for each", by2: "And by", keys: "Groups, separated by commas",
};
const HINTS = {
  low: "that is possible", high: "that is possible", q: "0.9", levels: "0.1, 0.5, 0.9", bins: "10", condition: "age > 40", where: "year = 2024",
  keys: "north, south, or: private", within: "or choose epsilon", columns: "age, income", attributes: "region, sex", ways: "0, 1, 2",
};
const LISTS = "north, south; f, m";
const PERIODS = { year: "2023..2024", quarter: "2024-Q1..2024-Q4", month: "2024-01..2024-12", day: "2024-03-01..2024-03-31" };
const MISSING = {
  column: "Choose a column.", columns: "State the columns, separated by commas.", attributes: "State the columns, separated by commas.", low: "State the smallest possible value.", high: "State the largest possible value.",
  q: "State which quantile, such as 0.9.", condition: "State a condition, such as age > 40.",
  levels: "State which quantiles, such as 0.1, 0.5, 0.9.", keys: "State the groups, or the word private (partition selection).",
};

let kinds = null; // what can be asked, by its word: the server says it
let early = ""; // the questions of the address, until then
let list = [{ kind: "mean" }];
let columns = [], numeric = [], groupable = [], timed = [];
let tell = () => {};

export async function beginQuestions(changed) {
  tell = changed;
  byId("add-question").addEventListener("click", () => {
    list.push({ kind: "mean" });
    show();
    tell();
    byId("questions").lastElementChild?.querySelector("select").focus();
  });
  const offered = await send("GET", "/api/queries");
  kinds = Object.fromEntries(offered.map((one) => [one.kind, one]));
  if (early) questionsFrom(early);
  else show();
  tell();
}

// All names; those that hold numbers (of a text file: may hold them); those to group by, as they are
// or by their periods.
export function columnsAre(names, numbers, keys, times) {
  const same = JSON.stringify([names, numbers, keys, times]) === JSON.stringify([columns, numeric, groupable, timed]);
  [columns, numeric, groupable, timed] = [names, numbers, keys, times];
  if (!same) show();
}

const offered = (one, name) => (name === "by" || name === "by2" ? columns.filter((column) => groupable.includes(column) || timed.includes(column)) : kinds[one.kind].all_rows ? columns : numeric);

// As it is in the address; one question that is empty is how the page comes.
export const questionsText = () => (!kinds ? early : list.length === 1 && asked(list[0]).length === 0 && list[0].kind === "mean" ? "" : JSON.stringify(list));

export function questionsFrom(text) {
  early = text;
  if (!kinds) return;
  try {
    const found = JSON.parse(text);
    const good = Array.isArray(found) && found.length && found.length <= 12 && found.every((one) => one && Object.hasOwn(kinds, one.kind));
    if (good) list = found;
  } catch { /* an address that somebody changed by hand */ }
  show();
}

const fields = (one) => (!kinds ? [] : kinds[one.kind].fields.flatMap((name) => (name === "attributes" ? [name, "keys"] : [name])));
const names = (one) => !kinds ? [] : [...fields(one), "within", "where", ...(fields(one).includes("keys") ? [] : ["by", ...(one.by ? ["each", "by2", "keys"] : [])])];
const value = (one, name) => String(one[name] ?? "").trim();
const asked = (one) => names(one).filter((name) => value(one, name) !== "");
export const margins = () => list.some((one) => value(one, "within") !== ""); // epsilon follows from them
export const alone = () => list.length === 1;
export const grouped = () => list.some((one) => names(one).includes("by") && value(one, "by") !== "");

const parted = (text) => text.split(",").map((part) => part.trim()).filter(Boolean);
// Keys of one column, or lists of those of several.
const several = (one) => fields(one).includes("keys") || value(one, "by2") !== "";
const keysOf = (one, text) => (text === "private" ? "private" : several(one) ? text.split(";").map(parted) : parted(text));

// As the server wants them: only the fields that the kind of question has.
export function questions() {
  return list.map((one) => {
    const made = { kind: one.kind };
    for (const name of asked(one)) {
      const text = value(one, name);
      if (name === "keys") made.keys = keysOf(one, text);
      else if (["levels", "columns", "attributes"].includes(name)) made[name] = parted(text);
      else if (name === "ways") made.ways = parted(text).map((way) => (/^\d+$/.test(way) ? Number(way) : way.split(/\s+/)));
      else if (name === "by2") made.by = [made.by, text];
      else if (name === "bins") made.bins = /^\d+$/.test(text) ? Number(text) : text;
      else if (name === "each") made.by = `${text}(${made.by})`;
      else if (name !== "interval") made[name] = text;
    }
    if (kinds[one.kind].fields.includes("interval")) made.interval = value(one, "interval") !== "no";
    return made;
  });
}

// What keeps a question from being asked, as errors of fields: it is not complete, or it is about a
// column that the table does not have.
export function problems() {
  if (!kinds) return [{ field: null, message: "The queries are still loading. Try again." }];
  const found = [];
  list.forEach((one, place) => {
    const add = (name, message) => found.push({ field: `queries.${place}.${name}`, message });
    for (const name of names(one)) {
      const text = value(one, name);
      if (text === "" && MISSING[name] && !kinds[one.kind].optional.includes(name)) add(name, MISSING[name]);
      if (["columns", "attributes"].includes(name) && columns.length) {
        const strange = parted(text).find((column) => !columns.includes(column));
        if (strange) add(name, `The table has no column ${strange}: choose columns out of ${columns.join(", ")}.`);
      }
      if (["column", "by", "by2"].includes(name) && text !== "" && columns.length && !offered(one, name).includes(text)) {
        add(name, columns.includes(text) ? `The column ${text} has another type: choose one of the columns in the list.` : `The table has no column ${text}: choose one of its columns.`);
      }
      if (name === "each" && text === "" && columns.length && !groupable.includes(value(one, "by"))) add(name, "Timestamps are grouped by their years, quarters, months or days.");
      if (name === "within" && text === "" && margins()) add(name, "State a margin of error for every query, or for none.");
      if (["low", "high", "within"].includes(name) && text.includes(",") && !fields(one).includes("columns")) add(name, "Use a decimal point and no commas: 3.5, 1000.");
    }
    const [low, high] = bounds(one) ?? [];
    if (low >= high) add("high", "The largest value must be above the smallest one.");
  });
  return found;
}

function bounds(one) {
  if (!kinds[one.kind].fields.includes("low") || value(one, "low") === "" || value(one, "high") === "") return null;
  const found = ["low", "high"].map((name) => Number(value(one, name)));
  return found.every(Number.isFinite) ? found : null;
}

// Each question in words, and its bounds, for a last look before the budget is spent.
export function spoken() {
  return list.map((one) => {
    const { phrase, all_rows } = kinds[one.kind], column = value(one, "column");
    let words = phrase.replace(/\{(\w+)\}/g, (_, name) => value(one, name));
    if (all_rows && column) words += ` with a ${column}`;
    if (value(one, "where")) words += `, only of rows where ${value(one, "where")}`;
    if (value(one, "by") && names(one).includes("by")) words += `, by ${value(one, "each") ? `${value(one, "each")} of ` : ""}${value(one, "by")}${value(one, "by2") && ` and ${value(one, "by2")}`}`;
    return { words: `${words}.`, column, bounds: bounds(one) };
  });
}

function picture(one) {
  const found = bounds(one);
  if (!found || found[0] >= found[1]) return make("div");
  const [low, high] = found.map((end) => plain(end));
  const column = value(one, "column") || "values";
  return make("div", { class: "clamped" }, make("div", { class: "picture" }, clamping(...found)),
    make("p", { class: "help" }, make("b", { text: `Is every ${column} from ${low} to ${high}?` }),
      ` A ${column} below ${low} counts as ${low}, one above ${high} as ${high}. Choose bounds from public knowledge, not from this file. If they are too narrow, the answer is wrong; if they are too wide, the noise is larger. No answer can reveal whether they fit.`));
}

function field(one, name, place) {
  let input;
  const choices = ["column", "by", "by2"].includes(name) && columns.length;
  if (choices) {
    const none = name === "by" ? "no groups" : name === "by2" ? "no other column" : kinds[one.kind].optional.includes("column") ? "any" : "choose";
    const kept = value(one, name);
    const gone = kept && !offered(one, name).includes(kept) ? [make("option", { value: kept, text: `${kept} (cannot be used)` })] : [];
    input = make("select", {}, make("option", { value: "", text: none }),
      ...offered(one, name).map((column) => make("option", { value: column, text: column })), ...gone);
    input.value = kept;
  } else if (name === "each") {
    input = make("select", {}, make("option", { value: "", text: "value" }), ...Object.keys(PERIODS).map((period) => make("option", { value: period, text: period })));
    input.value = value(one, name);
  } else if (name === "interval") {
    input = make("select", {}, make("option", { value: "", text: kinds[one.kind].mechanism === "choice" ? "yes, for half of epsilon" : "yes" }), make("option", { value: "no", text: "no" }));
    input.value = value(one, name);
  } else {
    const decimal = ["low", "high", "q", "bins", "within"].includes(name) ? { inputmode: "decimal" } : {};
    input = make("input", { value: one[name] ?? "", placeholder: (name === "keys" && ((several(one) && LISTS) || PERIODS[value(one, "each")])) || (HINTS[name] ?? ""), autocomplete: "off", spellcheck: "false", ...decimal });
  }
  input.dataset.field = `queries.${place}.${name}`;
  // While somebody types: what moves when a field is left would move away from under a click.
  input.addEventListener("input", () => {
    list[place][name] = input.value;
    if (["column", "low", "high"].includes(name)) input.closest(".question").querySelector(".bounds").replaceChildren(picture(list[place]));
  });
  input.addEventListener("change", () => {
    list[place][name] = input.value;
    if (["by", "each", "by2"].includes(name)) {
      show();
      byId("questions").children[place].querySelector('[data-field$=".keys"]')?.focus();
    }
    tell();
  });
  const label = name === "keys" && several(one) ? "Groups of each column, separated by semicolons" : LABELS[name];
  return make("label", {}, label, input);
}

function card(one, place) {
  const kind = make("select", {}, ...Object.values(kinds).map((one) => make("option", { value: one.kind, text: one.title })));
  kind.value = one.kind;
  kind.dataset.field = `queries.${place}.kind`;
  kind.addEventListener("change", () => {
    list[place].kind = kind.value;
    show();
    tell();
    byId("questions").children[place].querySelector("select").focus();
  });
  const own = [...fields(one), "within"], more = names(one).filter((name) => !own.includes(name));
  const gone = make("button", { type: "button", class: "quiet", text: "Remove", "aria-label": `Remove query ${place + 1}` });
  gone.disabled = list.length === 1;
  gone.addEventListener("click", () => {
    list.splice(place, 1);
    show();
    tell();
  });
  return make("div", { class: "question", role: "group", "aria-label": `Query ${place + 1}` },
    make("div", { class: "row" }, make("h2", { text: `Query ${place + 1}` }), gone),
    make("div", { class: "fields" }, make("label", {}, "What", kind), ...own.map((name) => field(one, name, place))),
    make("div", { class: "bounds" }, picture(one)),
    make("details", more.some((name) => value(one, name)) ? { open: true } : {}, make("summary", { text: "Filter rows, or group by a column" }),
      make("div", { class: "fields" }, ...more.map((name) => field(one, name, place)))));
}

function show() {
  if (kinds) byId("questions").replaceChildren(...list.map(card));
}
