/** Small pictures of boards, many at once. */

import { paintPosition } from "./backdrop.js";
import { outlineOf } from "./outline.js";
import { Sprites } from "./sprites.js";

/** @typedef {import("../rules/board.js").Board} Board */
/** @typedef {import("./palette.js").Palette} Palette */

/** Small levels are not blown up. */
const MAX_CELL = 40;

/** Draws thumbnails of one theme; the pictures of squares are shared. */
export class Thumbnails {
  /** @param {Palette} palette */
  constructor(palette) {
    this._palette = palette;
    /** @type {Map<number, Sprites>} */
    this._sprites = new Map();
    /** Canvases to be used again: the browser is slow to free them. @type {HTMLCanvasElement[]} */
    this._spare = [];
  }

  /** An empty canvas. @param {number} size in CSS pixels @returns {HTMLCanvasElement} */
  takeCanvas(size) {
    const canvas = this._spare.pop() ?? document.createElement("canvas");
    const pixels = Math.round(size * window.devicePixelRatio);
    if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
    canvas.style.width = canvas.style.height = `${size}px`;
    canvas.style.visibility = "hidden"; // until it is painted
    return canvas;
  }

  /** @param {HTMLCanvasElement | null} canvas */
  giveBack(canvas) {
    if (canvas) this._spare.push(canvas);
  }

  /**
   * Draws a board in the middle of a canvas.
   * @param {HTMLCanvasElement} canvas
   * @param {Board} board
   */
  draw(canvas, board) {
    // Small pictures are painted faster where they are than by way of the graphics card.
    const settings = { willReadFrequently: true };
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", settings));
    pen.clearRect(0, 0, canvas.width, canvas.height);
    canvas.style.visibility = "visible";
    const outline = outlineOf(board);
    const { top, bottom, left, right } = outline.range;
    const [width, height] = [right - left, bottom - top];
    const room = Math.min(canvas.width / width, canvas.height / height, MAX_CELL);
    const cell = Math.max(1, Math.floor(room));
    // A board of more squares than pixels is made smaller as a whole.
    const scale = Math.min(1, room);
    const sprites = this._sprites.get(cell) ?? new Sprites(cell, this._palette);
    this._sprites.set(cell, sprites);
    pen.save();
    pen.scale(scale, scale);
    pen.translate(
      Math.floor((canvas.width / scale - cell * width) / 2) - cell * left,
      Math.floor((canvas.height / scale - cell * height) / 2) - cell * top,
    );
    paintPosition(pen, board, outline, sprites, "d");
    pen.restore();
  }
}
