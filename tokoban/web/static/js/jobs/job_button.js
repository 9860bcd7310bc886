/** A button that starts a job and ends it while it runs, with a line that says how it goes. */

import { button, el, relabel } from "../shell/dom.js";
import { sentenceOf } from "../shell/sentences.js";
import { t } from "../strings/index.js";
import { LatestJob } from "./latest_job.js";

/** @typedef {import("../server.js").JobEvent} JobEvent */

/** Jobs that leaving their view ended, until it is said: the kind and the level's key. @type {Set<string>} */
const left = new Set();

export class JobButton {
  /**
   * @param {object} options
   * @param {string} options.kind of the job
   * @param {AbortSignal} options.signal ends it
   * @param {import("../game/session.js").Session} [options.session] if the job is about its level:
   *   the line then says once, back at this level, that leaving the view ended the job
   * @param {string} options.start the key of the button's word
   * @param {string} [options.class] of the button
   * @param {string} [options.statusClass]
   * @param {() => Record<string, any> | null} options.begin gives the arguments; null: it cannot start
   * @param {(event: JobEvent) => void} [options.take] gets the events before the last
   * @param {(done: JobEvent | null) => void} options.end null where the job was stopped or failed
   * @param {() => void} [options.refresh] after it has started or ended
   */
  constructor(options) {
    this._options = options;
    this.element = button({ label: t(options.start), class: options.class, run: () => this._toggle() });
    this.status = el("p", { class: options.statusClass ?? "soft", role: "status" });
    const say = (/** @type {string} */ text) => (this.status.textContent = text);
    // Heard before the job hears it, and ends.
    options.signal.addEventListener("abort", () => {
      if (options.session && this.isRunning) left.add(this._name);
    });
    this._job = new LatestJob({
      signal: options.signal,
      say,
      doing: () => t("work.running"),
      fail: (error) => {
        options.end(null);
        say(sentenceOf(error));
      },
    });
  }

  /** @returns {boolean} */
  get isRunning() {
    return this._job.isRunning;
  }

  /** Ends the job without a message, but for one that the view was left before. */
  stop() {
    this._job.stop();
    this.status.textContent = left.delete(this._name) ? t("work.left") : "";
    this.refresh();
  }

  get _name() {
    const { kind, session } = this._options;
    return `${kind} ${session?.levelKey}`;
  }

  refresh() {
    const { start, refresh } = this._options;
    relabel(this.element, t(this.isRunning ? "app.cancel" : start));
    refresh?.();
  }

  async _toggle() {
    const { kind, begin, take, end } = this._options;
    if (this.isRunning) {
      this.stop();
      this.status.textContent = t("work.cancelled");
      end(null);
      return;
    }
    const args = begin();
    if (!args) return;
    const running = this._job.run(kind, args, take);
    this.refresh();
    const done = await running;
    if (done) end(done);
    this.refresh();
  }
}
