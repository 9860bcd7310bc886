/** A grid of cells to draw in: by mouse, touch or keyboard. */

import { goByKey } from "../../attention/tokens.js";
import { el } from "../../shell/dom.js";
import { lineTo } from "../../shell/strokes.js";

/**
 * @typedef {object} GridOptions
 * @property {number} height
 * @property {number} width
 * @property {string} label the grid's name
 * @property {(cell: number) => string} nameOf a cell with its place and state, for screen readers
 * @property {(cell: number) => string} classOf the class of a cell's state
 * @property {(cell: number, isFirst: boolean) => void} paint draws in a cell; `isFirst`: a stroke begins
 */

export class GridEditor {
  /** @param {GridOptions} options */
  constructor(options) {
    this._options = options;
    const { height, width, label } = options;
    this._cells = Array.from({ length: height * width }, (_, cell) =>
      el("button", { type: "button", tabindex: cell ? "-1" : "0", "data-cell": cell }),
    );
    const rows = Array.from({ length: height }, (_, row) =>
      el("div", { class: "lab-row", role: "group" }, ...this._cells.slice(row * width, (row + 1) * width)),
    );
    this.element = el("div", { class: "lab-grid", role: "group", "aria-label": label, "data-own-keys": true }, ...rows);
    this.element.style.setProperty("--columns", String(width));
    this._isDrawing = false;
    this._last = -1;
    this._listen();
    this.refresh();
  }

  /** Shows the cells as they are now. */
  refresh() {
    const { classOf, nameOf } = this._options;
    this._cells.forEach((element, cell) => {
      element.className = `lab-cell ${classOf(cell)}`;
      element.setAttribute("aria-label", nameOf(cell));
    });
  }

  _listen() {
    const grid = this.element;
    const cellOf = (/** @type {Element | null} */ element) =>
      this._cells.indexOf(/** @type {HTMLButtonElement} */ (element?.closest(".lab-cell")));
    const placeOf = (/** @type {number} */ cell) => {
      const { width } = this._options;
      return /** @type {[number, number]} */ ([Math.floor(cell / width), cell % width]);
    };
    grid.addEventListener("pointerdown", (event) => {
      const cell = cellOf(/** @type {Element} */ (event.target));
      if (cell < 0 || event.button !== 0) return;
      this._isDrawing = true;
      this._last = cell;
      // A pointer that is captured would be over its first cell all the time.
      grid.setPointerCapture(event.pointerId);
      this._cells[cell].focus();
      this._options.paint(cell, true);
      event.preventDefault();
    });
    grid.addEventListener("pointermove", (event) => {
      if (!this._isDrawing) return;
      const cell = cellOf(document.elementFromPoint(event.clientX, event.clientY));
      if (cell < 0 || cell === this._last) return;
      for (const [row, column] of lineTo(placeOf(this._last), placeOf(cell))) {
        this._options.paint(row * this._options.width + column, false);
      }
      this._last = cell;
    });
    for (const kind of ["pointerup", "pointercancel"]) {
      grid.addEventListener(kind, () => {
        this._isDrawing = false;
      });
    }
    // Enter, the space bar and screen readers click without a pointer.
    grid.addEventListener("click", (event) => {
      const cell = cellOf(/** @type {Element} */ (event.target));
      if (cell >= 0 && event.detail === 0) this._options.paint(cell, true);
    });
    grid.addEventListener("keydown", (event) => goByKey(event, this._cells));
    // Tab comes back to the cell that was left.
    grid.addEventListener("focusin", ({ target }) => {
      for (const cell of this._cells) cell.tabIndex = cell === target ? 0 : -1;
    });
  }
}
