/** Below the board: the buttons of the game, which do what keys do. */

import { button, el } from "../shell/dom.js";
import { t } from "../strings/index.js";

/** @type {Record<string, {icon: string, text?: boolean}>} */
const BUTTONS = {
  restart: { icon: "restart" },
  undo: { icon: "undo", text: true },
  redo: { icon: "redo", text: true },
  hint: { icon: "hint" },
  marks: { icon: "eye" },
  "zoom-out": { icon: "minus" },
  "zoom-in": { icon: "plus" },
  share: { icon: "share" },
};

/**
 * @param {import("../shell/app.js").App} app
 * @param {import("../shell/keys.js").Action[]} actions of the board
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function tools({ session, keys }, actions) {
  // The action of a panel, which is mounted later.
  const hint = { id: "hint", titleKey: "hint.more", run: () => keys.run("hint") };
  const made = Object.fromEntries(
    [...actions, hint]
      .filter(({ id }) => id in BUTTONS)
      .map(({ id, titleKey, run }) => [id, button({ label: t(titleKey), run, ...BUTTONS[id] })]),
  );
  return {
    element: el("div", { class: "row toolbar" }, ...Object.keys(BUTTONS).map((id) => made[id])),
    refresh() {
      const { at, moves, board } = session.game;
      made.restart.disabled = made.undo.disabled = at === 0;
      made.redo.disabled = at === moves.length;
      made.hint.disabled = !session.level || board.isSolved();
      made.marks.setAttribute("aria-pressed", String(session.marksHidden));
    },
  };
}
