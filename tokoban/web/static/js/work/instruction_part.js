/** Solves the position as a sentence says, or answers a question. */

import { outlineOf, wireDrawn } from "../board/outline.js";
import { JobButton } from "../jobs/job_button.js";
import { button, el, inRow, section } from "../shell/dom.js";
import { reasonText } from "../shell/sentences.js";
import { t } from "../strings/index.js";

/** @typedef {import("../game/session.js").Session} Session */

const OWNER = "instruction";

export class InstructionPart {
  /** @param {Session} session @param {AbortSignal} signal */
  constructor(session, signal) {
    this._session = session;
    this._job = new JobButton({
      kind: "obey",
      signal,
      session,
      start: "instruction.start",
      class: "primary",
      statusClass: "",
      begin: () => this._begin(),
      take: (event) => {
        if (event.event === "understood") this._mark(event);
        if (event.event === "answered") this._show(event);
      },
      end: (done) => {
        if (done?.network) this._network.textContent = networkText(done.network);
      },
    });
    const example = t("instruction.example");
    this._text = el("input", {
      type: "text",
      value: example,
      maxlength: 400,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter") this._job.element.click();
      },
    });
    /** The moves played before the position that the sentence speaks of. */
    this._played = "";
    /** The moves of the solution. @type {string | null} */
    this._moves = null;
    this._understood = el("p", { class: "soft" });
    this._answer = el("p", { class: "answer" });
    this._network = el("p", { class: "soft" });
    this._put = button({ label: t("work.show"), run: () => this._takeOver() });
    this.element = section(
      t("instruction.title"),
      el("label", { class: "stack" }, t("instruction.say"), this._text),
      inRow(this._job.element, this._put),
      this._job.status,
      el(
        "div",
        { class: "stack", "aria-live": "polite" },
        ...[this._understood, this._answer, this._network],
      ),
    );
    session.addEventListener("level", () => this._clear(), { signal });
    session.addEventListener("change", () => session.clearMarks(OWNER), { signal });
    signal.addEventListener("abort", () => session.clearMarks(OWNER));
    this._clear();
  }

  _clear() {
    this._job.stop();
    this._moves = null;
    this._put.hidden = true;
    for (const line of [this._understood, this._answer, this._network]) line.textContent = "";
    this._session.clearMarks(OWNER);
  }

  _begin() {
    const { level, game } = this._session;
    this._clear();
    this._played = game.played;
    return level && { board: wireDrawn(game.board), text: this._text.value };
  }

  /** @param {any} event */
  _mark({ sentence, names }) {
    this._understood.textContent = t("instruction.understood", { sentence });
    const { board } = this._session.game;
    const { top, left } = outlineOf(board).range;
    /** @param {number[][]} squares @param {any} mark @returns {import("../board/marks.js").Mark[]} */
    const marked = (squares, mark) =>
      squares.map(([row, column]) => ({ square: board.at([row + top, column + left]), ...mark }));
    this._session.setMarks(OWNER, [
      ...marked(names.boxes, { kind: "hint-box" }),
      ...marked(names.places, { kind: "heat", weight: 0.5 }),
    ]);
  }

  /** @param {any} exact */
  _show(exact) {
    this._answer.textContent = answerText(exact);
    this._moves = exact.moves ?? null;
    this._put.hidden = this._moves === null;
  }

  _takeOver() {
    this._session.showSolution(this._played + this._moves, this._played.length);
  }
}

/** @param {any} network @returns {string} */
function networkText({ answer, num_pushes: pushes, impossible }) {
  if (answer !== undefined) return t("instruction.network-answer", { answer });
  const percent = Math.round(100 * impossible);
  if (pushes === null) return t("instruction.network-none", { percent });
  return t("instruction.network-solved", { pushes, percent });
}

/** @param {any} exact @returns {string} */
function answerText({ answer, status, num_moves: moves, num_pushes: pushes, reason }) {
  if (answer !== undefined) return t("instruction.answer", { answer });
  if (status === "solved") return t("instruction.solved", { moves, pushes });
  if (status === "unsolvable") return t("instruction.impossible");
  return t("instruction.too-large", { reason: reasonText(reason) });
}
