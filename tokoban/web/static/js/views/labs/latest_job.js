/** One job at a time: a new one cancels the one before, and says what it does. */

import { sentenceOf } from "../../shell/sentences.js";
import { t } from "../../strings/index.js";
import { Latest } from "../../understand/latest.js";

/** A job that takes longer than this is said to be at work. */
const SILENT_MS = 300;

/** Kinds of jobs that have been answered, whose networks have thus been loaded. @type {Set<string>} */
const answered = new Set();

export class LatestJob {
  /** @param {HTMLElement} status where its state and its errors are shown */
  constructor(status) {
    this._status = status;
    this._latest = new Latest((text) => this._tell(text));
    this._timer = 0;
  }

  /** Whether a job is under way. @returns {boolean} */
  get isRunning() {
    return this._latest.isRunning;
  }

  /** Ends the job, if there is one. */
  cancel() {
    if (!this.isRunning) return;
    this._latest.stop();
    this._end("");
  }

  /**
   * Runs a job in the place of the one before.
   * @param {string} kind
   * @param {Record<string, any>} args
   * @param {(event: import("../../server.js").JobEvent) => void} [onEvent]
   * @returns {Promise<import("../../server.js").JobEvent | null>} null where it was cancelled or failed
   */
  async run(kind, args, onEvent) {
    this.cancel();
    const doing = t(answered.has(kind) ? "labs.working" : "labs.loading");
    try {
      const done = await this._latest.run(kind, args, onEvent, doing);
      if (!done) return null;
      answered.add(kind);
      this._end("");
      return done;
    } catch (error) {
      this._end(sentenceOf(error));
      return null;
    }
  }

  /** Says what the job is at, unless it ends at once. @param {string} text */
  _tell(text) {
    clearTimeout(this._timer);
    const wait = this._status.textContent ? 0 : SILENT_MS;
    this._timer = setTimeout(() => (this._status.textContent = text), wait);
  }

  /** @param {string} text */
  _end(text) {
    clearTimeout(this._timer);
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
