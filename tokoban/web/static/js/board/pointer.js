/**
 * Mouse and touch on the board: click to walk, click or drag a box, swipe to move, two fingers to
 * zoom and to move the board, the wheel to move it.
 *
 * A box that is picked shows the squares it can reach; a click on one of them, or a drop, pushes it
 * there. A second click on the box, or anywhere else, puts it down. A click on the player shows where
 * it can walk.
 */

import { BoxPaths } from "../rules/box_paths.js";
import { deadSquares } from "../rules/deadlocks.js";
import { reachedFrom, walkTo } from "../rules/walk.js";

/** @typedef {import("./board_view.js").BoardView} BoardView */
/** @typedef {import("../game/session.js").Session} Session */

/** A click that moves this many CSS pixels is a drag. */
const DRAG_PX = 8;
/** One step of the wheel, where a mouse counts in lines. */
const LINE_PX = 40;
/** Two fingers zoom in steps of this factor, since each step draws all squares anew. */
const PINCH_STEP = 1.08;
const OWNER = "pointer";

export class Pointer {
  /**
   * @param {BoardView} view
   * @param {Session} session
   * @param {{optimal: () => "pushes" | "moves", avoidsDead: () => boolean,
   *   onPick: (square: number, count: number) => void, onWalks: (count: number) => void}} options
   * @param {AbortSignal} signal ends it
   */
  constructor(view, session, options, signal) {
    this._view = view;
    this._session = session;
    this._options = options;
    /** The box that is picked, and where it can go. @type {BoxPaths | null} */
    this.paths = null;
    this._showsWalks = false;
    /** @type {{id: number, x: number, y: number, square: number, isDrag: boolean,
     *   wasPicked: boolean} | null} */
    this._press = null;
    /** The fingers on the board, and where two were when it was zoomed and moved last. */
    this._fingers = /** @type {Map<number, {x: number, y: number}>} */ (new Map());
    this._zoomed = this._panned = { x: 0, y: 0, apart: 1 };
    // The room around the board counts, too: a thumb swipes where it does not cover the board.
    const { container } = view;
    container.addEventListener("pointerdown", (event) => this._down(event), { signal });
    container.addEventListener("pointermove", (event) => this._move(event), { signal });
    container.addEventListener("pointerup", (event) => this._up(event), { signal });
    container.addEventListener("pointercancel", (event) => this._cancel(event), { signal });
    container.addEventListener("wheel", (event) => this._wheel(event), { signal });
    session.addEventListener("change", () => this.putDown(), { signal });
    session.addEventListener("level", () => this.putDown(), { signal });
    signal.addEventListener("abort", () => session.clearMarks(OWNER));
  }

  /** Forgets the box that is picked, and hides where the player can walk. */
  putDown() {
    this.paths = null;
    this._showsWalks = false;
    this._session.clearMarks(OWNER);
  }

  /** Shows where the player can walk, or hides it again. */
  toggleWalks() {
    const { board } = this._session.game;
    const wasShown = this._showsWalks;
    this.putDown();
    if (wasShown || board.isSolved()) return;
    this._showsWalks = true;
    const reached = reachedFrom(board, [board.player], (square) => board.isFree(square));
    reached.delete(board.player);
    this._session.setMarks(OWNER, [...reached].map((square) => ({ square, kind: "reachable" })));
    this._options.onWalks(reached.size);
  }

  /** @param {number} square of a box */
  pick(square) {
    const { board } = this._session.game;
    if (board.isSolved()) return;
    this.putDown();
    this.paths = new BoxPaths(board, square, this._options.optimal());
    const reachable = this.paths.squares();
    const dead = this._options.avoidsDead() ? deadSquares(board) : [];
    this._session.setMarks(OWNER, [
      { square, kind: "focus" },
      ...reachable.map(
        (target) => /** @type {const} */ ({ square: target, kind: dead[target] ? "dead" : "reachable" }),
      ),
    ]);
    this._options.onPick(square, reachable.length);
  }

  /**
   * Pushes the picked box to a square, if it can go there.
   * @param {number} square
   * @returns {boolean}
   */
  drop(square) {
    const moves = this.paths?.reaches(square) ? this.paths.movesTo(square) : null;
    this.putDown();
    if (moves) this._session.game.play(moves);
    return Boolean(moves);
  }

  /** @param {PointerEvent} event */
  _down(event) {
    if (event.pointerType === "touch") {
      this._fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (this._fingers.size === 2) {
        this._release();
        this._view.container.setPointerCapture(event.pointerId);
        this._zoomed = this._panned = this._between();
      }
      if (this._fingers.size > 1) return;
    }
    if (event.button !== 0 || this._press) return;
    const square = this._view.squareAt(event.clientX, event.clientY);
    if (!this._view.board) return;
    this._view.container.setPointerCapture(event.pointerId);
    const wasPicked = this.paths?.box === square;
    this._press = {
      id: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      square,
      isDrag: false,
      wasPicked,
    };
    if (this._session.game.board.boxes[square] && !wasPicked) this.pick(square);
  }

  /** @param {PointerEvent} event */
  _move(event) {
    if (this._fingers.has(event.pointerId)) {
      this._fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (this._fingers.size === 2) return this._pinch();
    }
    const press = this._press;
    if (!press || press.id !== event.pointerId) return;
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (Math.hypot(dx, dy) > DRAG_PX) press.isDrag = true;
    if (!press.isDrag) return;
    if (this.paths?.box === press.square) {
      this._view.dragged = { square: press.square, x: event.clientX, y: event.clientY };
      if (!this._view.isMoving) this._view.draw();
      return;
    }
    // A swipe: one move for each square's length, so that a long one walks on.
    const length = Math.max(24, this._view.rectOf(press.square).size);
    if (Math.max(Math.abs(dx), Math.abs(dy)) < length) return;
    const letter = Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "r" : "l") : dy > 0 ? "d" : "u";
    [press.x, press.y] = [event.clientX, event.clientY];
    this._session.game.play(this._view.directionOf(letter));
  }

  /** The middle of two fingers, and how far apart they are. */
  _between() {
    const [one, other] = [...this._fingers.values()];
    const apart = Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, apart };
  }

  /** A wheel moves a board that does not fit, with Shift sideways. @param {WheelEvent} event */
  _wheel(event) {
    if (event.ctrlKey) return; // the browser zooms
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    const isSideways = event.shiftKey && !x;
    const isPanned = isSideways ? this._view.panBy(-y, 0) : this._view.panBy(-x, -y);
    if (isPanned) event.preventDefault();
  }

  /** Two fingers move the board and zoom. */
  _pinch() {
    const now = this._between();
    this._view.panBy(now.x - this._panned.x, now.y - this._panned.y);
    this._panned = now;
    const factor = now.apart / this._zoomed.apart;
    if (Math.max(factor, 1 / factor) < PINCH_STEP) return;
    this._zoomed = now;
    this._view.zoomBy(factor);
  }

  /** @param {PointerEvent} event */
  _up(event) {
    this._fingers.delete(event.pointerId);
    const press = this._press;
    if (!press || press.id !== event.pointerId) return;
    this._press = null;
    const square = this._view.squareAt(event.clientX, event.clientY);
    if (this._view.dragged) {
      this._view.dragged = null;
      if (!this.drop(square)) this._view.draw();
    } else if (!press.isDrag) {
      this._click(square, press.wasPicked);
    }
  }

  /** @param {PointerEvent} event */
  _cancel(event) {
    this._fingers.delete(event.pointerId);
    this._release();
  }

  /** Ends a click or a drag without effect. */
  _release() {
    this._press = null;
    this._view.dragged = null;
    this.putDown();
    this._view.draw();
  }

  /** @param {number} square @param {boolean} wasPicked */
  _click(square, wasPicked) {
    const { board } = this._session.game;
    if (square < 0) return;
    if (board.boxes[square]) {
      if (wasPicked) this.putDown();
      return;
    }
    if (this.paths) {
      this.drop(square);
      return;
    }
    if (square === board.player) return this.toggleWalks();
    const walk = walkTo(board, square);
    if (walk) this._session.game.play(walk);
  }
}
