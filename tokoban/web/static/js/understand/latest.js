/** Jobs of which only the latest counts. */

import { JobError, runJob } from "../jobs.js";
import { t } from "../strings/index.js";

/** @typedef {import("../jobs.js").JobEvent} JobEvent */

/** One job at a time: starting another, or `stop`, ends the one before. */
export class Latest {
  constructor() {
    /** @type {AbortController | null} */
    this._now = null;
  }

  /** @returns {boolean} */
  get isRunning() {
    return this._now !== null;
  }

  /**
   * Runs a job as `runJob` does.
   * @param {string} kind
   * @param {Record<string, any>} args
   * @param {(event: JobEvent) => void} [onEvent]
   * @returns {Promise<JobEvent | null>} null where it was stopped or another one took its place
   */
  async run(kind, args, onEvent = () => {}) {
    this.stop();
    const now = new AbortController();
    this._now = now;
    try {
      const done = await runJob(kind, args, {
        signal: now.signal,
        onEvent: (event) => {
          if (this._now === now) onEvent(event);
        },
      });
      return this._now === now ? done : null;
    } catch (error) {
      if (now.signal.aborted) return null;
      throw error;
    } finally {
      if (this._now === now) this._now = null;
    }
  }

  stop() {
    this._now?.abort();
    this._now = null;
  }
}

/**
 * The sentence of a job that failed; any other error is a mistake of the page and goes on.
 * @param {unknown} error
 * @returns {string}
 */
export function sentenceOf(error) {
  if (!(error instanceof JobError)) throw error;
  return error.code === "server-lost" ? t("app.server-lost") : error.message;
}

/**
 * A board on its way to a job.
 * @param {import("../rules/board.js").Board} board
 * @returns {string}
 */
export function wireBoard(board) {
  return board.toRows().join("\n");
}
