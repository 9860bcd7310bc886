/** Small pictures of boards, many at once. */

import { Backdrop } from "./backdrop.js";
import { Sprites } from "./sprites.js";

/** @typedef {import("../rules/board.js").Board} Board */
/** @typedef {import("./palette.js").Palette} Palette */

/** Smaller squares, in device pixels, are plain points: a large board has 100,000 of them. */
const MIN_DRAWN = 4;

/** Draws thumbnails of one theme; the pictures of squares are shared. */
export class Thumbnails {
  /** @param {Palette} palette */
  constructor(palette) {
    this._palette = palette;
    /** @type {Map<number, Sprites>} */
    this._sprites = new Map();
    this._backdrop = new Backdrop();
  }

  /**
   * Draws a board in the middle of a canvas.
   * @param {HTMLCanvasElement} canvas
   * @param {Board} board
   */
  draw(canvas, board) {
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const cell = Math.floor(Math.min(canvas.width / board.width, canvas.height / board.height, 40));
    if (cell < MIN_DRAWN) return this._drawPoints(pen, board);
    const sprites = this._sprites.get(cell) ?? new Sprites(cell, this._palette);
    this._sprites.set(cell, sprites);
    const left = Math.floor((canvas.width - cell * board.width) / 2);
    const top = Math.floor((canvas.height - cell * board.height) / 2);
    const all = { top: 0, bottom: board.height, left: 0, right: board.width };
    this._backdrop.paint(pen, board, sprites, all, -left, -top);
    for (const square of board.boxSquares()) {
      const [row, column] = board.place(square);
      sprites.box(pen, left + column * cell, top + row * cell, board.goals[square] === 1);
    }
    const [row, column] = board.place(board.player);
    sprites.player(pen, left + column * cell, top + row * cell, "d");
  }

  /** @param {CanvasRenderingContext2D} pen @param {Board} board */
  _drawPoints(pen, board) {
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
      let name = "floor";
      if (board.walls[square]) name = "wall";
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
