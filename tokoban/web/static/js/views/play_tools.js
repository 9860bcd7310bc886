/** Below the board: the buttons of the game, and arrows for fingers. */

import { button, el } from "../shell/dom.js";
import { openShare } from "../shell/share.js";
import { t } from "../strings/index.js";

/**
 * @param {import("../shell/app.js").App} app
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function tools(app) {
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
  return {
    element: el(
      "div",
      { class: "stack" },
      el("div", { class: "toolbar" }, restart, undo, redo, marks, share),
      arrowPad(app),
    ),
    refresh() {
      const { at, moves } = session.game;
      restart.disabled = undo.disabled = at === 0;
      redo.disabled = at === moves.length;
      marks.setAttribute("aria-pressed", String(session.marksHidden));
    },
  };
}

/** @param {import("../shell/app.js").App} app */
function arrowPad(app) {
  const shown = app.settings.get("showsArrows");
  const icons = { u: "up", l: "left", d: "down", r: "right" };
  const arrows = Object.entries(icons).map(([letter, icon]) => {
    const label = t(`play.move-${letter}`);
    const arrow = button({ label, icon, run: () => app.session.game.push(letter) });
    arrow.dataset.move = letter;
    return arrow;
  });
  const shownClass = { auto: "auto", yes: "shown", no: "" }[shown];
  return el("div", { class: `arrow-pad ${shownClass}` }, ...arrows);
}
