/** One job at a time: a new one cancels the one before, and says what it does. */

import { JobError, runJob } from "../../jobs.js";
import { t } from "../../strings/index.js";

/** A job that takes longer than this is said to be at work. */
const SILENT_MS = 300;

/** Kinds of jobs that have been answered, whose networks have thus been loaded. @type {Set<string>} */
const answered = new Set();

export class LatestJob {
  /** @param {HTMLElement} status where its state and its errors are shown */
  constructor(status) {
    this._status = status;
    this._abort = new AbortController();
    this._timer = 0;
  }

  /** Whether a job is under way. */
  isRunning = false;

  /** Ends the job, if there is one. */
  cancel() {
    this._abort.abort();
  }

  /**
   * Runs a job in the place of the one before.
   * @param {string} kind
   * @param {Record<string, any>} args
   * @param {(event: import("../../jobs.js").JobEvent) => void} [onEvent]
   * @returns {Promise<import("../../jobs.js").JobEvent | null>} null where it was cancelled or failed
   */
  async run(kind, args, onEvent) {
    this.cancel();
    const abort = new AbortController();
    this._abort = abort;
    this.isRunning = true;
    clearTimeout(this._timer);
    const doing = t(answered.has(kind) ? "labs.working" : "labs.loading");
    this._timer = setTimeout(() => this._say(doing), SILENT_MS);
    const tell = (/** @type {import("../../jobs.js").JobEvent} */ event) => {
      if (event.code === "compiling") this._say(event.message);
      else onEvent?.(event);
    };
    try {
      const done = await runJob(kind, args, { signal: abort.signal, onEvent: tell });
      answered.add(kind);
      if (abort.signal.aborted) return null;
      this._say("");
      return done;
    } catch (error) {
      if (abort.signal.aborted) return null;
      if (!(error instanceof JobError)) throw error;
      this._say(error.code === "server-lost" ? t("app.server-lost") : error.message);
      return null;
    } finally {
      if (this._abort === abort) {
        this.isRunning = false;
        clearTimeout(this._timer);
        if (abort.signal.aborted) this._say("");
      }
    }
  }

  /** @param {string} text */
  _say(text) {
    this._status.textContent = text;
  }
}

/**
 * A function that runs the given one once no more calls come for a while.
 * @param {() => void} run
 * @param {number} [waitMs]
 * @returns {(() => void) & {cancel: () => void}}
 */
export function whenQuiet(run, waitMs = 350) {
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(run, waitMs);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}
