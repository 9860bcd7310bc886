/**
 * What searches have found of a level: solutions, and proofs that none is shorter. The store keeps
 * it apart from the progress, since it is not the player's.
 */

import { advance, countPushes } from "../rules/board.js";
import { bestOf, solutionsOf } from "./store.js";

/**
 * @typedef {{bestByMoves?: string, bestByPushes?: string}} Bests
 * @typedef {{moves?: number, pushes?: number}} Bounds what every solution needs, as proved
 * @typedef {Bests & {bounds: Bounds}} Found
 */

/**
 * What the store has, without solutions that do not solve the level.
 * @param {Found | null} found
 * @param {import("../rules/board.js").Board} start
 * @returns {Found}
 */
export function replayed(found, start) {
  if (!found) return { bounds: {} };
  const solutions = solutionsOf(found).filter((moves) => {
    const { board, letters } = advance(start, moves);
    return letters === moves && board.isSolved();
  });
  return { ...bestOf(solutions), bounds: found.bounds };
}

/**
 * All of it together. A bound that a known solution refutes is left out: no search has proved it.
 * @param {Found[]} all
 * @param {Bests} bests the best solutions that are known besides
 * @returns {Found}
 */
export function merged(all, bests) {
  const found = bestOf(all.flatMap(solutionsOf));
  const { bestByMoves, bestByPushes } = bestOf([found, bests].flatMap(solutionsOf));
  const pushes = bestByPushes === undefined ? undefined : countPushes(bestByPushes);
  const bounds = all.map((one) => one.bounds);
  return {
    ...found,
    bounds: {
      ...highest("moves", bounds, bestByMoves?.length),
      ...highest("pushes", bounds, pushes),
    },
  };
}

/**
 * @param {"moves" | "pushes"} name
 * @param {Bounds[]} bounds
 * @param {number} [most] of the best solution
 * @returns {Bounds} empty where none is proved
 */
function highest(name, bounds, most = Infinity) {
  const proved = bounds.map((one) => one[name] ?? 0).filter((bound) => bound > 0 && bound <= most);
  return proved.length ? { [name]: Math.max(...proved) } : {};
}
