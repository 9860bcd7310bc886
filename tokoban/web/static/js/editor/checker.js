/** Whether the level that is drawn has a solution, as the server finds out. */

import { button, el } from "../shell/dom.js";
import { relabel } from "../shell/relabel.js";
import { reasonText, sentenceOf } from "../shell/sentences.js";
import { t } from "../strings/index.js";
import { Latest } from "../understand/latest.js";

const TIME_LIMIT_S = 20;

export class Checker {
  /** @param {import("./draft.js").Draft} draft */
  constructor(draft) {
    this._draft = draft;
    this._job = new Latest((text) => (this._status.textContent = text));
    /** A solution of the drawing as it is. @type {string | null} */
    this.solution = null;
    this._checked = "";
    this._isLegal = false;
    this._status = el("p", { role: "status" });
    this._start = button({ label: t("edit.check"), run: () => this._toggle() });
    this.element = el("div", { class: "stack" }, el("div", { class: "row" }, this._start), this._status);
  }

  destroy() {
    this._job.stop();
  }

  /** Forgets what was found of another drawing. @param {boolean} isLegal */
  refresh(isLegal) {
    this._isLegal = isLegal;
    if (this._draft.rows.join("\n") !== this._checked) {
      this._job.stop();
      this._checked = "";
      this.solution = null;
      this._status.textContent = "";
    }
    this._show();
  }

  async _toggle() {
    if (this._job.isRunning) {
      this._job.stop();
      this._status.textContent = t("work.cancelled");
      this._show();
      return;
    }
    this._checked = this._draft.rows.join("\n");
    const args = { board: this._checked, minimise: "any", time_limit_s: TIME_LIMIT_S };
    const running = this._job.run("solve", args);
    this._show();
    try {
      const done = await running;
      if (!done) return;
      this.solution = done.moves ?? null;
      const pushes = done.num_pushes ?? 0;
      this._status.textContent =
        done.status === "solved"
          ? t("edit.solvable", { pushes })
          : t(`work.${done.status === "unsolvable" ? "unsolvable" : "gave-up"}`, {
              reason: reasonText(done.reason),
            });
    } catch (error) {
      this._status.textContent = sentenceOf(error);
    }
    this._show();
  }

  _show() {
    relabel(this._start, t(this._job.isRunning ? "work.cancel" : "edit.check"));
    this._start.disabled = !this._isLegal && !this._job.isRunning;
  }
}
