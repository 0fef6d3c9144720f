// Step 5 of the view Ask: the budget of all answers together.

import { send } from "./api.js";
import { ledgerBar } from "./explain.js";
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

// Another ledger is made only for a reason, which its owner states.
function anew(yes) {
  byId("ledger-new").hidden = !yes;
  byId("ledger-why").hidden = byId("ledger-keep").hidden = !yes;
  byId("ledger-state").hidden = yes;
  byId("ledger-fresh").value = "";
  byId("ledger-create").textContent = yes ? "Create a new ledger" : "Create the ledger";
  (yes ? byId("ledger-fresh") : byId("ledger-again")).focus();
}

export async function createLedger(table) {
  const again = held !== null;
  const fresh = again ? byId("ledger-fresh").value : null;
  if (fresh === "") throw Object.assign(new Error(), { errors: [{ field: "ledger.fresh", message: "State why what was charged before does not count any more." }] });
  try {
    showLedger(await send("POST", `/api/tables/${table.id}/ledger`, {
      epsilon: byId("ledger-epsilon").value.trim(), delta: byId("ledger-delta").value.trim(),
      composition: byId("ledger-composition").value, fresh,
    }));
  } catch (error) {
    if (error.status === 409 && !again) showLedger(await send("GET", `/api/tables/${table.id}/ledger`)); // another tab made it
    throw error;
  }
}

export async function ledgerOf(table) {
  byId("ledger-lasts").textContent = table.lasting
    ? "This ledger is the file that you named: it outlives this page. All tables here share it."
    : table.kind === "demo" ? "The demo table is about nobody and has a ledger of its own, which is gone when the server stops."
      : "All tables here share this ledger, which is gone when the server stops. For real data start with: leastnoise serve FILE --ledger budget.db";
  if (table.ledger) {
    showLedger(await send("GET", `/api/tables/${table.id}/ledger`));
    return;
  }
  held = null;
  byId("ledger-new").hidden = false;
  byId("ledger-why").hidden = byId("ledger-keep").hidden = true;
  byId("ledger-create").textContent = "Create the ledger";
  byId("ledger-state").hidden = true;
}

export function showLedger(found) {
  held = found;
  byId("ledger-new").hidden = true;
  byId("ledger-state").hidden = false;
  byId("ledger-again").hidden = found.lasting;
  const count = found.history.length;
  const which = found.number > 1 ? `Ledger ${found.number} of this page. ` : "";
  byId("ledger-words").textContent = `${which}Left: epsilon ${number(found.left_epsilon, 4)} of ${number(found.epsilon, 4)}, delta ${number(found.left_delta, 3)} of ${number(found.delta, 3)}; ${count} charge${count === 1 ? "" : "s"} so far.`;
  byId("ledger-bar").replaceChildren(ledgerBar(found));
}
