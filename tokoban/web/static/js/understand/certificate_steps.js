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

/** A group of more frozen boxes is shown whole: nobody follows it box by box. */
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
  const at = (/** @type {Place} */ [row, column]) => row * board.width + column;
  const guilty = marksOf(certificate.boxes.map(at), "guilty");
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
  const at = (/** @type {Place} */ [row, column]) => row * board.width + column;
  const count = boxes.length;
  // The trap that contains all of the boxes; a box stands in it as it stands on the board.
  const squaresOf = (/** @type {any[]} */ trap) => new Set(trap.map(([box]) => at(box)));
  const reached =
    traps.map(squaresOf).find((/** @type {Set<number>} */ squares) =>
      boxes.every((/** @type {Place} */ box) => squares.has(at(box))),
    ) ?? new Set(boxes.map(at));
  const squares = [...reached].sort((one, other) => one - other);
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
  const at = (/** @type {Place} */ [row, column]) => row * board.width + column;
  const steps = [{ text: t("why.frozen", { count: boxes.length }), marks: guilty }];
  const isOfThese = (/** @type {Place} */ box) =>
    boxes.some((/** @type {Place} */ other) => at(other) === at(box));
  const group = frozen.find((/** @type {any} */ one) => one.boxes.every(isOfThese)) ?? frozen[0];
  if (group && group.boxes.length <= MAX_FOLLOWED) {
    group.boxes.forEach((/** @type {Place} */ box, /** @type {number} */ index) => {
      const [vertical, horizontal] = group.blocked_by[index];
      const [row, column] = box;
      const sides = [
        ...blockers(board, vertical, [
          [row - 1, column],
          [row + 1, column],
        ]),
        ...blockers(board, horizontal, [
          [row, column - 1],
          [row, column + 1],
        ]),
      ];
      steps.push({
        text: t("why.blocked", {
          ...numbersOf(board, at(box)),
          vertical: blockText(board, vertical),
          horizontal: blockText(board, horizontal),
        }),
        marks: [...guilty, { square: at(box), kind: "focus" }, ...sides],
      });
    });
  }
  const off = boxes.map(at).filter((/** @type {number} */ square) => !board.goals[square]);
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
 * @param {Place[]} neighbours
 * @returns {Mark[]}
 */
function blockers(board, blocker, neighbours) {
  const isInside = (/** @type {Place} */ [row, column]) =>
    row >= 0 && row < board.height && column >= 0 && column < board.width;
  const at = (/** @type {Place} */ [row, column]) => row * board.width + column;
  if (blocker) return isInside(blocker) ? [{ square: at(blocker), kind: "text", text: "✕" }] : [];
  return neighbours.filter(isInside).map((place) => ({ square: at(place), kind: "dead" }));
}

/** @param {Board} board @param {Place | null} blocker */
function blockText(board, blocker) {
  if (!blocker) return t("why.by-dead");
  const [row, column] = blocker;
  const square = row * board.width + column;
  const isBox = board.boxes[square] && column >= 0 && column < board.width;
  return isBox ? t("why.by-box", numbersOf(board, square)) : t("why.by-wall");
}

/**
 * @param {any} certificate
 * @param {Board} board
 * @param {Mark[]} guilty
 * @returns {Step[]}
 */
function searchSteps({ boxes, positions }, board, guilty) {
  const at = (/** @type {Place} */ [row, column]) => row * board.width + column;
  const shown = positions.slice(0, MAX_BOARDS);
  const boards = shown.map((/** @type {[Place[], Place]} */ [squares, player]) => {
    const alone = new Uint8Array(board.boxes.length);
    for (const box of squares) alone[at(box)] = 1;
    return new Board({ ...board, boxes: alone, player: at(player) });
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
