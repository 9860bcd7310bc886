/** Pushing a box somewhere by keyboard: pick a box, move a frame to its square, push it there. */

import { numbersOf } from "./outline.js";
import { t } from "../strings/index.js";

/** @typedef {import("./pointer.js").Pointer} Pointer */
/** @typedef {import("../game/session.js").Session} Session */

const OWNER = "keyboard-pick";

export class KeyboardPick {
  /**
   * @param {Pointer} pointer holds the box that is picked
   * @param {Session} session
   * @param {(text: string) => void} announce
   * @param {AbortSignal} signal ends it
   */
  constructor(pointer, session, announce, signal) {
    this._pointer = pointer;
    this._session = session;
    this._announce = announce;
    this._target = -1;
    /** The box picked last, where "next" goes on. */
    this._last = -1;
    // A move, another level, the mouse and leaving the view take the box away.
    const hide = () => this._hide();
    session.addEventListener("change", hide, { signal });
    session.addEventListener("level", hide, { signal });
    session.view.canvas.addEventListener("pointerdown", hide, { signal });
    signal.addEventListener("abort", hide);
  }

  /** Whether the frame is shown: arrows move it, not the player. @returns {boolean} */
  get isActive() {
    return this._target >= 0 && this._pointer.paths !== null;
  }

  /** Picks the next box in reading order; after the last comes the first. */
  next() {
    const boxes = this._session.game.board.boxSquares();
    if (!boxes.length || this._session.game.board.isSolved()) return;
    this._last = boxes.find((square) => square > this._last) ?? boxes[0];
    this._pointer.pick(this._last);
    this._show(this._last);
  }

  /** @param {string} letter */
  move(letter) {
    const { board } = this._session.game;
    const next = board.neighbour(this._target, letter);
    if (next < 0 || board.walls[next]) return this._announce(t("say.blocked"));
    this._show(next);
    const place = t("say.at", numbersOf(board, next));
    const isReached = this._pointer.paths?.reaches(next);
    this._announce(isReached ? place : `${place}, ${t("say.no-path")}`);
  }

  drop() {
    if (!this.isActive) return;
    const target = this._target;
    if (!this._pointer.paths?.reaches(target)) return this._announce(t("say.no-path"));
    this._hide();
    this._pointer.drop(target);
  }

  cancel() {
    this._hide();
    this._pointer.putDown();
  }

  _hide() {
    if (this._target < 0) return;
    this._target = -1;
    this._session.view.centre = null;
    this._session.clearMarks(OWNER);
  }

  /** @param {number} square */
  _show(square) {
    this._target = square;
    // On a board larger than its room the frame stays in sight.
    this._session.view.centre = square;
    this._session.setMarks(OWNER, [{ square, kind: "hint-box" }]);
  }
}
