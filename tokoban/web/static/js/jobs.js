/**
 * Jobs on the server: a request whose answer is a stream of events, one line of JSON each.
 *
 * Aborting the request cancels the job.
 */

/**
 * @typedef {{event: string, [key: string]: any}} JobEvent
 * @typedef {{signal?: AbortSignal, onEvent?: (event: JobEvent) => void}} JobOptions
 */

/** A job that failed; `message` is the server's sentence, `code` what kind of failure it is. */
export class JobError extends Error {
  /**
   * @param {string} message
   * @param {string} code "refused", "failed", "crashed", "busy", "server-lost", ...
   */
  constructor(message, code) {
    super(message);
    this.name = "JobError";
    this.code = code;
  }
}

/**
 * Runs a job, calls `onEvent` for each event before the last, and returns the last ("done").
 *
 * Throws `JobError`, or the signal's AbortError.
 *
 * @param {string} kind
 * @param {Record<string, any>} args
 * @param {JobOptions} [options]
 * @returns {Promise<JobEvent>}
 */
export async function runJob(kind, args, { signal, onEvent } = {}) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ kind, arguments: args });
  const response = await request("/api/jobs", { method: "POST", headers, body, signal });
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  try {
    for await (const event of events(reader, signal)) {
      if (event.event === "done") return event;
      if (event.event === "error") throw new JobError(event.message, event.code);
      onEvent?.(event);
    }
  } finally {
    // Whatever ends the loop, an error of `onEvent` among others, ends the job.
    reader.cancel().catch(() => {});
  }
  throw serverLost();
}

/**
 * @param {string} path
 * @param {RequestInit} init
 */
async function request(path, init) {
  let response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    throw serverLost(error);
  }
  if (response.ok) return response;
  const { message } = await response.json().catch(() => ({ message: response.statusText }));
  throw new JobError(message, response.status === 429 ? "busy" : "refused");
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
  const error = new JobError("The server of this page does not answer.", "server-lost");
  error.cause = cause;
  return error;
}
