/**
 * A board turned by a quarter, clockwise: the upper row of the level is the right column on the
 * screen. Only the picture, the keys of the moves and the pointer know of it.
 */

import { Board } from "../rules/board.js";

/** Where the directions of the level point on the turned board. @type {Record<string, string>} */
export const TURNED = { u: "r", r: "d", d: "l", l: "u" };

/** Walls and goals, which all boards of a game share. @type {WeakMap<Uint8Array, Uint8Array>} */
const KNOWN = new WeakMap();

/** @param {Board} board @returns {Board} */
export function turned(board) {
  const { height, width, walls, goals, boxes, player } = board;
  const turn = (/** @type {Uint8Array} */ squares) =>
    squares.map((_, to) => squares[squareAtTurned(board, Math.floor(to / height), to % height)]);
  for (const squares of [walls, goals]) {
    if (!KNOWN.has(squares)) KNOWN.set(squares, turn(squares));
  }
  const known = (/** @type {Uint8Array} */ squares) => /** @type {Uint8Array} */ (KNOWN.get(squares));
  const [row, column] = turnedPlace(board, player);
  return new Board({
    height: width,
    width: height,
    walls: known(walls),
    goals: known(goals),
    boxes: turn(boxes),
    player: row * height + column,
  });
}

/**
 * @param {Board} board of the level
 * @param {number} square
 * @returns {[number, number]} its row and column on the turned board
 */
export function turnedPlace(board, square) {
  const [row, column] = board.place(square);
  return [column, board.height - 1 - row];
}

/** The inverse. @param {Board} board of the level @param {number} row @param {number} column */
export function squareAtTurned(board, row, column) {
  return board.at([board.height - 1 - column, row]);
}
