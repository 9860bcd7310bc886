/** What a screen reader is told after moves. */

import { t } from "../strings/index.js";

/** @typedef {import("../game/game.js").Game} Game */

/**
 * @param {Game} game
 * @param {number} from
 * @param {number} to
 * @returns {string}
 */
export function describeChange(game, from, to) {
  const { board, moves } = game;
  const [row, column] = board.place(board.player);
  if (to !== from + 1) {
    return t("say.moves", { count: to, row: row + 1, column: column + 1 });
  }
  const letter = moves[from];
  const direction = t(`play.move-${letter.toLowerCase()}`);
  if (letter >= "a") return `${direction}, ${t("say.at", { row: row + 1, column: column + 1 })}`;
  const box = board.neighbour(board.player, letter.toLowerCase());
  const [boxRow, boxColumn] = board.place(box);
  const goal = board.goals[box] ? t("say.on-goal") : "";
  return t("say.push", { direction, row: boxRow + 1, column: boxColumn + 1, goal });
}
