// Requests to this server, and jobs. A waiting job is asked about now and then; only one that runs
// holds a connection open, so that many tabs leave connections for each other.

export class Refused extends Error {
  constructor(status, errors) {
    super(errors.map((one) => one.message).join("; "));
    this.status = status;
    this.errors = errors;
  }
}

export async function send(method, path, body) {
  const raw = body instanceof Blob;
  const answer = await fetch(path, {
    method,
    keepalive: method === "DELETE", // a tab that closes still ends its job
    headers: body === undefined ? {} : { "content-type": raw ? "application/octet-stream" : "application/json" },
    body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
  });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw new Refused(answer.status, told.errors || [{ field: null, message: `the server said ${answer.status}` }]);
  }
  return told;
}

const OVER = new Set(["done", "failed", "stopped"]);

// Follows a job to its end; `on` has a function for each event, and `queued(ahead)`.
export class Following {
  constructor(job, on) {
    this.job = job;
    this.on = on;
    this.ended = false;
    this.source = null;
    this.wait(job.state, job.ahead);
  }

  async wait(state, ahead) {
    while (state === "queued" && !this.ended) {
      this.on.queued?.(ahead);
      await new Promise((go) => setTimeout(go, 700));
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

  listen() {
    this.source = new EventSource(`/api/jobs/${this.job.job}/events`);
    const names = ["running", "step", "progress", "design", "table", "density", "profile", "radial",
      "family", "composition", "plan"];
    for (const name of names) {
      this.source.addEventListener(name, (event) => {
        if (!this.ended) this.on[name]?.(JSON.parse(event.data));
      });
    }
    for (const name of OVER) {
      this.source.addEventListener(name, (event) => this.finish(name, JSON.parse(event.data)));
    }
    let trouble = 0;
    this.source.onopen = () => { trouble = 0; };
    this.source.onerror = () => {
      trouble += 1;
      if (trouble > 4 || this.source.readyState === EventSource.CLOSED) this.finish("failed", { field: null, message: "the server is not there any more" });
    };
  }

  finish(how, data) {
    if (this.ended) return;
    this.ended = true;
    this.source?.close();
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
    this.source?.close();
    this.stop();
  }
}
