/** One level in the list: picture, title, and what was made of it. */

import { Board, countPushes } from "../rules/board.js";
import { stateOf } from "../game/store.js";
import { el, iconOf } from "../shell/dom.js";
import { PLAYED } from "../shell/collections.js";
import { hashOf } from "../shell/router.js";
import { titleText } from "../shell/sentences.js";
import { t } from "../strings/index.js";

/** Size of a thumbnail in CSS pixels. */
const SIZE = 136;

/**
 * @param {import("../game/store.js").Level} level
 * @param {import("../game/session.js").Place} place
 * @param {import("../game/store.js").Progress | null} progress
 * @param {import("../board/thumbnail.js").Thumbnails} painter
 * @returns {HTMLElement}
 */
export function levelCard(level, { collection, index }, progress, painter) {
  const state = stateOf(progress);
  const number = String(index + 1);
  const canvas = painter.takeCanvas(SIZE);
  // Each in a task of its own, so that no frame becomes long; a card that was scrolled past before
  // its turn is not painted.
  setTimeout(() => canvas.isConnected && painter.draw(canvas, Board.fromRows(level.rows)));
  return el(
    "a",
    { class: `card level-card ${state}`, href: hashOf("play", [collection, index + 1]) },
    canvas,
    el(
      "span",
      { class: "level-title one-line" },
      level.title !== number && el("span", { class: "soft" }, `${number} `),
      titleText(level.title, collection),
    ),
    collection === PLAYED && level.from && el("span", { class: "level-from soft one-line" }, level.from),
    el(
      "span",
      { class: "level-state" },
      state === "solved" && iconOf("tick"),
      describe(state, progress),
    ),
  );
}

/**
 * @param {string} state
 * @param {import("../game/store.js").Progress | null} progress
 */
function describe(state, progress) {
  if (state !== "solved") return t(`levels.${state}`);
  const { bestByMoves = "", bestByPushes = "" } = progress ?? {};
  const [least, other] = [bestByMoves, bestByPushes].map((solution) => {
    return { moves: solution.length, pushes: countPushes(solution) };
  });
  if (least.pushes === other.pushes) return t("play.figures", least);
  return [least, other].map(({ moves, pushes }) => `${moves}/${pushes}`).join(" · ");
}
