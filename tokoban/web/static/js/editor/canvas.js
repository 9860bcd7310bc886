/** The drawing surface and its tools: pointer and keys draw on a board. */

import { BoardView } from "../board/board_view.js";
import { button, el } from "../shell/dom.js";
import { squareText } from "../shell/sentences.js";
import { lineTo } from "../shell/strokes.js";
import { t } from "../strings/index.js";
import { TOOLS } from "./draft.js";

/**
 * @typedef {import("./draft.js").Draft} Draft
 * @typedef {import("./draft.js").Tool} Tool
 */

/** @type {Record<string, string>} */
const STEPS = { ArrowUp: "u", ArrowLeft: "l", ArrowDown: "d", ArrowRight: "r" };

export class DrawingCanvas {
  /**
   * @param {Draft} draft
   * @param {import("../shell/app.js").App} app
   * @param {AbortSignal} signal ends it
   */
  constructor(draft, app, signal) {
    this._draft = draft;
    this._app = app;
    /** @type {Tool} */
    this._tool = TOOLS[0];
    this._tools = TOOLS.map((name) =>
      button({ label: t(`edit.tool-${name}`), class: "tool", run: () => this._choose(name) }),
    );
    this._undo = button({ label: t("play.undo"), icon: "undo", run: () => draft.undo() });
    this._redo = button({ label: t("play.redo"), icon: "redo", run: () => draft.redo() });
    this.toolbar = el("div", { class: "row toolbar" }, ...this._tools, this._undo, this._redo);
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
    this._listen(signal);
    this._choose(this._tool);
  }

  /** @param {number[]} framed squares that are wrong */
  show(framed) {
    this._framed = framed;
    const { board, canUndo, canRedo } = this._draft;
    this._cursor = Math.min(this._cursor, board.walls.length - 1);
    /** @type {import("../board/marks.js").Mark[]} */
    const marks = framed.map((square) => ({ square, kind: "guilty" }));
    if (document.activeElement === this.element) marks.push({ square: this._cursor, kind: "focus" });
    this._view.showsNumbers = this._app.settings.get("showsNumbers");
    this._view.show(board, { marks });
    this._undo.disabled = !canUndo;
    this._redo.disabled = !canRedo;
  }

  /** @param {AbortSignal} signal */
  _listen(signal) {
    const { _app: app, _draft: draft } = this;
    const actions = [
      ...TOOLS.map((name, index) => {
        const run = () => this._choose(name);
        return { id: `tool-${name}`, titleKey: `edit.tool-${name}`, keys: [`${index + 1}`], run };
      }),
      { id: "draw-undo", titleKey: "play.undo", keys: ["u", "Ctrl+z"], run: () => draft.undo() },
      { id: "draw-redo", titleKey: "play.redo", keys: ["y", "Ctrl+y"], run: () => draft.redo() },
    ];
    app.keys.add(actions, signal);
    signal.addEventListener("abort", () => this._view.destroy());
    app.addEventListener("theme", () => this._view.resize(), { signal });
    app.settings.addEventListener("change", () => this.show(this._framed), { signal });
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

  /** @param {Tool} chosen */
  _choose(chosen) {
    this._tool = chosen;
    TOOLS.forEach((name, index) => {
      this._tools[index].setAttribute("aria-pressed", String(name === chosen));
    });
  }

  /** @param {PointerEvent} event */
  _begin(event) {
    const square = this._view.squareAt(event.clientX, event.clientY);
    // A second finger would begin another stroke within the first.
    if (square < 0 || event.button !== 0 || this._last >= 0) return;
    event.preventDefault();
    this.element.focus();
    this._view.canvas.setPointerCapture(event.pointerId);
    this._cursor = this._last = square;
    this._draft.beginStroke(square, this._tool);
  }

  /** @param {PointerEvent} event */
  _move(event) {
    if (this._last < 0) return;
    const square = this._view.squareAt(event.clientX, event.clientY);
    if (square < 0 || square === this._last) return;
    const { board } = this._draft;
    for (const place of lineTo(board.place(this._last), board.place(square))) {
      this._draft.paint(board.at(place), this._tool);
    }
    this._cursor = this._last = square;
  }

  _end() {
    if (this._last < 0) return;
    this._last = -1;
    this._draft.endStroke();
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    if (event.key in STEPS) {
      const next = this._draft.board.neighbour(this._cursor, STEPS[event.key]);
      if (next >= 0) this._cursor = next;
      this.show(this._framed);
    } else if (event.key === " " || event.key === "Enter") {
      this._draft.beginStroke(this._cursor, this._tool);
      this._draft.endStroke();
    } else {
      return;
    }
    this._say();
    event.preventDefault();
  }

  _say() {
    const { board } = this._draft;
    const [row, column] = board.place(this._cursor);
    const at = t("say.at", { row: row + 1, column: column + 1 });
    this._app.announce(`${at}: ${squareText(board.letterAt(this._cursor))}`);
  }
}
