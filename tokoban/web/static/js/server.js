/**
 * Requests to the server. That of a job is answered by a stream of events, one line of JSON each;
 * aborting it cancels the job.
 */

/**
 * @typedef {{event: string, [key: string]: any}} JobEvent
 * @typedef {{signal?: AbortSignal, onEvent?: (event: JobEvent) => void}} JobOptions
 */

/** A request or job that failed; `message` is the server's sentence, in English. */
export class ServerError extends Error {
  /**
   * @param {string} message
   * @param {string} code what kind of failure it is: there is a string "error.<code>" of each
   */
  constructor(message, code) {
    super(message);
    this.name = "ServerError";
    this.code = code;
  }
}

/** Sends "other-origin" with a `ServerError` where the server refuses all that this page sends. */
export const refusals = new EventTarget();

/** The codes of answers with such a status; others are "refused". @type {Record<number, string>} */
const CODES = { 403: "other-origin", 413: "too-large", 429: "busy", 503: "busy" };

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
  const response = await request("api/jobs", posted({ kind, arguments: args }, signal));
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  try {
    for await (const event of events(reader, signal)) {
      if (event.event === "done") return event;
      if (event.event === "error") throw new ServerError(event.message, event.code);
      onEvent?.(event);
    }
  } finally {
    // Whatever ends the loop, an error of `onEvent` among others, ends the job.
    reader.cancel().catch(() => {});
  }
  throw serverLost();
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
