// The key of the server. This tab gets it for the code in an address that the terminal printed, once,
// and keeps it for as long as the tab lives. Other tabs of this page get it from this one; other
// ports and sites cannot, since storage and channels belong to this address and port alone.

const NAME = "leastnoise-key";
const tabs = new BroadcastChannel(NAME);
let key = sessionStorage.getItem(NAME);
let closed = () => {};

tabs.addEventListener("message", ({ data }) => {
  if (data === "who has it?" && key) tabs.postMessage({ key });
});

export const held = () => key;
export const headers = () => (key ? { "x-leastnoise-key": key } : {});

function keep(found) {
  key = found;
  if (found) sessionStorage.setItem(NAME, found);
  else sessionStorage.removeItem(NAME);
}

// The server does not know this key (any more): say so where the page can be opened again.
export function lost() {
  keep(null);
  closed();
}

export const whenClosed = (act) => { closed = act; };

// The code in an address or in its last part, and what else the address asks for.
export function codeIn(text) {
  const found = /#enter=([\w-]+)(#.*)?$/.exec(text);
  return found ? { code: found[1], rest: found[2] || "" } : null;
}

export async function enter(code) {
  const answer = await fetch("/api/enter", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const told = await answer.json().catch(() => ({}));
  if (answer.ok) keep(told.key);
  return answer.ok;
}

// Whether another tab has given its key.
function fromAnotherTab() {
  return new Promise((done) => {
    const hear = ({ data }) => {
      if (data.key) end(data.key);
    };
    const end = (found) => {
      clearTimeout(timer);
      tabs.removeEventListener("message", hear);
      if (found) keep(found);
      done(Boolean(found));
    };
    const timer = setTimeout(() => end(null), 400);
    tabs.addEventListener("message", hear);
    tabs.postMessage("who has it?");
  });
}

async function works() {
  if (!key) return false;
  const answer = await fetch("/api/tables", { headers: headers() }).catch(() => null);
  if (answer?.status === 401) keep(null);
  return Boolean(answer?.ok);
}

// Get the key, by the code in the address or as it was held before; whether there is one that works.
export async function open() {
  const given = codeIn(location.hash);
  if (given) {
    // The code is not to be seen any longer than it is worth something.
    history.replaceState(null, "", location.pathname + given.rest);
    if (await enter(given.code)) return true;
  }
  return (await works()) || ((await fromAnotherTab()) && works());
}
