/** Walls, floor and goals: drawn once for each part of a board that the camera shows. */

import { DIRECTIONS } from "../rules/board.js";
import { WALL_BITS } from "./sprites.js";

/** @typedef {import("../rules/board.js").Board} Board */
/** @typedef {import("./sprites.js").Sprites} Sprites */
/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {{top: number, bottom: number, left: number, right: number}} Range of squares */

export class Backdrop {
  constructor() {
    this._canvas = document.createElement("canvas");
    /** What the canvas shows now. @type {unknown[]} */
    this._shown = [];
    /** @type {Uint8Array | null} */
    this._walls = null;
    this._inside = new Uint8Array();
  }

  /**
   * The picture of the part that the camera shows.
   * @param {Board} board @param {Sprites} sprites @param {Camera} camera
   * @returns {HTMLCanvasElement}
   */
  of(board, sprites, camera) {
    const { x, y, width, height } = camera;
    const wanted = [board.walls, board.goals, sprites, x, y, width, height];
    if (wanted.every((value, index) => value === this._shown[index])) return this._canvas;
    this._shown = wanted;
    [this._canvas.width, this._canvas.height] = [width, height];
    const pen = /** @type {CanvasRenderingContext2D} */ (this._canvas.getContext("2d"));
    this.paint(pen, board, sprites, camera.visible(), x, y);
    return this._canvas;
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Board} board @param {Sprites} sprites
   * @param {Range} range @param {number} offsetX @param {number} offsetY
   */
  paint(pen, board, sprites, range, offsetX, offsetY) {
    if (this._walls !== board.walls) {
      this._walls = board.walls;
      this._inside = inside(board);
    }
    for (let r = range.top; r < range.bottom; r++) {
      for (let c = range.left; c < range.right; c++) {
        const square = r * board.width + c;
        const [x, y] = [c * sprites.size - offsetX, r * sprites.size - offsetY];
        if (board.walls[square]) {
          this._paintWall(pen, board, sprites, square, x, y);
        } else if (this._inside[square]) {
          sprites.floor(pen, x, y);
          if (board.goals[square]) sprites.goal(pen, x, y);
        }
      }
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Board} board @param {Sprites} sprites
   * @param {number} square @param {number} x @param {number} y
   */
  _paintWall(pen, board, sprites, square, x, y) {
    let joined = 0;
    let touchesFloor = false;
    for (const direction of DIRECTIONS) {
      const next = board.neighbour(square, direction);
      if (next >= 0 && board.walls[next]) {
        joined |= WALL_BITS[/** @type {keyof typeof WALL_BITS} */ (direction)];
      } else if (next >= 0 && this._inside[next]) {
        touchesFloor = true;
      }
    }
    // Floor shows at the rounded corners.
    if (touchesFloor) sprites.floor(pen, x, y);
    sprites.wall(pen, x, y, joined);
  }
}

/** The squares that the player could walk to were there no boxes. @param {Board} board */
function inside(board) {
  const reached = new Uint8Array(board.walls.length);
  reached[board.player] = 1;
  const found = [board.player];
  for (const square of found) {
    for (const direction of DIRECTIONS) {
      const next = board.neighbour(square, direction);
      if (next >= 0 && !board.walls[next] && !reached[next]) {
        reached[next] = 1;
        found.push(next);
      }
    }
  }
  // Boxes and goals beyond closed walls are drawn on floor too.
  board.boxes.forEach((box, square) => {
    if (box || board.goals[square]) reached[square] = 1;
  });
  return reached;
}
