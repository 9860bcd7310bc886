/** Jobs of which only the latest counts. */

import { ServerError, runJob } from "../server.js";
import { t } from "../strings/index.js";

/** @typedef {import("../server.js").JobEvent} JobEvent */

/** Kinds of jobs that have been answered, whose networks have thus been loaded. @type {Set<string>} */
export const answered = new Set();

/** One job at a time: starting another, or `stop`, ends the one before. */
export class LatestJob {
  /**
   * @param {object} options
   * @param {(text: string) => void} [options.say] is told what a job is at or waits for, and "" at its end
   * @param {(kind: string) => string} [options.doing] what is said while a job works
   * @param {(error: ServerError) => void} options.fail is told why a job failed
   * @param {AbortSignal} options.signal ends it; no job starts any more
   */
  constructor({ say = () => {}, doing = () => "", fail, signal }) {
    this._say = say;
    this._doing = doing;
    this._fail = fail;
    this._signal = signal;
    /** @type {AbortController | null} */
    this._now = null;
    signal.addEventListener("abort", () => this.stop());
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
   * @returns {Promise<JobEvent | null>} null where it was stopped, failed or another one took its place
   */
  async run(kind, args, onEvent = () => {}) {
    if (this._signal.aborted) return null;
    this.stop();
    const now = new AbortController();
    this._now = now;
    const doing = this._doing(kind);
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
      if (this._now !== now) return null;
      answered.add(kind);
      this._end();
      return done;
    } catch (error) {
      if (this._now !== now) return null;
      this._end();
      if (!(error instanceof ServerError)) throw error;
      this._fail(error);
      return null;
    }
  }

  stop() {
    this._now?.abort();
    if (this._now) this._end();
  }

  _end() {
    this._now = null;
    this._say("");
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
