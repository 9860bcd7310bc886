/** How hard the level is, in figures. */

import { JobButton } from "../jobs/job_button.js";
import { wireBoard } from "../jobs/latest_job.js";
import { el, inRow, section } from "../shell/dom.js";
import { number, t } from "../strings/index.js";

/** @typedef {import("../game/session.js").Session} Session */

export class RatePart {
  /** @param {Session} session @param {AbortSignal} signal */
  constructor(session, signal) {
    this._session = session;
    this._job = new JobButton({
      kind: "rate",
      signal,
      session,
      start: "work.rate-start",
      begin: () => {
        this._clear();
        return session.level && { board: wireBoard(session.game.start) };
      },
      end: (rating) => rating && this._show(rating),
    });
    this._table = el("dl", { class: "figures" });
    this.element = section(
      t("work.rate"),
      inRow(this._job.element),
      this._job.status,
      this._table,
    );
    session.addEventListener("level", () => this._clear(), { signal });
    this._clear();
  }

  _clear() {
    this._job.stop();
    this._table.hidden = true;
  }

  /** @param {any} rating */
  _show(rating) {
    const { status, floor, boxes, along_solution: along, anywhere, positions } = rating;
    const { at_least_moves: moves, at_least_pushes: pushes } = rating;
    this._job.status.textContent = status === "solved" ? "" : t(`work.rated-${status}`);
    this._session.setBounds({ moves, pushes });
    /** @type {[string, string | null][]} */
    const rows = [
      ["work.rate-boxes", number(boxes)],
      ["work.rate-floor", number(floor)],
      ["work.rate-pushes", bestText(rating.pushes, pushes)],
      ["work.rate-moves", bestText(rating.moves, moves)],
      ["work.rate-branching", along && number(along.branching, 1)],
      ["work.rate-losing", along && shareText(along)],
      ["work.rate-positions", positions === null ? null : number(positions)],
      ["work.rate-losing-anywhere", anywhere && shareText(anywhere)],
    ];
    const known = rows.filter(([, value]) => value !== null && value !== undefined);
    this._table.replaceChildren(
      ...known.flatMap(([key, value]) => [el("dt", {}, t(key)), el("dd", {}, value)]),
    );
    this._table.hidden = false;
  }
}

/** @param {number | null} best @param {number | null} least proved @returns {string | null} */
function bestText(best, least) {
  if (best === null) return least ? t("work.at-least", { value: least }) : null;
  return best === least ? number(best) : t("work.at-most", { value: best });
}

/** @param {{losing_share: number, is_at_least: boolean}} choices */
function shareText({ losing_share: share, is_at_least: isAtLeast }) {
  const percent = Math.round(100 * share);
  return t(isAtLeast ? "work.percent-at-least" : "work.percent", { percent });
}
