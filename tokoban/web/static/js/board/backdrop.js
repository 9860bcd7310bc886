/** Walls, floor and goals: drawn once, and again only where a large board scrolls. */

import { DIRECTIONS } from "../rules/board.js";
import { FLOOR, WALL } from "./outline.js";
import { WALL_BITS } from "./sprites.js";

/** @typedef {import("../rules/board.js").Board} Board */
/** @typedef {import("./sprites.js").Sprites} Sprites */
/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {import("./outline.js").Outline} Outline */
/** @typedef {import("./outline.js").Range} Range */

/** A backdrop of at most so many pixels, 32 MB, is kept whole: scrolling only copies from it. */
const MAX_WHOLE_PIXELS = 2 ** 23;

export class Backdrop {
  constructor() {
    this._canvas = document.createElement("canvas");
    /** What the canvas shows now. @type {unknown[]} */
    this._shown = [];
  }

  /**
   * Draws the part that the camera shows.
   * @param {CanvasRenderingContext2D} pen
   * @param {Board} board @param {Outline} outline @param {Sprites} sprites @param {Camera} camera
   */
  draw(pen, board, outline, sprites, camera) {
    const { cell } = camera;
    const { top, bottom, left, right } = outline.range;
    const [width, height] = [(right - left) * cell, (bottom - top) * cell];
    const isWhole = width * height <= MAX_WHOLE_PIXELS;
    const part = isWhole ? { x: left * cell, y: top * cell, width, height } : camera;
    this._paint(board, outline, sprites, part, isWhole ? outline.range : camera.visible());
    pen.drawImage(this._canvas, part.x - camera.x, part.y - camera.y);
  }

  /**
   * Paints a part of the board, unless it is what the canvas shows.
   * @param {Board} board @param {Outline} outline @param {Sprites} sprites
   * @param {{x: number, y: number, width: number, height: number}} part in pixels
   * @param {Range} range the squares in it
   */
  _paint(board, outline, sprites, { x, y, width, height }, range) {
    const wanted = [outline, board.goals, sprites, x, y, width, height];
    if (wanted.every((value, index) => value === this._shown[index])) return;
    this._shown = wanted;
    [this._canvas.width, this._canvas.height] = [width, height];
    const pen = /** @type {CanvasRenderingContext2D} */ (this._canvas.getContext("2d"));
    pen.translate(-x, -y);
    paintBackdrop(pen, board, outline, sprites, range);
  }
}

/**
 * @param {CanvasRenderingContext2D} pen @param {Board} board @param {Outline} outline
 * @param {Sprites} sprites @param {Range} range
 */
function paintBackdrop(pen, board, outline, sprites, range) {
  for (let r = range.top; r < range.bottom; r++) {
    for (let c = range.left; c < range.right; c++) {
      const square = r * board.width + c;
      const [x, y] = [c * sprites.size, r * sprites.size];
      const kind = outline.squares[square];
      if (kind === WALL) {
        paintWall(pen, board, outline, sprites, square);
      } else if (kind === FLOOR) {
        sprites.floor(pen, x, y);
        if (board.goals[square]) sprites.goal(pen, x, y);
      }
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} pen @param {Board} board @param {Outline} outline
 * @param {Sprites} sprites @param {number} square
 */
function paintWall(pen, board, { squares }, sprites, square) {
  const [row, column] = board.place(square);
  const [x, y] = [column * sprites.size, row * sprites.size];
  let joined = 0;
  let touchesFloor = false;
  for (const direction of DIRECTIONS) {
    const next = board.neighbour(square, direction);
    if (squares[next] === WALL) {
      joined |= WALL_BITS[/** @type {keyof typeof WALL_BITS} */ (direction)];
    } else if (squares[next] === FLOOR) {
      touchesFloor = true;
    }
  }
  // Floor shows at the rounded corners.
  if (touchesFloor) sprites.floor(pen, x, y);
  sprites.wall(pen, x, y, joined);
}

/**
 * Paints a whole position at rest; square 0 is at the pen's origin.
 * @param {CanvasRenderingContext2D} pen @param {Board} board @param {Outline} outline
 * @param {Sprites} sprites @param {string} facing of the player
 */
export function paintPosition(pen, board, outline, sprites, facing) {
  const { size } = sprites;
  paintBackdrop(pen, board, outline, sprites, outline.range);
  for (const square of board.boxSquares()) {
    const [row, column] = board.place(square);
    sprites.box(pen, column * size, row * size, board.goals[square] === 1);
  }
  const [row, column] = board.place(board.player);
  if (board.goals[board.player]) sprites.wideGoal(pen, column * size, row * size);
  sprites.player(pen, column * size, row * size, facing);
}

/**
 * A picture of a whole position at rest.
 * @param {Board} board @param {Outline} outline @param {Sprites} sprites
 * @param {string} facing of the player
 */
export function pictureOf(board, outline, sprites, facing) {
  const { size } = sprites;
  const { top, bottom, left, right } = outline.range;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [(right - left) * size, (bottom - top) * size];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.translate(-left * size, -top * size);
  paintPosition(pen, board, outline, sprites, facing);
  return canvas;
}
