/** Small pictures of boards, of which only those in sight are painted. */

import { Board } from "../rules/board.js";
import { paintPosition } from "./backdrop.js";
import { outlineOf } from "./outline.js";
import { paletteOf } from "./palette.js";
import { Sprites } from "./sprites.js";

/** In CSS pixels. */
const SIZE = 136;
/** Small levels are not blown up. */
const MAX_CELL = 40;
/** Pictures so far beyond the edges are painted already, so that scrolling shows no gaps. */
const MARGIN = "440px";

export class Thumbnails {
  /**
   * @param {HTMLElement} scroller has the scroll bar and the colours
   * @param {AbortSignal} signal ends it
   */
  constructor(scroller, signal) {
    this._scroller = scroller;
    /** By the size of a square; the pictures of squares are shared. @type {Map<number, Sprites>} */
    this._sprites = new Map();
    /** @type {WeakMap<Element, readonly string[]>} */
    this._rows = new WeakMap();
    /** @type {Set<HTMLCanvasElement>} */
    this._inSight = new Set();
    this._observer = new IntersectionObserver((entries) => entries.forEach((one) => this._look(one)), {
      root: scroller,
      rootMargin: MARGIN,
    });
    signal.addEventListener("abort", () => this.clear());
  }

  /** The picture of a board. @param {readonly string[]} rows @returns {HTMLCanvasElement} */
  of(rows) {
    const canvas = document.createElement("canvas");
    canvas.className = "thumbnail";
    canvas.width = 0; // until it is painted
    this._rows.set(canvas, rows);
    this._observer.observe(canvas);
    return canvas;
  }

  /** Paints what is in sight anew, in other colours. */
  repaint() {
    this._sprites.clear();
    for (const canvas of this._inSight) this._paint(canvas);
  }

  /** Forgets all pictures. */
  clear() {
    this._observer.disconnect();
    this._inSight.clear();
  }

  /** @param {IntersectionObserverEntry} entry */
  _look({ target, isIntersecting }) {
    const canvas = /** @type {HTMLCanvasElement} */ (target);
    if (isIntersecting) {
      this._inSight.add(canvas);
      // Each in a task of its own, so that no frame becomes long.
      setTimeout(() => this._inSight.has(canvas) && this._paint(canvas));
    } else {
      this._inSight.delete(canvas);
      canvas.width = 0; // gives its memory back
    }
  }

  /** Draws a board in the middle of its canvas. @param {HTMLCanvasElement} canvas */
  _paint(canvas) {
    canvas.width = canvas.height = Math.round(SIZE * window.devicePixelRatio);
    // Small pictures are painted faster where they are than by way of the graphics card.
    const settings = { willReadFrequently: true };
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", settings));
    const board = Board.fromRows(this._rows.get(canvas) ?? []);
    const outline = outlineOf(board);
    const { top, bottom, left, right } = outline.range;
    const [width, height] = [right - left, bottom - top];
    const room = Math.min(canvas.width / width, canvas.height / height, MAX_CELL);
    const cell = Math.max(1, Math.floor(room));
    // A board of more squares than pixels is made smaller as a whole.
    const scale = Math.min(1, room);
    const sprites = this._sprites.get(cell) ?? new Sprites(cell, paletteOf(this._scroller));
    this._sprites.set(cell, sprites);
    pen.scale(scale, scale);
    pen.translate(
      Math.floor((canvas.width / scale - cell * width) / 2) - cell * left,
      Math.floor((canvas.height / scale - cell * height) / 2) - cell * top,
    );
    paintPosition(pen, board, outline, sprites, "d");
  }
}
