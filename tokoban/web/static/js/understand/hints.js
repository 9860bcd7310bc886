/** Hints in grades: the box, then its destination, then the push; and then the push is made. */

import { numbersOf } from "../board/outline.js";
import { LatestJob, wireBoard } from "../jobs/latest_job.js";
import { advance, countPushes } from "../rules/board.js";
import { walkTo } from "../rules/walk.js";
import { reasonText, sentenceOf } from "../shell/sentences.js";
import { t } from "../strings/index.js";

/** @typedef {import("../game/session.js").Session} Session */
/** @typedef {import("../rules/board.js").Board} Board */

const OWNER = "hint";
export const MOST = 3;

/** Sends "change" when there is something else to show. */
export class Hints extends EventTarget {
  /**
   * @param {Session} session
   * @param {AbortSignal} signal
   * @param {() => (string | undefined)[]} [known] solutions of the level, the better first
   */
  constructor(session, signal, known = () => []) {
    super();
    this._session = session;
    this._known = known;
    this._job = new LatestJob({
      signal,
      fail: (error) => {
        this.text = sentenceOf(error);
        this._tell();
      },
    });
    /** @type {any} the answer, of the job or of a known solution, for the position as it is */
    this._found = null;
    /** How much of the hint is shown: 0 to 3. */
    this.grade = 0;
    /** What is said about it. */
    this.text = "";
    session.addEventListener("level", () => this._forget(), { signal });
    session.addEventListener("change", () => this._forget(), { signal });
    signal.addEventListener("abort", () => session.clearMarks(OWNER));
  }

  /** Shows one grade more; after the last one the push is made, not by the player. */
  async more() {
    const { game, level } = this._session;
    if (!level || game.board.isSolved() || this._job.isRunning) return;
    if (this.grade === MOST) {
      game.play(this._found.moves, false);
      return;
    }
    if (!this._found && !(await this._ask())) return;
    if (this._found.box) {
      this.grade += 1;
      this._show();
    }
    this._tell();
  }

  /** @returns {Promise<boolean>} whether there is an answer */
  async _ask() {
    const { start, board } = this._session.game;
    for (const solution of this._known()) {
      this._found ??= solution === undefined ? null : hintOf(start, solution, board);
    }
    if (this._found) return true;
    const asking = this._job.run("hint", { board: wireBoard(board) });
    this.text = t("hint.searching");
    this._tell();
    const found = await asking;
    if (!found) return false; // another position is asked about, or it failed
    this._found = found;
    const { box, status, reason } = this._found;
    if (!box) {
      this.text =
        status === "unsolvable" ? t("hint.lost") : t("hint.none", { reason: reasonText(reason) });
    }
    return true;
  }

  _show() {
    const { board } = this._session.game;
    const { box, destination, push, pushes_left: left } = this._found;
    const from = board.at(box);
    const to = numbersOf(board, board.at(destination));
    const values = { ...numbersOf(board, from), toRow: to.row, toColumn: to.column };
    /** @type {import("../board/marks.js").Mark[]} */
    const marks = [{ square: from, kind: "hint-box" }];
    if (this.grade > 1) marks.push({ square: board.at(destination), kind: "shadow" });
    if (this.grade > 2) {
      marks.push({ from, to: board.neighbour(from, push), kind: "arrow", weight: 1 });
    }
    this._session.setMarks(OWNER, marks);
    const direction = t(`play.move-${this._session.view?.seenAs(push) ?? push}`);
    this.text = t(`hint.${this.grade}`, { ...values, direction, left });
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

/**
 * The hint that a solution gives in a position, as the job answers; null if the solution does not
 * come through it. Where the player stands in its area makes no difference.
 * @param {Board} start of the solution
 * @param {string} solution
 * @param {Board} position
 */
export function hintOf(start, solution, position) {
  /**
   * @type {{box: number[], destination: number[], push: string, moves: string,
   *   pushes_left: number} | null}
   */
  let hint = null;
  // The box of the hint is followed as far as the solution pushes it alone; then -1.
  let [board, followed] = [start, -1];
  for (let at = 0; at < solution.length; at++) {
    const push = solution[at];
    const { board: after, letters } = advance(board, push);
    if (!letters) return null;
    if (push < "a") {
      const box = after.player;
      const to = after.neighbour(box, push.toLowerCase());
      const isHere = board.boxes.every((value, square) => value === position.boxes[square]);
      const walk = isHere ? walkTo(position, board.player) : null;
      if (walk !== null) {
        hint = {
          box: start.place(box),
          destination: start.place(to),
          push: push.toLowerCase(),
          moves: walk + push,
          pushes_left: countPushes(solution.slice(at)),
        };
      } else if (hint && box === followed) hint.destination = start.place(to);
      followed = walk !== null || box === followed ? to : -1;
    }
    board = after;
  }
  return hint;
}
