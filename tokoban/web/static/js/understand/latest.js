/** Jobs of which only the latest counts. */

import { runJob } from "../server.js";

/** @typedef {import("../server.js").JobEvent} JobEvent */

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
 * A board on its way to a job.
 * @param {import("../rules/board.js").Board} board
 * @returns {string}
 */
export function wireBoard(board) {
  return board.toRows().join("\n");
}
