/** Jobs of which only the latest counts. */

import { runJob } from "../server.js";
import { t } from "../strings/index.js";

/** @typedef {import("../server.js").JobEvent} JobEvent */

/** One job at a time: starting another, or `stop`, ends the one before. */
export class Latest {
  /** @param {(text: string) => void} [say] is told that a job works, or what it waits for */
  constructor(say = () => {}) {
    this._say = say;
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
   * @param {(event: JobEvent) => void} [onEvent] gets those that the job itself sends
   * @param {string} [doing] what is said while it works
   * @returns {Promise<JobEvent | null>} null where it was stopped or another one took its place
   */
  async run(kind, args, onEvent = () => {}, doing = t("work.running")) {
    this.stop();
    const now = new AbortController();
    this._now = now;
    let said = doing;
    this._say(said);
    try {
      const done = await runJob(kind, args, {
        signal: now.signal,
        onEvent: (event) => {
          if (this._now !== now) return;
          const waitsFor = waitingText(event);
          if (said !== (waitsFor ?? doing)) this._say((said = waitsFor ?? doing));
          if (waitsFor === null && event.event !== "started") onEvent(event);
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

/** @param {JobEvent} event @returns {string | null} what the job waits for; null if it works */
function waitingText({ event, before, code }) {
  if (code === "compiling") return t("app.compiling");
  if (event !== "queued") return null;
  return before ? t("app.queued", { before }) : t("app.queued-next");
}

/**
 * A board on its way to a job.
 * @param {import("../rules/board.js").Board} board
 * @returns {string}
 */
export function wireBoard(board) {
  return board.toRows().join("\n");
}
