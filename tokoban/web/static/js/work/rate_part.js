/** How hard the level is, in figures. */

import { button, el } from "../shell/dom.js";
import { relabel } from "../shell/relabel.js";
import { sentenceOf } from "../shell/sentences.js";
import { number, t } from "../strings/index.js";
import { Latest, wireBoard } from "../understand/latest.js";

/** @typedef {import("../game/session.js").Session} Session */

export class RatePart {
  /** @param {Session} session */
  constructor(session) {
    this._session = session;
    this._job = new Latest((text) => (this._status.textContent = text));
    this._status = el("p", { class: "soft", role: "status" });
    this._table = el("dl", { class: "figures", hidden: true });
    this._start = button({ label: t("work.rate-start"), run: () => this._toggle() });
    this.element = el(
      "section",
      { class: "stack" },
      el("h3", {}, t("work.rate")),
      el("div", { class: "row" }, this._start),
      this._status,
      this._table,
    );
    this._abort = new AbortController();
    session.addEventListener("level", () => this._clear(), { signal: this._abort.signal });
  }

  destroy() {
    this._abort.abort();
    this._job.stop();
  }

  _clear() {
    this._job.stop();
    this._status.textContent = "";
    this._table.hidden = true;
    relabel(this._start, t("work.rate-start"));
  }

  async _toggle() {
    if (this._job.isRunning) {
      this._clear();
      this._status.textContent = t("work.cancelled");
      return;
    }
    if (!this._session.level) return;
    this._clear();
    const running = this._job.run("rate", { board: wireBoard(this._session.game.start) });
    relabel(this._start, t("work.cancel"));
    try {
      const rating = await running;
      if (!rating) return;
      this._status.textContent = rating.status === "solved" ? "" : t(`work.rated-${rating.status}`);
      this._session.setBounds({ moves: provedOf(rating.moves), pushes: provedOf(rating.pushes) });
      this._show(rating);
    } catch (error) {
      this._status.textContent = sentenceOf(error);
    }
    relabel(this._start, t("work.rate-start"));
  }

  /** @param {any} rating */
  _show({ floor, boxes, moves, pushes, along_solution: along, anywhere, positions }) {
    /** @type {[string, string | null][]} */
    const rows = [
      ["work.rate-boxes", number(boxes)],
      ["work.rate-floor", number(floor)],
      ["work.rate-pushes", bestText(pushes)],
      ["work.rate-moves", bestText(moves)],
      ["work.rate-branching", along && number(Math.round(10 * along.branching) / 10)],
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

/** @param {{value: number, is_proved: boolean} | null} best @returns {string | null} */
function bestText(best) {
  if (!best) return null;
  return best.is_proved ? number(best.value) : t("work.at-most", { value: best.value });
}

/** @param {{value: number, is_proved: boolean} | null} best @returns {number | null} */
function provedOf(best) {
  return best?.is_proved ? best.value : null;
}

/** @param {{losing_share: number, is_at_least: boolean}} choices */
function shareText({ losing_share: share, is_at_least: isAtLeast }) {
  const percent = Math.round(100 * share);
  return t(isAtLeast ? "work.percent-at-least" : "work.percent", { percent });
}
