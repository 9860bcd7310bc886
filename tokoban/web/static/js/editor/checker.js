/** Asks the server whether the level that is drawn has a solution. */

import { JobButton } from "../jobs/job_button.js";
import { inRow, inStack } from "../shell/dom.js";
import { reasonText } from "../shell/sentences.js";
import { t } from "../strings/index.js";

const TIME_LIMIT_S = 20;

export class Checker {
  /** @param {import("./draft.js").Draft} draft @param {AbortSignal} signal */
  constructor(draft, signal) {
    this._draft = draft;
    this._job = new JobButton({
      kind: "solve",
      signal,
      start: "edit.check",
      statusClass: "",
      begin: () => {
        this._checked = draft.rows.join("\n");
        return { board: this._checked, minimise: "any", time_limit_s: TIME_LIMIT_S };
      },
      end: (done) => done && this._take(done),
      refresh: () => (this._job.element.disabled = !this._isLegal && !this._job.isRunning),
    });
    /** A solution of the drawing as it is. @type {string | null} */
    this.solution = null;
    this._checked = "";
    this._isLegal = false;
    this.element = inStack(
      inRow(this._job.element),
      this._job.status,
    );
  }

  /** Forgets what was found of another drawing. @param {boolean} isLegal */
  refresh(isLegal) {
    this._isLegal = isLegal;
    if (this._draft.rows.join("\n") !== this._checked) {
      this._checked = "";
      this.solution = null;
      this._job.stop();
    }
    this._job.refresh();
  }

  /** @param {import("../server.js").JobEvent} done */
  _take({ status, moves, num_pushes: pushes, reason }) {
    this.solution = moves ?? null;
    let text = t("work.unsolvable");
    if (status === "solved") text = t("edit.solvable", { pushes: pushes ?? 0 });
    if (status === "gave up") text = t("work.gave-up", { reason: reasonText(reason) });
    this._job.status.textContent = text;
  }
}
