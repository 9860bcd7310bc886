/**
 * A proof that a position is lost, as steps that a person can follow on the board.
 *
 * The fields of a certificate are described in `docs/certificates.md`.
 */

import { numbersOf } from "../board/outline.js";
import { Board } from "../rules/board.js";
import { t } from "../strings/index.js";

/**
 * @typedef {import("../board/marks.js").Mark} Mark
 * @typedef {[number, number]} Place
 * @typedef {{text: string, marks: Mark[], boards?: Board[]}} Step `boards` are positions to leaf
 *   through, which show the boxes of the proof alone
 */

/** A larger group of frozen boxes is shown at once, not box by box. */
const MAX_FOLLOWED = 8;
/** Positions to leaf through. */
const MAX_BOARDS = 300;

/**
 * The steps of a certificate.
 * @param {any} certificate
 * @returns {Step[]}
 */
export function certificateSteps(certificate) {
  const board = Board.fromRows(certificate.board);
  const guilty = marksOf(certificate.boxes.map(board.at, board), "guilty");
  const count = certificate.boxes.length;
  /** @type {Step[]} */
  const steps = STEPS[/** @type {keyof typeof STEPS} */ (certificate.kind)](
    certificate,
    board,
    guilty,
  );
  if (count > 1 && certificate.without.every((/** @type {unknown} */ moves) => moves !== null)) {
    steps.push({ text: t("why.minimal"), marks: guilty });
  }
  return steps;
}

/**
 * The steps of a static rule, for when no certificate is there.
 * @param {{boxes: number[], reason: "dead-square" | "frozen"}} found
 * @returns {Step[]}
 */
export function staticSteps({ boxes, reason }) {
  const marks = marksOf(boxes, "guilty");
  const count = boxes.length;
  return [{ text: t(reason === "frozen" ? "why.frozen" : "why.dead-squares", { count }), marks }];
}

const STEPS = {
  count: () => [{ text: t("why.count"), marks: [] }],
  dead: trapSteps,
  bipartite: trapSteps,
  frozen: frozenSteps,
  search: searchSteps,
};

/**
 * @param {any} certificate
 * @param {Board} board
 * @param {Mark[]} guilty
 * @returns {Step[]}
 */
function trapSteps({ boxes, traps }, board, guilty) {
  const count = boxes.length;
  // A certificate of these kinds has one trap, of all its boxes.
  /** @type {number[]} */
  const reached = traps[0].map((/** @type {[Place]} */ [box]) => board.at(box));
  const squares = [...new Set(reached)].sort((one, other) => one - other);
  const goals = squares.filter((square) => board.goals[square]);
  const reachable = marksOf(squares, "reachable");
  /** @type {Mark[]} */
  const counted = goals.map((square, index) => ({ square, kind: "text", text: `${index + 1}` }));
  return [
    { text: t("why.must-reach", { count }), marks: guilty },
    { text: t("why.reach", { count, squares: squares.length }), marks: [...reachable, ...guilty] },
    {
      text: t(goals.length ? "why.few-goals" : "why.no-goal", { count, goals: goals.length }),
      marks: [...reachable, ...guilty, ...counted],
    },
  ];
}

/**
 * @param {any} certificate
 * @param {Board} board
 * @param {Mark[]} guilty
 * @returns {Step[]}
 */
function frozenSteps({ boxes, frozen }, board, guilty) {
  const steps = [{ text: t("why.frozen", { count: boxes.length }), marks: guilty }];
  const [group] = frozen; // a certificate of this kind has one
  if (group.boxes.length <= MAX_FOLLOWED) {
    group.boxes.forEach((/** @type {Place} */ box, /** @type {number} */ index) => {
      const [vertical, horizontal] = group.blocked_by[index];
      const square = board.at(box);
      const sides = [
        ...blockers(board, vertical, square, "ud"),
        ...blockers(board, horizontal, square, "lr"),
      ];
      steps.push({
        text: t("why.blocked", {
          ...numbersOf(board, square),
          vertical: blockText(board, vertical),
          horizontal: blockText(board, horizontal),
        }),
        marks: [...guilty, { square, kind: "focus" }, ...sides],
      });
    });
  }
  const off = boxes.map(board.at, board).filter((/** @type {number} */ square) => !board.goals[square]);
  steps.push({
    text: t("why.off-goal", { count: off.length }),
    marks: [...guilty, ...marksOf(off, "focus")],
  });
  return steps;
}

/**
 * What stands in the way on one axis: a square, or two squares from which no goal is reached.
 * @param {Board} board
 * @param {Place | null} blocker
 * @param {number} square
 * @param {string} axis its two directions
 * @returns {Mark[]}
 */
function blockers(board, blocker, square, axis) {
  const sides = [...axis].map((direction) => board.neighbour(square, direction));
  const inside = sides.filter((side) => side >= 0);
  if (!blocker) return inside.map((side) => ({ square: side, kind: "dead" }));
  return inside.includes(board.at(blocker))
    ? [{ square: board.at(blocker), kind: "text", text: "✕" }]
    : [];
}

/** @param {Board} board @param {Place | null} blocker */
function blockText(board, blocker) {
  if (!blocker) return t("why.by-dead");
  const square = board.at(blocker);
  const isBox = board.boxes[square] && blocker[1] >= 0 && blocker[1] < board.width;
  return isBox ? t("why.by-box", numbersOf(board, square)) : t("why.by-wall");
}

/**
 * @param {any} certificate
 * @param {Board} board
 * @param {Mark[]} guilty
 * @returns {Step[]}
 */
function searchSteps({ boxes, positions }, board, guilty) {
  const shown = positions.slice(0, MAX_BOARDS);
  const boards = shown.map((/** @type {[Place[], Place]} */ [squares, player]) => {
    const alone = new Uint8Array(board.boxes.length);
    for (const box of squares) alone[board.at(box)] = 1;
    return new Board({ ...board, boxes: alone, player: board.at(player) });
  });
  return [
    { text: t("why.alone", { count: boxes.length }), marks: guilty },
    { text: t("why.searched", { count: positions.length }), marks: guilty, boards },
    { text: t("why.leaves-none"), marks: guilty, boards },
  ];
}

/**
 * @param {number[]} squares
 * @param {"guilty" | "reachable" | "focus"} kind
 * @returns {Mark[]}
 */
function marksOf(squares, kind) {
  return squares.map((square) => ({ square, kind }));
}
