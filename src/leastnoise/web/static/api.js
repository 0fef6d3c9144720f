// Requests to this server, and jobs. A waiting job is asked about now and then; only one that runs
// holds a connection open, so that many tabs leave connections for each other.

import { headers, lost } from "./key.js";

export class Refused extends Error {
  constructor(status, errors) {
    super(errors.map((one) => one.message).join("; "));
    this.status = status;
    this.errors = errors;
  }
}

async function request(method, path, more = {}, body = undefined) {
  const answer = await fetch(path, {
    method,
    keepalive: method === "DELETE", // a tab that closes still ends its job
    headers: { ...headers(), ...more.headers },
    signal: more.signal,
    body,
  });
  if (answer.ok) return answer;
  if (answer.status === 401) lost();
  const told = await answer.json().catch(() => ({}));
  throw new Refused(answer.status, told.errors || [{ field: null, message: `the server said ${answer.status}` }]);
}

export async function send(method, path, body) {
  if (body === undefined) return (await request(method, path)).json();
  const raw = body instanceof Blob;
  const kind = { "content-type": raw ? "application/octet-stream" : "application/json" };
  return (await request(method, path, { headers: kind }, raw ? body : JSON.stringify(body))).json();
}

// Download a file. (A plain link could not show the key.)
export async function save(path, name) {
  keep(await (await request("GET", path)).blob(), name);
}

export function keep(blob, name) {
  const held = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = held;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(held), 60000);
}

// Server-sent events: {id, event, data} of each, as they come.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let held = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const whole = (held + value).split("\n\n");
    held = whole.pop();
    for (const one of whole) {
      yield Object.fromEntries(one.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]));
    }
  }
}

const OVER = new Set(["done", "failed", "stopped"]);

// Follows a job to its end; `on` has a function for each event, and `queued(ahead)`.
export class Following {
  constructor(job, on) {
    this.job = job;
    this.on = on;
    this.ended = false;
    this.cut = new AbortController();
    this.wait(job.state, job.ahead);
  }

  async wait(state, ahead) {
    // Most jobs start at once; those that do not are asked for less and less often.
    for (let pause = 50; state === "queued" && !this.ended; pause = Math.min(2 * pause, 700)) {
      this.on.queued?.(ahead);
      await new Promise((go) => setTimeout(go, pause));
      if (this.ended) return;
      try {
        ({ state, ahead } = await send("GET", `/api/jobs/${this.job.job}`));
      } catch (error) {
        this.finish("failed", { field: null, message: error.message });
        return;
      }
    }
    if (!this.ended) this.listen();
  }

  async listen() {
    let last = null;
    for (let trouble = 0; trouble < 5 && !this.ended; trouble += 1) {
      try {
        const more = { headers: last === null ? {} : { "last-event-id": last }, signal: this.cut.signal };
        const answer = await request("GET", `/api/jobs/${this.job.job}/events`, more);
        for await (const { id, event, data } of events(answer.body)) {
          if (this.ended) return;
          [last, trouble] = [id, 0];
          if (OVER.has(event)) this.finish(event, JSON.parse(data));
          else this.on[event]?.(JSON.parse(data));
        }
      } catch (error) {
        if (error instanceof Refused) this.finish("failed", { field: null, message: error.message });
      }
      if (!this.ended) await new Promise((go) => setTimeout(go, 500));
    }
    this.finish("failed", { field: null, message: "the server is not there any more" });
  }

  finish(how, data) {
    if (this.ended) return;
    this.ended = true;
    this.cut.abort();
    this.on.end?.(how, data);
  }

  // Ask for its end; what it has found so far is still told.
  stop() {
    return send("DELETE", `/api/jobs/${this.job.job}`).catch(() => {});
  }

  // Look away and let it end.
  leave() {
    if (this.ended) return;
    this.ended = true;
    this.cut.abort();
    this.stop();
  }
}
