/**
 * Deadlocks that need no search: dead squares and frozen boxes.
 *
 * Equal to `tokoban.sokoban.deadlocks` up to `MAX_EXACT_FLOOR` squares of floor; beyond them fewer
 * dead squares are found, none wrong.
 */

import { neighbourTable } from "./board.js";

/** @typedef {import("./board.js").Board} Board */

/** The exact search takes time quadratic in the floor: 0.2 s for this many squares. */
const MAX_EXACT_FLOOR = 3000;

/**
 * Floor squares from which a lone box never reaches a goal. They are the same in the whole game.
 * @param {Board} board
 * @returns {Uint8Array} 1 where a box is lost
 */
export function deadSquares(board) {
  const { walls, goals, height, width } = board;
  const size = height * width;
  const next = neighbourTable(board);
  let numFloor = 0;
  for (let square = 0; square < size; square++) numFloor += walls[square] ? 0 : 1;
  const isExact = numFloor <= MAX_EXACT_FLOOR;
  const reached = new Uint8Array(size);
  // Backwards from the goals by pulls, over states (box, side of the player).
  const seen = new Uint8Array(size * 4);
  const zone = new Int32Array(size);
  const queue = new Int32Array(size);
  let round = 0;
  /** @type {number[]} */
  const waiting = [];
  const isFloor = (/** @type {number} */ square) => square >= 0 && !walls[square];
  for (let goal = 0; goal < size; goal++) {
    if (!goals[goal]) continue;
    reached[goal] = 1;
    for (let side = 0; side < 4; side++) {
      if (isFloor(next[goal * 4 + side])) waiting.push(goal * 4 + side);
    }
  }
  while (waiting.length) {
    const state = /** @type {number} */ (waiting.pop());
    if (seen[state]) continue;
    const box = state >> 2;
    round += 1;
    if (isExact) {
      zone[next[state]] = round;
      queue[0] = next[state];
      let end = 1;
      for (let index = 0; index < end; index++) {
        for (let side = 0; side < 4; side++) {
          const square = next[queue[index] * 4 + side];
          if (square >= 0 && square !== box && !walls[square] && zone[square] !== round) {
            zone[square] = round;
            queue[end++] = square;
          }
        }
      }
    }
    for (let side = 0; side < 4; side++) {
      const before = next[box * 4 + side];
      if (!isFloor(before) || (isExact && zone[before] !== round)) continue;
      seen[box * 4 + side] = 1;
      if (isFloor(next[before * 4 + side])) {
        reached[before] = 1;
        waiting.push(before * 4 + side);
      }
    }
  }
  const dead = new Uint8Array(size);
  for (let square = 0; square < size; square++) {
    dead[square] = !walls[square] && !reached[square] ? 1 : 0;
  }
  return dead;
}

/**
 * The boxes that can never move again, because walls and each other block both axes. The board is
 * deadlocked as soon as one of them is on no goal.
 * @param {Board} board
 * @returns {number[]} their squares, ascending
 */
export function frozenBoxes(board) {
  const frozen = board.boxes.slice();
  const next = neighbourTable(board);
  const isFixed = (/** @type {number} */ square) =>
    square < 0 || board.walls[square] === 1 || frozen[square] === 1;
  const isBlocked = (/** @type {number} */ box, /** @type {number} */ side) =>
    isFixed(next[box * 4 + side]) || isFixed(next[box * 4 + side + 2]);
  // All boxes are frozen at first; one with a free axis is not, until nothing changes.
  const waiting = board.boxSquares();
  while (waiting.length) {
    const box = /** @type {number} */ (waiting.pop());
    if (frozen[box] && !(isBlocked(box, 0) && isBlocked(box, 1))) {
      frozen[box] = 0;
      for (let side = 0; side < 4; side++) {
        if (next[box * 4 + side] >= 0) waiting.push(next[box * 4 + side]);
      }
    }
  }
  return board.boxSquares().filter((square) => frozen[square]);
}

/**
 * The boxes that make a position deadlocked by these rules: on dead squares, or frozen off a goal.
 * @param {Board} board
 * @param {Uint8Array} dead as `deadSquares` gives them
 * @returns {{boxes: number[], reason: "dead-square" | "frozen"} | null}
 */
export function staticDeadlock(board, dead) {
  const lost = board.boxSquares().filter((square) => dead[square]);
  if (lost.length) return { boxes: lost, reason: "dead-square" };
  const frozen = frozenBoxes(board);
  if (frozen.some((square) => !board.goals[square])) return { boxes: frozen, reason: "frozen" };
  return null;
}
