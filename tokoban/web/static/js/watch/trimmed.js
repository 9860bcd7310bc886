/** A board without the wall around it, for small pictures. */

import { Board } from "../rules/board.js";

/**
 * The part of a board that holds all floor, with one ring of what is around it.
 * @param {Board} board
 * @returns {{board: Board, squareOf: (square: number) => number}} where a square has come to
 */
export function trimmed(board) {
  let [top, bottom, left, right] = [board.height, 0, board.width, 0];
  for (let square = 0; square < board.walls.length; square++) {
    if (board.walls[square]) continue;
    const [row, column] = board.place(square);
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
    [left, right] = [Math.min(left, column), Math.max(right, column)];
  }
  top = Math.max(0, top - 1);
  left = Math.max(0, left - 1);
  bottom = Math.min(board.height - 1, bottom + 1);
  right = Math.min(board.width - 1, right + 1);
  const rows = board.toRows().slice(top, bottom + 1);
  const width = right - left + 1;
  return {
    board: Board.fromRows(rows.map((row) => row.slice(left, right + 1))),
    squareOf(square) {
      const [row, column] = board.place(square);
      return (row - top) * width + column - left;
    },
  };
}
