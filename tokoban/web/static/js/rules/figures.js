/** Box lines and box changes, as the Python module `tokoban.sokoban.figures` defines them. */

import { OFFSETS } from "./board.js";

/**
 * @param {string} letters of moves, in upper case for pushes
 * @returns {{lines: number, changes: number}}
 */
export function boxFigures(letters) {
  // Relative to the start: which box is pushed needs no board.
  let [row, column, lines, changes] = [0, 0, 0, 0];
  let [pushedTo, pushedIn] = ["", ""];
  for (const letter of letters) {
    const direction = letter.toLowerCase();
    const [down, right] = OFFSETS[direction];
    [row, column] = [row + down, column + right];
    if (letter === direction) continue;
    const isOther = pushedTo !== `${row} ${column}`;
    changes += Number(isOther);
    lines += Number(isOther || direction !== pushedIn);
    [pushedTo, pushedIn] = [`${row + down} ${column + right}`, direction];
  }
  return { lines, changes };
}
