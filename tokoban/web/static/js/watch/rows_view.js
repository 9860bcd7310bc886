/** The positions of one step of a search, as small boards with what the policy thinks of them. */

import { BoardView } from "../board/board_view.js";
import { Board } from "../rules/board.js";
import { el } from "../shell/dom.js";
import { number, t } from "../strings/index.js";
import { opinionText } from "./opinion.js";

/**
 * @typedef {{row: number, board: string, score: number, is_solved: boolean,
 *   pushes_left: number | null, deadlocked: number, box: [number, number], direction: string}} Row
 */

export class RowsView {
  constructor() {
    this.element = el("ul", { class: "rows-view" });
    /** @type {{element: HTMLElement, view: BoardView, text: HTMLElement}[]} */
    this._cells = [];
  }

  /**
   * @param {Row[]} rows
   * @param {number} followed the row that the search went on with to its solution; -1 for none
   */
  show(rows, followed) {
    while (this._cells.length < rows.length) this._cells.push(newCell());
    for (const cell of this._cells.splice(rows.length)) cell.view.destroy();
    this.element.hidden = rows.length === 0;
    this.element.replaceChildren(...this._cells.map(({ element }) => element));
    rows.forEach((row, index) => {
      const { element, view, text } = this._cells[index];
      element.classList.toggle("followed", row.row === followed);
      const board = Board.fromRows(row.board.split("\n"));
      view.show(board, { marks: pushMarks(board, row) });
      text.textContent = rowText(row, row.row === followed);
    });
  }
}

function newCell() {
  const room = el("div", { class: "row-board" });
  const text = el("p", { class: "soft" });
  const element = el("li", {}, room, text);
  return { element, view: new BoardView(room, { isStatic: true }), text };
}

/** @param {Board} board @param {Row} row @returns {any[]} an arrow where the last push was */
function pushMarks(board, { box, direction }) {
  const from = board.at(box);
  return [{ from, to: board.neighbour(from, direction), kind: "arrow", weight: 0.5 }];
}

/** @param {Row} row @param {boolean} isFollowed @returns {string} */
function rowText({ score, is_solved: isSolved, pushes_left: left, deadlocked }, isFollowed) {
  const parts = isFollowed ? [t("watch.followed")] : [];
  parts.push(t("watch.score", { score: number(score, 2) }));
  parts.push(isSolved ? t("watch.solved-row") : opinionText(left, deadlocked));
  return parts.join(" · ");
}
