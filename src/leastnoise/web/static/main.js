// Which view is shown; the rest is in the views.

import * as ask from "./ask.js";
import * as design from "./design.js";
import { readAddress } from "./fields.js";
import { redraw } from "./plots.js";
import { byId } from "./words.js";
import * as verify from "./verify.js";

const VIEWS = { design, ask, verify };
const TITLES = { design: "Design", ask: "Ask", verify: "Verify" };
const begun = new Set();

function show() {
  const [named, values] = readAddress();
  const view = named in VIEWS ? named : "design";
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

// The key came in the address once; it is in a cookie now and need not be seen.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

window.addEventListener("hashchange", show);
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
show();
