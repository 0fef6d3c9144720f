// Errors beside their fields, and the state of a form in the address.

import { byId, make } from "./words.js";

// The control that a field's name means; the name of a part falls back to that of the whole.
function control(form, field) {
  const parts = String(field).split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join(".");
    const found = form.querySelector(`[data-field="${CSS.escape(name)}"]`)
      || form.querySelector(`[data-field^="${CSS.escape(name)}."]`);
    if (found) return found;
  }
  return form.querySelector(`[data-field$=".${CSS.escape(parts[parts.length - 1])}"]`);
}

export function clearErrors(form, general) {
  for (const one of form.querySelectorAll(".error[data-made]")) one.remove();
  for (const one of form.querySelectorAll("[aria-invalid]")) {
    one.removeAttribute("aria-invalid");
    const kept = (one.getAttribute("aria-describedby") || "").split(" ").filter((id) => id && !id.startsWith("error-"));
    if (kept.length) one.setAttribute("aria-describedby", kept.join(" "));
    else one.removeAttribute("aria-describedby");
  }
  general.hidden = true;
  general.textContent = "";
}

// Below its field; in a row of fields within the field's own place, so that the row stays one.
function below(holder, words) {
  if (getComputedStyle(holder.parentElement).display !== "grid") {
    holder.after(words);
    return;
  }
  const cell = make("div", { class: "cell" });
  holder.replaceWith(cell);
  cell.append(holder, words);
}

export function showErrors(form, general, errors) {
  const rest = [];
  let first = null;
  errors.forEach((error, place) => {
    const field = error.field === null ? null : control(form, error.field);
    if (!field) {
      rest.push(error.message);
      return;
    }
    const id = `error-${form.id}-${place}`;
    const words = make("p", { class: "error", id, "data-made": true, role: "alert", text: error.message });
    const holder = field.tagName === "DETAILS" ? field.querySelector("summary") : field.closest("label") || field;
    below(holder, words);
    const outer = field.closest("details");
    if (outer) outer.open = true;
    field.setAttribute("aria-invalid", "true");
    const told = field.getAttribute("aria-describedby");
    field.setAttribute("aria-describedby", told ? `${told} ${id}` : id);
    first = first || field;
  });
  if (rest.length) {
    general.textContent = rest.join(" ");
    general.hidden = false;
  }
  if (!first) return;
  const looked = first.tagName === "DETAILS" ? first.querySelector("summary") : first;
  looked.focus();
  requestAnimationFrame(() => looked.scrollIntoView({ block: "nearest" })); // once old results are gone
}

// The address holds what was asked, never what a table holds; what is as it always is stays out.
export function readAddress() {
  const [view, rest = ""] = location.hash.replace(/^#/, "").split("?");
  return [view, new URLSearchParams(rest)];
}

export function writeAddress(view, values) {
  const held = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== "" && value !== null && value !== undefined) held.set(name, value);
  }
  const rest = held.toString();
  history.replaceState(null, "", `${location.pathname}#${view}${rest ? `?${rest}` : ""}`);
}

// Every input of a form with an id, as texts, where it differs from how the page came.
export function changed(form) {
  const values = {};
  for (const one of form.querySelectorAll("input[id], select[id]")) {
    if (one.type === "file" || one.type === "range") continue;
    if (one.type === "checkbox") {
      if (one.checked !== one.defaultChecked) values[one.id] = one.checked ? "1" : "0";
    } else {
      const usual = one.tagName === "SELECT" ? one.options[0]?.value ?? "" : one.defaultValue;
      if (one.value !== usual) values[one.id] = one.value === "" ? " " : one.value;
    }
  }
  return values;
}

export function restore(form, values) {
  for (const [id, value] of values) {
    const one = byId(id);
    if (!one || !form.contains(one) || one.type === "file") continue;
    if (one.type === "checkbox") one.checked = value === "1";
    else one.value = value.trim();
  }
}
