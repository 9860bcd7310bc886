/** A beam search of the policy, watched step by step. */

import { JobButton } from "../jobs/job_button.js";
import { wireBoard } from "../jobs/latest_job.js";
import { button, choice, el, inRow, section } from "../shell/dom.js";
import { reasonText } from "../shell/sentences.js";
import { number, t } from "../strings/index.js";
import { RowsView } from "./rows_view.js";

/**
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {{step: number, rows: import("./rows_view.js").Row[], num_evaluated: number}} Step
 */

const WIDTHS = [1, 2, 4, 6, 9, 16];

export class SearchPart {
  /** @param {Session} session @param {AbortSignal} signal */
  constructor(session, signal) {
    this._session = session;
    this._job = new JobButton({
      kind: "watch",
      signal,
      session,
      start: "watch.start",
      class: "primary",
      begin: () => this._begin(),
      take: (event) => {
        if (event.event !== "answer") return;
        this._steps.push(/** @type {any} */ (event));
        this._slider.max = String(this._steps.length);
        this._slider.value = this._slider.max;
        this._show();
      },
      end: (done) => {
        this._done = done;
        if (done) this._text.textContent = resultText(done);
        if (done?.moves) session.addSolution(this._played + done.moves);
      },
      refresh: () => this._show(),
    });
    this._width = 6;
    /** The moves played before the search: its solution goes on from there. */
    this._played = "";
    /** @type {Step[]} */
    this._steps = [];
    /** @type {any} the last event */
    this._done = null;
    this._rows = new RowsView();
    this._text = this._job.status;
    this._slider = el("input", { type: "range", min: "1", "aria-label": t("watch.step"), class: "wide" });
    this._slider.addEventListener("input", () => this._show());
    this._take = button({ label: t("watch.take"), run: () => this._takeOver() });
    this.element = section(
      t("watch.search"),
      choice({
        label: t("watch.width"),
        options: WIDTHS.map((width) => [String(width), String(width)]),
        value: String(this._width),
        change: (value) => (this._width = Number(value)),
      }),
      inRow(this._job.element, this._take),
      this._text,
      this._slider,
      this._rows.element,
    );
    session.addEventListener("level", () => this._clear(), { signal });
    signal.addEventListener("abort", () => this._rows.show([], -1));
    this._clear();
  }

  _clear() {
    this._steps = [];
    this._done = null;
    this._job.stop();
  }

  _begin() {
    this._clear();
    const { level, game } = this._session;
    this._played = game.played;
    return level && { board: wireBoard(game.board), width: this._width };
  }

  _show() {
    const at = Math.min(Number(this._slider.value), this._steps.length) - 1;
    const step = this._steps[at];
    this._slider.hidden = this._steps.length === 0;
    this._take.hidden = !this._done?.moves;
    this._rows.show(step?.rows ?? [], this._done?.followed[at] ?? -1);
    if (!step) return;
    const values = { step: at + 1, steps: this._steps.length, count: step.num_evaluated };
    const text = t("watch.at-step", values);
    this._slider.setAttribute("aria-valuetext", text);
    if (this._job.isRunning) this._text.textContent = text;
    else if (this._done) this._text.textContent = `${text}. ${resultText(this._done)}`;
  }

  _takeOver() {
    this._session.showSolution(this._played + this._done.moves, this._played.length);
  }
}

/**
 * How a search ended, and what it spent.
 * @param {any} done
 * @returns {string}
 */
function resultText(done) {
  const spent = t("watch.spent", { seconds: number(done.elapsed_s, 2) });
  if (done.status === "solved") {
    const values = { moves: done.num_moves, pushes: done.num_pushes };
    return `${t("play.solved", values)} ${spent}`;
  }
  if (done.status === "unsolvable") return `${t("work.unsolvable")} ${spent}`;
  return `${t("work.gave-up", { reason: reasonText(done.reason) })} ${spent}`;
}
