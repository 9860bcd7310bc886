/** What is wrong with a drawing, shown as it is drawn. */

import { deadSquares, staticDeadlock } from "../rules/deadlocks.js";
import { reachedFrom } from "../rules/walk.js";

/** @typedef {import("../rules/board.js").Board} Board */
/** @typedef {{key: string, values?: Record<string, number>, squares: number[]}} Complaint */

const DEADLOCKS = { "dead-square": "edit.dead-square", frozen: "edit.frozen" };

/**
 * All that keeps a drawing from being a level to play, or makes it a bad one.
 * @param {Board} board without a player, perhaps
 * @returns {Complaint[]}
 */
export function complaints(board) {
  const boxes = board.boxSquares();
  const goals = [...board.goals.keys()].filter((square) => board.goals[square]);
  /** @type {Complaint[]} */
  const found = [];
  if (board.player < 0) found.push({ key: "problem.no-player", squares: [] });
  if (!boxes.length) found.push({ key: "problem.no-box", squares: [] });
  if (boxes.length !== goals.length) {
    const values = { boxes: boxes.length, goals: goals.length };
    found.push({ key: "problem.unequal", values, squares: [] });
  }
  if (board.player < 0) return found;
  // The squares that the player could walk to without boxes.
  const inside = reachedFrom(board, [board.player], (square) => !board.walls[square]);
  const leaks = [...inside].filter((square) => isAtEdge(board, square));
  if (leaks.length) {
    found.push({ key: "edit.open", squares: leaks });
    return found;
  }
  const lost = [...boxes, ...goals].filter(
    (square) => !inside.has(square) && board.boxes[square] !== board.goals[square],
  );
  if (lost.length) found.push({ key: "edit.outside", squares: lost });
  if (found.length) return found;
  if (board.isSolved()) return [{ key: "edit.solved", squares: [] }];
  const deadlock = staticDeadlock(board, deadSquares(board));
  if (deadlock) {
    const { boxes: squares, reason } = deadlock;
    found.push({ key: DEADLOCKS[reason], values: { count: squares.length }, squares });
  }
  return found;
}

/** @param {Board} board @param {number} square */
function isAtEdge(board, square) {
  const [row, column] = board.place(square);
  return row === 0 || column === 0 || row === board.height - 1 || column === board.width - 1;
}
