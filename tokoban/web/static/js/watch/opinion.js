/** The policy's estimate for the position on the board: arrows by probability, and a sentence. */

import { LatestJob, wireBoard } from "../jobs/latest_job.js";
import { el, labelled, section } from "../shell/dom.js";
import { sentenceOf } from "../shell/sentences.js";
import { t } from "../strings/index.js";

/** @typedef {import("../game/session.js").Session} Session */

const OWNER = "opinion";
/** Less probable pushes are left out: an arrow for each would hide the board. */
const LEAST_SHOWN = 0.01;

export class OpinionPart {
  /** @param {Session} session @param {AbortSignal} signal */
  constructor(session, signal) {
    this._session = session;
    this._job = new LatestJob({
      signal,
      fail: (error) => (this._text.textContent = sentenceOf(error)),
    });
    this._box = el("input", { type: "checkbox", onchange: () => this._ask() });
    this._text = el("p", { class: "soft", "aria-live": "polite" });
    this.element = section(
      t("opinion.title"),
      labelled(t("opinion.arrows"), this._box),
      this._text,
    );
    session.addEventListener("level", () => this._ask(), { signal });
    session.addEventListener("change", () => this._ask(), { signal });
    signal.addEventListener("abort", () => session.clearMarks(OWNER));
  }

  toggle() {
    this._box.checked = !this._box.checked;
    this._ask();
  }

  async _ask() {
    this._job.stop();
    this._session.clearMarks(OWNER);
    const { board } = this._session.game;
    if (!this._box.checked || !this._session.level || board.isSolved()) {
      this._text.textContent = "";
      return;
    }
    this._text.textContent ||= t("opinion.loading");
    const found = await this._job.run("predict", { board: wireBoard(board) });
    if (found) this._show(found);
  }

  /** @param {any} found */
  _show({ pushes, pushes_left: left, deadlocked }) {
    const { board } = this._session.game;
    const shown = pushes.filter(
      (/** @type {any} */ { probability }, /** @type {number} */ index) =>
        index === 0 || probability >= LEAST_SHOWN,
    );
    const marks = shown.map((/** @type {any} */ { box, direction, probability }) => ({
      from: board.at(box),
      to: board.neighbour(board.at(box), direction),
      kind: "arrow",
      weight: probability,
      label: `${Math.round(100 * probability)} %`,
    }));
    this._session.setMarks(OWNER, marks);
    this._text.textContent = opinionText(left, deadlocked);
  }
}

/**
 * What the policy thinks of a position.
 * @param {number | null} left
 * @param {number} deadlocked
 * @returns {string}
 */
export function opinionText(left, deadlocked) {
  if (left === null) return t("opinion.lost");
  const percent = Math.round(100 * deadlocked);
  return t("opinion.text", { left: Math.round(left), percent });
}
