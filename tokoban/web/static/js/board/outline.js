/** Which squares of a board are worth drawing: the floor that can be reached, and its walls. */

import { reachedFrom } from "../rules/walk.js";

/** @typedef {import("../rules/board.js").Board} Board */
/** @typedef {{top: number, bottom: number, left: number, right: number}} Range of squares */

/** Of a drawn square. */
export const FLOOR = 1;
export const WALL = 2;

/**
 * What is drawn on each square (0 for nothing), and the range of all that is drawn.
 *
 * Walls that touch no floor are left out: many levels are filled with them to a rectangle.
 */
export class Outline {
  /** @param {Board} board @param {boolean} isWhole draws every square: for the editor */
  constructor(board, isWhole) {
    this.squares = new Uint8Array(board.walls.length);
    if (isWhole) {
      board.walls.forEach((wall, square) => (this.squares[square] = wall ? WALL : FLOOR));
    } else {
      this._drawInside(board);
      this._drawWalls(board);
      this._fillHoles(board);
    }
    this.range = this._range(board);
  }

  /** The squares that the player could walk to without boxes. @param {Board} board */
  _drawInside(board) {
    const starts = [board.player];
    // Boxes and goals behind closed walls are drawn too.
    board.boxes.forEach((box, square) => {
      if (box || board.goals[square]) starts.push(square);
    });
    const found = reachedFrom(board, starts, (square) => !board.walls[square]);
    for (const square of found) this.squares[square] = FLOOR;
  }

  /** @param {Board} board */
  _drawWalls({ walls, height, width }) {
    for (let square = 0; square < walls.length; square++) {
      if (this.squares[square] !== FLOOR) continue;
      const [row, column] = [Math.floor(square / width), square % width];
      for (let r = Math.max(0, row - 1); r <= Math.min(height - 1, row + 1); r++) {
        for (let c = Math.max(0, column - 1); c <= Math.min(width - 1, column + 1); c++) {
          if (walls[r * width + c]) this.squares[r * width + c] = WALL;
        }
      }
    }
  }

  /** Walls that other walls enclose are drawn, or they would be holes. @param {Board} board */
  _fillHoles(board) {
    const { walls, height, width } = board;
    const edge = [];
    for (let square = 0; square < walls.length; square++) {
      const [row, column] = board.place(square);
      const isEdge = row === 0 || column === 0 || row === height - 1 || column === width - 1;
      if (isEdge && !this.squares[square]) edge.push(square);
    }
    const outside = reachedFrom(board, edge, (square) => !this.squares[square]);
    walls.forEach((wall, square) => {
      if (wall && !outside.has(square)) this.squares[square] = WALL;
    });
  }

  /** @param {Board} board @returns {Range} */
  _range({ height, width }) {
    const range = { top: height, bottom: 0, left: width, right: 0 };
    this.squares.forEach((kind, square) => {
      if (!kind) return;
      const [row, column] = [Math.floor(square / width), square % width];
      range.top = Math.min(range.top, row);
      range.bottom = Math.max(range.bottom, row + 1);
      range.left = Math.min(range.left, column);
      range.right = Math.max(range.right, column + 1);
    });
    return range;
  }
}

/** By the walls, which all boards of a game share. @type {WeakMap<Uint8Array, Outline>[]} */
const KNOWN = [new WeakMap(), new WeakMap()];

/** @param {Board} board @param {boolean} [isWhole] @returns {Outline} */
export function outlineOf(board, isWhole = false) {
  const known = KNOWN[Number(isWhole)];
  const outline = known.get(board.walls) ?? new Outline(board, isWhole);
  known.set(board.walls, outline);
  return outline;
}

/**
 * The numbers of a square as a person counts them in the picture, from 1.
 * @param {Board} board
 * @param {number} square
 * @returns {{row: number, column: number}}
 */
export function numbersOf(board, square) {
  const { top, left } = outlineOf(board).range;
  const [row, column] = board.place(square);
  return { row: row - top + 1, column: column - left + 1 };
}

/** What is drawn of a board, for a job that counts rows. @param {Board} board @returns {string} */
export function wireDrawn(board) {
  const { top, bottom, left, right } = outlineOf(board).range;
  return board.toRows().slice(top, bottom).map((row) => row.slice(left, right)).join("\n");
}
