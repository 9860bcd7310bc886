/**
 * Requests to the server. That of a job is answered by a stream of events, one line of JSON each;
 * aborting it cancels the job. The stream of a job that has to wait ends soon, since all tabs share
 * a few connections; the job is then asked for again.
 */

/**
 * @typedef {{event: string, [key: string]: any}} JobEvent
 * @typedef {{signal?: AbortSignal, onEvent?: (event: JobEvent) => void}} JobOptions
 */

/** A request or job that failed; `message` is the server's sentence, in English. */
export class ServerError extends Error {
  /**
   * @param {string} message
   * @param {string} code the kind of failure; each has a string "error.<code>"
   * @param {{[key: string]: any}} [event] a `problem` or `reason` of it is the message, with a code
   */
  constructor(message, code, { problem, reason } = {}) {
    super(message);
    this.problem = problem;
    this.reason = reason;
    this.name = "ServerError";
    this.code = code;
  }
}

/** The time between two requests for a waiting job. */
const ASK_AGAIN_MS = 1000;

/** Sends "other-origin" with a `ServerError` where the server refuses all that this page sends. */
export const refusals = new EventTarget();

/** The codes of answers with such a status; others are "refused". @type {Record<number, string>} */
const CODES = { 403: "other-origin", 404: "not-found", 413: "too-large", 429: "busy", 503: "busy" };

/**
 * Runs a job, calls `onEvent` for each event before the last, and returns the last ("done").
 *
 * Throws `ServerError`, or the signal's AbortError.
 *
 * @param {string} kind
 * @param {Record<string, any>} args
 * @param {JobOptions} [options]
 * @returns {Promise<JobEvent>}
 */
export async function runJob(kind, args, { signal, onEvent } = {}) {
  let asked = request("api/jobs", posted({ kind, arguments: args }, signal));
  for (;;) {
    const parked = await lastOf(await asked, { signal, onEvent });
    if (parked.event === "done") return parked;
    const job = `api/jobs/${parked.id}`;
    await pause(job, signal);
    asked = request(job, { method: "POST", signal });
  }
}

/**
 * The last event of a stream, "done" or "parked"; `onEvent` gets those before.
 * @param {Response} response
 * @param {JobOptions} options
 * @returns {Promise<JobEvent>}
 */
async function lastOf(response, { signal, onEvent }) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  try {
    for await (const event of events(reader, signal)) {
      if (event.event === "done" || event.event === "parked") return event;
      if (event.event === "error") throw new ServerError(event.message, event.code, event);
      onEvent?.(event);
    }
  } finally {
    // Whatever ends the loop, such as an error of `onEvent`, ends the job.
    reader.cancel().catch(() => {});
  }
  throw serverLost();
}

/**
 * Waits a moment; leaving the page or the signal cancels the parked job.
 * @param {string} job its path
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function pause(job, signal) {
  return new Promise((resolve, reject) => {
    const end = new AbortController();
    const cancel = () => {
      clearTimeout(timer);
      end.abort();
      fetch(job, { method: "DELETE", keepalive: true }).catch(() => {});
      reject(signal?.aborted ? signal.reason : serverLost());
    };
    const timer = setTimeout(() => {
      end.abort();
      resolve();
    }, ASK_AGAIN_MS);
    window.addEventListener("pagehide", cancel, { signal: end.signal });
    signal?.addEventListener("abort", cancel, { signal: end.signal });
    if (signal?.aborted) cancel();
  });
}

/**
 * What the server answers; throws `ServerError`.
 * @param {string} path
 * @param {object} [content] sent to it
 * @returns {Promise<any>}
 */
export async function ask(path, content) {
  const response = await request(path, content && posted(content));
  try {
    return await response.json();
  } catch (error) {
    throw serverLost(error); // it ended in the middle of the answer
  }
}

/**
 * The answer to a request; throws `ServerError`, or the signal's AbortError.
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function request(path, init = {}) {
  let response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    throw serverLost(error);
  }
  if (response.ok) return response;
  const { message } = await response.json().catch(() => ({ message: response.statusText }));
  const error = new ServerError(message, CODES[response.status] ?? "refused");
  if (error.code === "other-origin") {
    refusals.dispatchEvent(new CustomEvent("other-origin", { detail: error }));
  }
  throw error;
}

/**
 * @param {object} content
 * @param {AbortSignal} [signal]
 * @returns {RequestInit}
 */
function posted(content, signal) {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(content), signal };
}

/**
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<JobEvent>}
 */
async function* events(reader, signal) {
  const decoder = new TextDecoder();
  /** @type {string[]} parts of a line whose end has not come */
  let begun = [];
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      signal?.throwIfAborted();
      throw serverLost(error);
    }
    if (part.done) return;
    const [first, ...others] = decoder.decode(part.value, { stream: true }).split("\n");
    begun.push(first);
    for (const next of others) {
      yield JSON.parse(begun.join(""));
      begun = [next];
    }
  }
}

/** @param {unknown} [cause] */
function serverLost(cause) {
  const error = new ServerError("The server of this page does not answer.", "server-lost");
  error.cause = cause;
  return error;
}
