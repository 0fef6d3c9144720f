// Step 1 of the view Ask: which table, and how its file is written. Of a table only the names of
// its columns are known here; how a file is written says its owner, and its first line shows it.

import { send } from "./api.js";
import { clearErrors, showErrors } from "./fields.js";
import { byId, make } from "./words.js";

const OTHERS = [";", "\t", "|", ","];
const NAMES = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" };

let form, chosen = null, columns = [], choices = 0, tell = () => {};

export const table = () => chosen;
export const columnNames = () => columns.map((one) => one.name);
export const columnsFor = (use) => columns.filter((one) => one[use]).map((one) => one.name);
const isText = (one) => /\.(csv|tsv)(\.gz)?$/i.test(one?.name ?? "");
const isExcel = (one) => /\.xls[xm]$/i.test(one?.name ?? "");
export const decimal = () => (isText(chosen) ? byId("csv-decimal").value : ".");

// Whether, when it is called, a table has been chosen since.
export function since() {
  const mine = choices;
  return () => mine !== choices;
}

// Files with semicolons come from places that write 3,7: there nobody assumes a point.
export const unstated = () => (decimal() === "" ? [{ field: "decimal", message: "State how decimals are written in this file: 3.7 or 3,7." }] : []);

// How the file is written, as far as it was said.
export function written(one = chosen) {
  if (isExcel(one)) {
    const row = byId("csv-header").value.trim();
    return { ...(byId("csv-sheet").value ? { sheet: byId("csv-sheet").value } : {}), ...(row === "1" ? {} : { header: /^\d+$/.test(row) ? Number(row) : row }) };
  }
  if (!isText(one)) return {};
  const said = { delimiter: byId("csv-delimiter").value, decimal: byId("csv-decimal").value, thousands: byId("csv-thousands").value, dates: byId("csv-dates").value, encoding: byId("csv-encoding").value, line_breaks: byId("csv-line-breaks").checked || "" };
  return Object.fromEntries(Object.entries(said).filter(([name, value]) => value !== "" && !(name === "decimal" && value === ".")));
}

export async function beginTable(where, changed, wanted) {
  form = where;
  tell = changed;
  byId("demo").addEventListener("click", () => choose(send("POST", "/api/tables/demo")));
  byId("upload").addEventListener("change", (event) => {
    const file = event.target.files[0];
    event.target.value = ""; // so that the same file can be chosen again
    if (/\.(xls|xlsb|ods|numbers)$/i.test(file?.name ?? "")) fail({ errors: [{ field: null, message: "Of spreadsheets only .xlsx files are read. Save this one as .xlsx or CSV in your spreadsheet program, and choose that file." }] });
    else if (file) choose(send("POST", `/api/tables/upload?name=${encodeURIComponent(file.name)}`, file));
  });
  for (const id of ["csv-delimiter", "csv-decimal", "csv-thousands", "csv-dates", "csv-encoding", "csv-line-breaks", "csv-sheet", "csv-header"]) {
    byId(id).addEventListener("change", () => {
      if (id === "csv-delimiter" && byId(id).value === ";") byId("csv-decimal").value = "";
      choices += 1;
      if (chosen) read(chosen, false);
    });
  }
  const all = await send("GET", "/api/tables");
  const given = all.find((one) => one.kind === "file");
  if (given) {
    const button = make("button", { type: "button", text: `Use ${given.name}`, id: "given" });
    button.addEventListener("click", () => choose(Promise.resolve(given)));
    byId("tables").append(button);
  }
  if (wanted === "demo") await choose(send("POST", "/api/tables/demo"));
  else if (given) await choose(Promise.resolve(given));
}

// What is shown is the latest choice, whichever answer comes last: a table, its columns and its
// ledger are shown together, once all of them are there.
async function choose(coming) {
  choices += 1;
  const late = since();
  clearErrors(form, byId("error-table"));
  byId("header").hidden = false;
  byId("chips").replaceChildren();
  byId("written").hidden = byId("written-excel").hidden = true;
  byId("written-help").textContent = "";
  byId("columns").textContent = "Reading the names of the columns …";
  byId("columns").classList.remove("unseen");
  [chosen, columns] = [null, []];
  try {
    const { id } = await coming;
    const found = (await send("GET", "/api/tables")).find((one) => one.id === id);
    if (late()) return;
    byId("csv-sheet").replaceChildren();
    byId("csv-header").value = "1";
    byId("csv-encoding").value = "";
    byId("csv-thousands").value = "";
    byId("csv-dates").value = "";
    byId("csv-line-breaks").checked = false;
    byId("csv-decimal").value = ".";
    byId("csv-delimiter").value = /\.tsv(\.gz)?$/i.test(found.name) ? "\t" : "";
    await read(found, true);
  } catch (error) {
    if (late()) return;
    byId("header").hidden = true;
    fail(error);
    tell(null);
  }
}

// The names of the columns. Whether fields are told apart by something else is tried once: the first
// line is public, and shows it.
async function read(one, search) {
  const late = since();
  let found = null, problem = null;
  for (const delimiter of isText(one) ? [byId("csv-delimiter").value, ...(search ? OTHERS : [])] : [""]) {
    const said = delimiter === "," ? "" : delimiter;
    const asked = new URLSearchParams({ ...written(one), ...(said ? { delimiter: said } : {}) }).toString();
    try {
      found = await send("GET", `/api/tables/${one.id}/columns${asked && `?${asked}`}`);
    } catch (error) {
      const other = error.errors?.some((each) => each.field === "delimiter");
      problem = other ? problem ?? error : error;
      if (other) continue;
    }
    if (late()) return;
    byId("csv-delimiter").value = said; // the fields are told apart so, whatever else is wrong
    break;
  }
  const balance = one.ledger ? await send("GET", `/api/tables/${one.id}/ledger`) : null;
  if (late()) return;
  [chosen, columns] = [one, found?.columns ?? []];
  if (found && !byId("csv-sheet").value) byId("csv-sheet").replaceChildren(...found.sheets.map((name) => make("option", { value: name, text: name })));
  clearErrors(form, byId("error-table"));
  byId("written").hidden = !isText(one);
  byId("written-excel").hidden = !isExcel(one);
  if (search && byId("csv-delimiter").value === ";") byId("csv-decimal").value = "";
  show();
  tell(balance);
  if (!found) fail(problem);
}

function show() {
  const known = columns.length > 0;
  byId("columns").textContent = known ? `${chosen.name}: ${columnNames().join(", ")}.` : `${chosen.name} could not be read with these settings.`;
  byId("columns").classList.toggle("unseen", known); // what follows says the same to the eye
  byId("chips").replaceChildren(...(known ? [make("li", { class: "name", text: chosen.name })] : []), ...columns.map((one) => make("li", { text: one.name })));
  const between = NAMES[byId("csv-delimiter").value || ","];
  const point = { ",": "3,7 is a number, 3.7 is not.", ".": "3.7 is a number, 3,7 is not.", "": "" }[decimal()];
  byId("written-help").textContent = !known ? "" : isExcel(chosen)
    ? "Every cell is read by itself: numbers, strings, dates and Booleans. Errors such as #N/A count as missing. No row was read."
    : byId("written").hidden ? "No row was read."
    : `The names in the first line are separated by ${between}. No row was read, so only you can say how decimals are written. ${point} A value that is not a number counts as missing.`;
}

const REMEDY = "If it has letters such as ü or é and comes from Windows, choose Windows-1252 under Encoding.";

function fail(error) {
  if (error.errors?.some((one) => one.field === "table" && one.message.includes("encoding"))) {
    const now = byId("csv-encoding").selectedOptions[0].textContent;
    byId("error-table").textContent = `The first line of ${chosen.name} must hold the names of its columns, in ${now}. ${REMEDY}`;
    byId("error-table").hidden = false;
    return;
  }
  showErrors(form, byId("error-table"), error.errors?.map((one) => ({ ...one, field: one.field === "table" || one.field === "name" ? null : one.field })) ?? [{ field: null, message: error.message }]);
}
