/** Walks of the player, which push nothing. */

import { DIRECTIONS } from "./board.js";

/** @typedef {import("./board.js").Board} Board */

/**
 * Squares and all that are reached from them step by step.
 * @param {Board} board
 * @param {Iterable<number>} starts
 * @param {(square: number) => boolean} mayEnter
 * @returns {Set<number>}
 */
export function reachedFrom(board, starts, mayEnter) {
  const found = new Set(starts);
  for (const square of found) {
    for (const direction of DIRECTIONS) {
      const next = board.neighbour(square, direction);
      if (next >= 0 && mayEnter(next)) found.add(next);
    }
  }
  return found;
}

/**
 * A shortest walk.
 * @param {Board} board
 * @param {number} target
 * @returns {string | null} moves in lower case; null where no walk leads there
 */
export function walkTo(board, target) {
  if (target === board.player) return "";
  if (!board.isFree(target)) return null;
  // Backwards from the target, so that the walk is read off forwards.
  const distance = new Int32Array(board.walls.length).fill(-1);
  distance[target] = 0;
  const found = [target];
  for (const square of found) {
    if (square === board.player) break;
    for (const direction of DIRECTIONS) {
      const next = board.neighbour(square, direction);
      if (board.isFree(next) && distance[next] < 0) {
        distance[next] = distance[square] + 1;
        found.push(next);
      }
    }
  }
  if (distance[board.player] < 0) return null;
  let walk = "";
  for (let square = board.player; square !== target; ) {
    for (const direction of DIRECTIONS) {
      const next = board.neighbour(square, direction);
      if (next >= 0 && distance[next] === distance[square] - 1) {
        walk += direction;
        square = next;
        break;
      }
    }
  }
  return walk;
}
