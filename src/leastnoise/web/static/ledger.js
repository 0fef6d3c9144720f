// Step 5 of the view Ask: the budget of all answers together.

import { send } from "./api.js";
import { ledgerBar } from "./explain.js";
import { since, table } from "./table.js";
import { byId, number } from "./words.js";

let held = null;

export const balance = () => held;

export function beginLedger(create, failed) {
  byId("ledger-create").addEventListener("click", async () => {
    try {
      await create();
    } catch (error) {
      failed(error);
    }
  });
  byId("ledger-again").addEventListener("click", () => anew(true));
  byId("ledger-keep").addEventListener("click", () => anew(false));
}

// Another ledger is made only if its owner says so, having read when that is right.
function anew(yes) {
  byId("ledger-new").hidden = !yes;
  byId("ledger-why").hidden = byId("ledger-keep").hidden = !yes;
  byId("ledger-state").hidden = yes;
  byId("ledger-create").textContent = yes ? "Create a new ledger" : "Create the ledger";
  (yes ? byId("ledger-epsilon") : byId("ledger-again")).focus();
}

export async function createLedger() {
  const again = held !== null;
  try {
    await send("POST", `/api/tables/${table().id}/ledger`, {
      epsilon: byId("ledger-epsilon").value.trim(), delta: byId("ledger-delta").value.trim(),
      composition: byId("ledger-composition").value, fresh: again,
    });
    await readLedger();
  } catch (error) {
    if (error.status === 409 && !again) await readLedger(); // another tab has made it
    throw error;
  }
}

// The ledger of the table that is chosen now, which need not be that of an answer that has come.
export async function readLedger() {
  const late = since();
  const found = await send("GET", `/api/tables/${table().id}/ledger`).catch(() => null); // there may be none
  if (found && !late()) showLedger(found);
}

// The ledger of a table that was chosen; null if it has none yet.
export function ledgerOf(chosen, found) {
  byId("ledger-lasts").textContent = chosen.lasting
    ? "This ledger is the file that you named, and is kept when the server stops. All tables here share it."
    : chosen.kind === "demo" ? "The demo table is synthetic and has a ledger of its own, which is lost when the server stops."
      : "All tables here share this ledger, which is lost when the server stops. For real data start with: leastnoise serve FILE --ledger budget.db";
  if (found) {
    showLedger(found);
    return;
  }
  held = null;
  byId("ledger-new").hidden = false;
  byId("ledger-why").hidden = byId("ledger-keep").hidden = true;
  byId("ledger-create").textContent = "Create the ledger";
  byId("ledger-state").hidden = true;
}

function showLedger(found) {
  held = found;
  byId("ledger-new").hidden = true;
  byId("ledger-state").hidden = false;
  byId("ledger-again").hidden = found.lasting;
  const count = found.history.length;
  const which = found.number > 1 ? `Ledger ${found.number} of this session. ` : "";
  byId("ledger-words").textContent = `${which}Left: epsilon ${number(found.left_epsilon, 4)} of ${number(found.epsilon, 4)}, delta ${number(found.left_delta, 3)} of ${number(found.delta, 3)}; ${count} charge${count === 1 ? "" : "s"} so far.`;
  byId("ledger-bar").replaceChildren(ledgerBar(found));
}
