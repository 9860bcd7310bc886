/** What is wrong with a drawing, told while it is drawn. */

import { Board, DIRECTIONS } from "../rules/board.js";
import { deadSquares, staticDeadlock } from "../rules/deadlocks.js";

/** @typedef {{key: string, values?: Record<string, number>, squares: number[]}} Complaint */

const DEADLOCKS = { "dead-square": "edit.dead-square", frozen: "edit.frozen" };

/**
 * A board as far as the rows have one: without a player its square is -1.
 * @param {readonly string[]} rows
 * @returns {Board}
 */
export function boardOf(rows) {
  const text = rows.join("");
  const at = text.search(/[@+]/);
  const stand = (/** @type {string} */ row) => row.replace("@", " ").replace("+", ".");
  // The class wants a player; one is put in and then taken back.
  const others = rows.map(stand);
  const free = others.join("").search(/[^#$*]/);
  const width = rows[0].length;
  const withPlayer = others.map((row, r) => {
    if (Math.floor(free / width) !== r || free < 0) return row;
    const c = free % width;
    return row.slice(0, c) + (row[c] === "." ? "+" : "@") + row.slice(c + 1);
  });
  if (free < 0) return new Board({ ...emptyOf(rows), player: -1 });
  return new Board({ ...Board.fromRows(withPlayer), player: at });
}

/** A board that is all walls and boxes. @param {readonly string[]} rows */
function emptyOf(rows) {
  const letters = [...rows.join("")];
  const flags = (/** @type {string} */ kinds) =>
    Uint8Array.from(letters, (letter) => (kinds.includes(letter) ? 1 : 0));
  return {
    height: rows.length,
    width: rows[0].length,
    walls: flags("#"),
    goals: flags("*"),
    boxes: flags("$*"),
  };
}

/**
 * All that keeps a drawing from being a level to play, or makes it a bad one.
 * @param {Board} board as `boardOf` gives it
 * @returns {Complaint[]}
 */
export function complaints(board) {
  const boxes = board.boxSquares();
  const goals = [...board.goals.keys()].filter((square) => board.goals[square]);
  /** @type {Complaint[]} */
  const found = [];
  if (board.player < 0) found.push({ key: "edit.no-player", squares: [] });
  if (!boxes.length) found.push({ key: "edit.no-boxes", squares: [] });
  if (boxes.length !== goals.length) {
    const values = { boxes: boxes.length, goals: goals.length };
    found.push({ key: "edit.unequal", values, squares: [] });
  }
  if (board.player < 0) return found;
  const inside = insideOf(board);
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
    const values = { count: deadlock.squares.length };
    found.push({ key: DEADLOCKS[deadlock.reason], values, squares: deadlock.squares });
  }
  return found;
}

/** The squares that the player could walk to were there no boxes. @param {Board} board */
function insideOf(board) {
  const inside = new Set([board.player]);
  for (const square of inside) {
    for (const direction of DIRECTIONS) {
      const next = board.neighbour(square, direction);
      if (next >= 0 && !board.walls[next]) inside.add(next);
    }
  }
  return inside;
}

/** @param {Board} board @param {number} square */
function isAtEdge(board, square) {
  const [row, column] = board.place(square);
  return row === 0 || column === 0 || row === board.height - 1 || column === board.width - 1;
}
