/** Hints in grades: the box, then its destination, then the push; and then the push is made. */

import { numbersOf } from "../board/outline.js";
import { OFFSETS } from "../rules/board.js";
import { sentenceOf } from "../shell/sentences.js";
import { t } from "../strings/index.js";
import { Latest, wireBoard } from "./latest.js";

/** @typedef {import("../game/session.js").Session} Session */

const OWNER = "hint";
export const MOST = 3;

/** Sends "change" when there is something else to show. */
export class Hints extends EventTarget {
  /** @param {Session} session */
  constructor(session) {
    super();
    this._session = session;
    this._job = new Latest();
    /** @type {any} the answer of the job, for the position as it is */
    this._found = null;
    /** How much of the hint is shown: 0 to 3. */
    this.grade = 0;
    /** What is said about it. */
    this.text = "";
    this._abort = new AbortController();
    const { signal } = this._abort;
    session.addEventListener("level", () => this._forget(), { signal });
    session.addEventListener("change", () => this._forget(), { signal });
  }

  get isSearching() {
    return this._job.isRunning;
  }

  /** Shows one grade more; after the last one the push is made. */
  async more() {
    const { game, level } = this._session;
    if (!level || game.board.isSolved() || this._job.isRunning) return;
    if (this.grade === MOST) {
      game.play(this._found.moves);
      return;
    }
    if (!this._found && !(await this._ask())) return;
    if (this._found.box) {
      this.grade += 1;
      this._show();
    }
    this._tell();
  }

  destroy() {
    this._abort.abort();
    this._job.stop();
    this._session.clearMarks(OWNER);
  }

  /** @returns {Promise<boolean>} whether there is an answer */
  async _ask() {
    const asking = this._job.run("hint", { board: wireBoard(this._session.game.board) });
    this.text = t("hint.searching");
    this._tell();
    try {
      const found = await asking;
      if (!found) return false; // another position is asked about
      this._found = found;
    } catch (error) {
      this.text = sentenceOf(error);
      this._tell();
      return false;
    }
    if (!this._found.box) {
      this.text = t(this._found.status === "unsolvable" ? "hint.lost" : "hint.none");
    }
    return true;
  }

  _show() {
    const { board } = this._session.game;
    const { box, destination, push, pushes_left: left } = this._found;
    const at = (/** @type {[number, number]} */ [row, column]) => row * board.width + column;
    const [row, column] = box;
    const to = numbersOf(board, at(destination));
    const values = { ...numbersOf(board, at(box)), toRow: to.row, toColumn: to.column };
    /** @type {import("../board/marks.js").Mark[]} */
    const marks = [{ square: at(box), kind: "hint-box" }];
    if (this.grade > 1) marks.push({ square: at(destination), kind: "shadow" });
    if (this.grade > 2) {
      const [rows, columns] = OFFSETS[push];
      const ahead = at([row + rows, column + columns]);
      marks.push({ from: at(box), to: ahead, kind: "arrow", weight: 1 });
    }
    this._session.setMarks(OWNER, marks);
    this.text = t(`hint.${this.grade}`, { ...values, direction: t(`play.move-${push}`), left });
  }

  _forget() {
    this._job.stop();
    this._found = null;
    this.grade = 0;
    this.text = "";
    this._session.clearMarks(OWNER);
    this._tell();
  }

  _tell() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}
