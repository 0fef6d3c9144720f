// The list of questions about a table.

import { byId, make } from "./words.js";

const KINDS = {
  count: ["How many rows", ["column"]],
  mean: ["Mean", ["column", "low", "high"]],
  total: ["Total", ["column", "low", "high"]],
  median: ["Median", ["column", "low", "high"]],
  quantile: ["Quantile", ["column", "low", "high", "q"]],
  variance: ["Variance", ["column", "low", "high"]],
  histogram: ["Histogram", ["column", "low", "high", "bins"]],
  share: ["Share of rows for which", ["condition"]],
};
const LABELS = {
  column: "Column", low: "Smallest value", high: "Largest value", q: "Quantile, 0 to 1", bins: "Bins",
  condition: "Condition", where: "Only rows where", by: "Groups by", keys: "Groups, with commas",
};
const HINTS = {
  low: "public", high: "public", q: "0.9", bins: "10", condition: "age > 40", where: "year = 2024",
  keys: "north, south, or: private",
};

let list = [{ kind: "mean", column: "salary", low: "120", high: "190" }, { kind: "count" }];
let columns = [];
let tell = () => {};

export function beginQuestions(changed) {
  tell = changed;
  byId("add-question").addEventListener("click", () => {
    list.push({ kind: "count" });
    show();
    tell();
    byId("questions").lastElementChild?.querySelector("select").focus();
  });
  show();
}

export function columnsAre(names) {
  columns = names;
  show();
}

export const questionsText = () => JSON.stringify(list);

export function questionsFrom(text) {
  try {
    const found = JSON.parse(text);
    const good = Array.isArray(found) && found.length && found.length <= 12 && found.every((one) => one && Object.hasOwn(KINDS, one.kind));
    if (good) list = found;
  } catch { /* an address that somebody changed by hand */ }
  show();
}

// As the server wants them: only the fields that the kind of question has.
export function questions() {
  return list.map((one) => {
    const made = { kind: one.kind };
    const grouped = one.kind === "histogram" ? ["where"] : ["where", "by", "keys"];
    for (const name of [...KINDS[one.kind][1], ...grouped]) {
      const value = String(one[name] ?? "").trim();
      if (value === "") continue;
      if (name === "keys") made.keys = value === "private" ? "private" : value.split(",").map((key) => key.trim()).filter(Boolean);
      else if (name === "bins") made.bins = /^\d+$/.test(value) ? Number(value) : value;
      else made[name] = value;
    }
    return made;
  });
}

function field(one, name, place) {
  let input;
  const choices = ["column", "by"].includes(name) && columns.length;
  if (choices) {
    const none = name === "by" ? "no groups" : one.kind === "count" ? "any" : "choose";
    input = make("select", {}, make("option", { value: "", text: none }),
      ...columns.map((column) => make("option", { value: column, text: column })));
    input.value = columns.includes(one[name]) ? one[name] : "";
  } else {
    input = make("input", { value: one[name] ?? "", placeholder: HINTS[name] ?? "", autocomplete: "off", spellcheck: "false" });
  }
  input.dataset.field = `queries.${place}.${name}`;
  input.addEventListener("change", () => {
    list[place][name] = input.value;
    tell();
    if (name === "by") show();
  });
  return make("label", {}, LABELS[name], input);
}

function card(one, place) {
  const kind = make("select", {}, ...Object.entries(KINDS).map(([name, [words]]) => make("option", { value: name, text: words })));
  kind.value = one.kind;
  kind.dataset.field = `queries.${place}.kind`;
  kind.addEventListener("change", () => {
    list[place].kind = kind.value;
    show();
    tell();
  });
  const names = [...KINDS[one.kind][1], "where"];
  if (one.kind !== "histogram") names.push("by");
  if (one.kind !== "histogram" && one.by) names.push("keys");
  const gone = make("button", { type: "button", class: "quiet", text: "Remove", "aria-label": `Remove question ${place + 1}` });
  gone.disabled = list.length === 1;
  gone.addEventListener("click", () => {
    list.splice(place, 1);
    show();
    tell();
  });
  return make("div", { class: "question", role: "group", "aria-label": `Question ${place + 1}` },
    make("div", { class: "row" }, make("h2", { text: `Question ${place + 1}` }), gone),
    make("div", { class: "fields" }, make("label", {}, "What", kind), ...names.map((name) => field(one, name, place))));
}

function show() {
  byId("questions").replaceChildren(...list.map(card));
}
