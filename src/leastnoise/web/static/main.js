// Which view is shown; the rest is in the views.

import { save, send } from "./api.js";
import * as ask from "./ask.js";
import * as design from "./design.js";
import * as glossary from "./explain.js";
import { readAddress } from "./fields.js";
import { codeIn, enter, held, open, whenClosed } from "./key.js";
import { redraw } from "./plots.js";
import { byId } from "./words.js";
import * as verify from "./verify.js";

const VIEWS = { design, ask, verify, glossary };
const TITLES = { design: "Design", ask: "Ask", verify: "Verify", glossary: "Glossary" };
const begun = new Set();
let home = "design";

function show() {
  byId("view-closed").hidden = true;
  document.querySelector("nav").hidden = false;
  const [named, values] = readAddress();
  const view = Object.hasOwn(VIEWS, named) ? named : home;
  for (const name of Object.keys(VIEWS)) {
    byId(`view-${name}`).hidden = name !== view;
    const link = document.querySelector(`nav a[data-view=${name}]`);
    if (name === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[view]} · leastnoise`;
  if (!begun.has(view)) {
    begun.add(view);
    VIEWS[view].begin(values);
  } else {
    VIEWS[view].again?.(values);
  }
  redraw();
}

// Without the key there is nothing to show but how to get it.
function close() {
  for (const name of Object.keys(VIEWS)) byId(`view-${name}`).hidden = true;
  document.querySelector("nav").hidden = true;
  byId("view-closed").hidden = false;
  document.title = "leastnoise";
}

// Who named a table at the start came to ask.
async function start() {
  const before = held();
  if (!await open()) {
    close();
    return;
  }
  if (begun.size && held() !== before) { // of another server: its tables and ledgers are others
    location.reload();
    return;
  }
  if (!Object.hasOwn(VIEWS, readAddress()[0])) {
    const given = await send("GET", "/api/tables").catch(() => []);
    home = given.some((one) => one.kind === "file") ? "ask" : "design";
  }
  show();
}

whenClosed(close);
byId("closed-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = byId("closed-address").value.trim();
  if (await enter(codeIn(given)?.code ?? given)) location.reload();
  else byId("closed-error").hidden = false;
});
window.addEventListener("hashchange", () => {
  if (codeIn(location.hash) || !byId("view-closed").hidden) start();
  else show();
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-file]");
  if (!button || button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await save(button.dataset.file, button.dataset.name);
  } catch (error) {
    button.after(Object.assign(document.createElement("p"), { className: "error", role: "alert", textContent: error.message }));
  }
  button.removeAttribute("aria-busy");
});
for (const link of document.querySelectorAll("nav a")) {
  link.addEventListener("click", () => byId("main").focus({ preventScroll: true }));
}
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
for (const button of document.querySelectorAll("[data-copy]")) {
  const usual = button.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(byId(button.dataset.copy).textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(byId(button.dataset.copy));
      button.textContent = "Selected: copy it";
    }
    setTimeout(() => { button.textContent = usual; }, 1500);
  });
}
start();
