/** The board as a table of words, for screen readers. */

import { outlineOf } from "../board/outline.js";
import { el } from "../shell/dom.js";
import { squareText } from "../shell/sentences.js";
import { t } from "../strings/index.js";

/** @typedef {import("../rules/board.js").Board} Board */

/** Beyond this a table takes seconds to build, and nobody reads it. */
const MAX_SQUARES = 10_000;

/** The part that is drawn, so that both count alike. @param {Board} board @returns {HTMLElement} */
export function boardTable(board) {
  if (board.walls.length > MAX_SQUARES) return el("p", {}, t("moves.too-large"));
  const { top, bottom, left, right } = outlineOf(board).range;
  const columns = Array.from({ length: right - left }, (_, column) => column + 1);
  return el(
    "table",
    { class: "grid-text mono" },
    el("caption", { class: "for-readers" }, t("play.board")),
    el("tr", {}, el("td"), ...columns.map((column) => el("th", { scope: "col" }, String(column)))),
    ...board.toRows().slice(top, bottom).map((row, index) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, String(index + 1)),
        ...[...row.slice(left, right)].map((letter) => square(letter)),
      ),
    ),
  );
}

/** @param {string} letter */
function square(letter) {
  return el(
    "td",
    { "data-square": letter },
    el("span", { "aria-hidden": "true" }, letter),
    el("span", { class: "for-readers" }, squareText(letter)),
  );
}
