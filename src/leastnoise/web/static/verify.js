// The view Verify.

import { Following, keep, send } from "./api.js";
import { byId, make, number } from "./words.js";

const WORDS = {
  0: "Everything that this file claims is proven.",
  1: "A claim of this file is refuted: do not use it.",
  2: "This is neither a mechanism file nor a report.",
  3: "Privacy is proven; how close it is to optimal is not.",
};
const REPORT_WORDS = {
  0: "Every step from the numbers to their proofs is proven.",
  1: "A step of this report is refuted: do not use it.",
  3: "Some steps of this report are not covered.",
};
const CLASSES = { proven: "proven", "by theorem": "proven", refuted: "refuted", "not checked": "unknown", "not covered": "unknown" };
let following = null;

export function begin() {
  const drop = byId("drop");
  byId("verify-file").addEventListener("change", (event) => {
    const file = event.target.files[0];
    event.target.value = ""; // so that the same file can be chosen again
    check(file);
  });
  byId("save-checker").addEventListener("click", saveChecker);
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    check(event.dataTransfer.files[0]);
  });
}

// The second checker runs here, in the browser: another program, written from the document alone.
let worker = null;
async function checkHere(file) {
  byId("verify-here").textContent = "";
  worker?.terminate();
  worker = new Worker(new URL("./checker.js", import.meta.url));
  worker.onmessage = ({ data }) => { byId("verify-here").textContent = `The checker in this browser: ${data.words}`; };
  worker.postMessage(await new Blob([file]).arrayBuffer());
}

async function saveChecker() {
  const code = await (await fetch(new URL("./checker.js", import.meta.url))).text();
  keep(new Blob([`<!doctype html><html lang="en"><meta charset="utf-8"><title>leastnoise checker</title><body><script data-alone>\n${code}</script></body></html>\n`], { type: "text/html" }), "leastnoise-checker.html");
}

export async function check(file, name = file?.name) {
  if (!file) return;
  checkHere(file);
  following?.leave();
  byId("verify-error").hidden = true;
  byId("claims-card").hidden = true;
  byId("verify-state").textContent = `Checking ${name} …`;
  try {
    following = new Following(await send("POST", "/api/verify", new Blob([file])), {
      queued: (ahead) => { byId("verify-state").textContent = `Waiting: ${ahead + 1} in the queue.`; },
      end: (how, data) => ended(how, data, name),
    });
  } catch (error) {
    fail(error.message);
  }
}

function fail(words) {
  byId("verify-state").textContent = "";
  byId("verify-error").textContent = words;
  byId("verify-error").hidden = false;
}

function ended(how, data, name) {
  if (how !== "done") {
    fail(data.message || "It was stopped.");
    return;
  }
  const words = (data.report ? REPORT_WORDS : WORDS)[data.exit_code];
  byId("verify-state").textContent = `${name}: ${words}`;
  byId("claims-card").hidden = false;
  byId("claims-title").textContent = words;
  byId("claims-words").textContent = [data.malformed || data.summary, data.unchecked].filter(Boolean).join(" ");
  byId("claims").hidden = !data.claims.length;
  byId("claims").tBodies[0].replaceChildren(...data.claims.map((claim) => {
    const what = make("td", { text: claim.detail });
    if (claim.slack !== null) what.append(make("span", { class: "note", text: `slack ${number(claim.slack, 3)}` }));
    return make("tr", {}, make("td", { text: claim.name }),
      make("td", { class: CLASSES[claim.verdict], text: claim.verdict }), what);
  }));
}
