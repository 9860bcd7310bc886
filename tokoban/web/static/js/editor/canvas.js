/** The drawing surface: pointer and keys draw on a board. */

import { BoardView } from "../board/board_view.js";
import { el } from "../shell/dom.js";
import { t } from "../strings/index.js";
import { boardOf } from "./legality.js";

/**
 * @typedef {import("./draft.js").Draft} Draft
 * @typedef {import("./draft.js").Tool} Tool
 */

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowRight: [0, 1] };

/** @type {Record<string, string>} */
const NAMES = {
  "#": "edit.is-wall",
  " ": "edit.is-floor",
  ".": "edit.is-goal",
  $: "edit.is-box",
  "*": "edit.is-box-on-goal",
  "@": "edit.is-player",
  "+": "edit.is-player-on-goal",
};

export class DrawingCanvas {
  /**
   * @param {Draft} draft
   * @param {{tool: () => Tool, showsNumbers: () => boolean, say: (text: string) => void}} on
   */
  constructor(draft, on) {
    this._draft = draft;
    this._on = on;
    this._room = el("div", { class: "board-frame" });
    this.element = el(
      "div",
      {
        class: "board-room drawing",
        tabindex: "0",
        role: "application",
        "aria-label": t("edit.board"),
        "aria-describedby": "drawing-help",
      },
      this._room,
      el("p", { class: "for-readers", id: "drawing-help" }, t("edit.keys")),
    );
    this._view = new BoardView(this._room, { isStatic: true, isWhole: true });
    this._cursor = 0;
    /** Squares to frame. @type {number[]} */
    this._framed = [];
    this._last = -1;
    this.element.addEventListener("keydown", (event) => this._press(event));
    this.element.addEventListener("focus", () => this.show(this._framed));
    this.element.addEventListener("blur", () => this.show(this._framed));
    const { canvas } = this._view;
    canvas.addEventListener("pointerdown", (event) => this._begin(event));
    canvas.addEventListener("pointermove", (event) => this._move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, () => this._end());
    }
  }

  destroy() {
    this._view.destroy();
  }

  /** Reads the colours of the theme again. */
  resize() {
    this._view.resize();
  }

  /** @param {number[]} framed squares that are wrong */
  show(framed) {
    this._framed = framed;
    const { height, width } = this._draft;
    this._cursor = Math.min(this._cursor, height * width - 1);
    /** @type {import("../board/marks.js").Mark[]} */
    const marks = framed.map((square) => ({ square, kind: "guilty" }));
    if (document.activeElement === this.element) marks.push({ square: this._cursor, kind: "focus" });
    this._view.showsNumbers = this._on.showsNumbers();
    this._view.show(boardOf(this._draft.rows), { marks });
  }

  /** @param {PointerEvent} event */
  _begin(event) {
    const square = this._view.squareAt(event.clientX, event.clientY);
    if (square < 0 || event.button !== 0) return;
    event.preventDefault();
    this.element.focus();
    this._view.canvas.setPointerCapture(event.pointerId);
    this._cursor = this._last = square;
    this._draft.beginStroke(square, this._on.tool());
  }

  /** @param {PointerEvent} event */
  _move(event) {
    if (this._last < 0) return;
    const square = this._view.squareAt(event.clientX, event.clientY);
    if (square < 0 || square === this._last) return;
    this._cursor = this._last = square;
    this._draft.paint(square, this._on.tool());
  }

  _end() {
    if (this._last < 0) return;
    this._last = -1;
    this._draft.endStroke();
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const { width, height } = this._draft;
    const step = STEPS[event.key];
    if (step) {
      const row = Math.floor(this._cursor / width) + step[0];
      const column = (this._cursor % width) + step[1];
      if (row >= 0 && row < height && column >= 0 && column < width) {
        this._cursor = row * width + column;
      }
      this.show(this._framed);
      this._say();
    } else if (event.key === " " || event.key === "Enter") {
      this._draft.beginStroke(this._cursor, this._on.tool());
      this._draft.endStroke();
      this._say();
    } else {
      return;
    }
    event.preventDefault();
  }

  _say() {
    const { width } = this._draft;
    const [row, column] = [Math.floor(this._cursor / width) + 1, (this._cursor % width) + 1];
    const what = t(NAMES[this._draft.letterAt(this._cursor)]);
    this._on.say(t("edit.at", { row, column, what }));
  }
}
