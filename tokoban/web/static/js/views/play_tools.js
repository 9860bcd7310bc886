/** Below the board: the buttons of the game. */

import { button, el } from "../shell/dom.js";
import { openShare } from "../shell/share.js";
import { t } from "../strings/index.js";

/** One step of the zoom. */
export const ZOOM = 1.25;

/**
 * @param {import("../shell/app.js").App} app
 * @param {import("../board/board_view.js").BoardView} board
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function tools(app, board) {
  const { session } = app;
  const restart = button({
    label: t("play.restart"),
    icon: "restart",
    run: () => session.game.restart(),
  });
  const undo = button({
    label: t("play.undo"),
    icon: "undo",
    text: true,
    run: () => session.game.undo(),
  });
  const redo = button({
    label: t("play.redo"),
    icon: "redo",
    text: true,
    run: () => session.game.redo(),
  });
  const marks = button({ label: t("play.marks"), icon: "eye", run: () => session.toggleMarks() });
  const share = button({ label: t("play.share"), icon: "share", run: () => openShare(app) });
  const zooms = [
    button({ label: t("play.zoom-out"), icon: "minus", run: () => board.zoomBy(1 / ZOOM) }),
    button({ label: t("play.zoom-in"), icon: "plus", run: () => board.zoomBy(ZOOM) }),
  ];
  return {
    element: el("div", { class: "toolbar" }, restart, undo, redo, marks, ...zooms, share),
    refresh() {
      const { at, moves } = session.game;
      restart.disabled = undo.disabled = at === 0;
      redo.disabled = at === moves.length;
      marks.setAttribute("aria-pressed", String(session.marksHidden));
    },
  };
}
