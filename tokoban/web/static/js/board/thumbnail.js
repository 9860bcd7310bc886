/** Small pictures of boards, many at once. */

import { paintPosition } from "./backdrop.js";
import { WALL, outlineOf } from "./outline.js";
import { Sprites } from "./sprites.js";

/** @typedef {import("../rules/board.js").Board} Board */
/** @typedef {import("./palette.js").Palette} Palette */

/** Smaller squares, in device pixels, are plain points: a large board has 100,000 of them. */
const MIN_DRAWN = 4;
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
    canvas.className = "thumbnail";
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
    const cell = Math.floor(Math.min(canvas.width / width, canvas.height / height, MAX_CELL));
    if (cell < MIN_DRAWN) return this._drawPoints(pen, board, outline);
    const sprites = this._sprites.get(cell) ?? new Sprites(cell, this._palette);
    this._sprites.set(cell, sprites);
    pen.save();
    pen.translate(
      Math.floor((canvas.width - cell * width) / 2) - cell * left,
      Math.floor((canvas.height - cell * height) / 2) - cell * top,
    );
    paintPosition(pen, board, outline, sprites, "d");
    pen.restore();
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Board} board
   * @param {import("./outline.js").Outline} outline
   */
  _drawPoints(pen, board, { squares }) {
    const points = document.createElement("canvas");
    [points.width, points.height] = [board.width, board.height];
    const point = /** @type {CanvasRenderingContext2D} */ (points.getContext("2d"));
    const { wall, floor, goal, box, player } = this._palette;
    const colours = Object.fromEntries(
      Object.entries({ wall, floor, goal, box, player, done: this._palette["box-done"] }).map(
        ([name, colour]) => [name, rgb(point, colour)],
      ),
    );
    const image = point.createImageData(board.width, board.height);
    for (let square = 0; square < board.walls.length; square++) {
      if (!squares[square]) continue;
      let name = "floor";
      if (squares[square] === WALL) name = "wall";
      else if (board.boxes[square]) name = board.goals[square] ? "done" : "box";
      else if (board.goals[square]) name = "goal";
      if (square === board.player) name = "player";
      image.data.set(colours[name], square * 4);
    }
    point.putImageData(image, 0, 0);
    const scale = Math.min(pen.canvas.width / board.width, pen.canvas.height / board.height);
    const [width, height] = [board.width * scale, board.height * scale];
    pen.imageSmoothingEnabled = scale < 1;
    pen.drawImage(
      points,
      (pen.canvas.width - width) / 2,
      (pen.canvas.height - height) / 2,
      width,
      height,
    );
  }
}

/** @param {CanvasRenderingContext2D} pen @param {string} colour @returns {Uint8ClampedArray} */
function rgb(pen, colour) {
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  return pen.getImageData(0, 0, 1, 1).data;
}
