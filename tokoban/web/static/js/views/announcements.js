/** What a screen reader is told after moves. */

import { numbersOf } from "../board/outline.js";
import { t } from "../strings/index.js";

/** @typedef {import("../game/game.js").Game} Game */

/**
 * @param {Game} game
 * @param {number} from
 * @param {number} to
 * @param {(direction: string) => string} seenAs where a direction points on the screen
 * @returns {string}
 */
export function describeChange(game, from, to, seenAs) {
  const { board, moves } = game;
  const at = numbersOf(board, board.player);
  if (to !== from + 1) return t("say.moves", { count: to, ...at });
  const letter = moves[from];
  const direction = t(`play.move-${seenAs(letter.toLowerCase())}`);
  if (letter >= "a") return `${direction}, ${t("say.at", at)}`;
  const box = board.neighbour(board.player, letter.toLowerCase());
  const goal = board.goals[box] ? t("say.on-goal") : "";
  return t("say.push", { direction, ...numbersOf(board, box), goal });
}
