/** Below the board: the buttons of the game, which do what keys do. */

import { button, el } from "../shell/dom.js";
import { t } from "../strings/index.js";

/** @type {Record<string, {icon: string, text?: boolean}>} */
const BUTTONS = {
  restart: { icon: "restart" },
  undo: { icon: "undo", text: true },
  redo: { icon: "redo", text: true },
  marks: { icon: "eye" },
  "zoom-out": { icon: "minus" },
  "zoom-in": { icon: "plus" },
  share: { icon: "share" },
};

/**
 * @param {import("../game/session.js").Session} session
 * @param {import("../shell/keys.js").Action[]} actions of the board
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function tools(session, actions) {
  const made = Object.fromEntries(
    actions
      .filter(({ id }) => id in BUTTONS)
      .map(({ id, titleKey, run }) => [id, button({ label: t(titleKey), run, ...BUTTONS[id] })]),
  );
  return {
    element: el("div", { class: "row toolbar" }, ...Object.keys(BUTTONS).map((id) => made[id])),
    refresh() {
      const { at, moves } = session.game;
      made.restart.disabled = made.undo.disabled = at === 0;
      made.redo.disabled = at === moves.length;
      made.marks.setAttribute("aria-pressed", String(session.marksHidden));
    },
  };
}
