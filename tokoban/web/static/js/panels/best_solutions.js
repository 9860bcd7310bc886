/** The best solutions known of the level: figures, and a way to see them. */

import { countPushes } from "../rules/board.js";
import { boxFigures } from "../rules/figures.js";
import { button, el } from "../shell/dom.js";
import { t } from "../strings/index.js";

/** @typedef {import("../game/session.js").Session} Session */
/** @typedef {import("../shell/app.js").App} App */

/**
 * @param {Session} session
 * @param {App} app
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function solutionRows(session, app) {
  const list = el("ul", { class: "list", "aria-label": t("moves.best") });
  return {
    element: list,
    refresh() {
      const { bestByMoves, bestByPushes } = session.bests;
      const own = new Set([session.own.bestByMoves, session.own.bestByPushes]);
      const isOne = bestByMoves === bestByPushes;
      /** @type {[string, string | undefined][]} */
      const shown = isOne
        ? [["moves.best-both", bestByMoves]]
        : [
            ["moves.best-moves", bestByMoves],
            ["moves.best-pushes", bestByPushes],
          ];
      for (const moves of own) {
        if (moves !== bestByMoves && moves !== bestByPushes) shown.push(["moves.best-own", moves]);
      }
      const found = shown.filter(([, solution]) => solution !== undefined);
      list.hidden = !found.length;
      list.replaceChildren(
        ...found.map(([key, solution]) => {
          const moves = /** @type {string} */ (solution);
          const figures = [
            t("play.figures", { moves: moves.length, pushes: countPushes(moves) }),
            t("play.box-figures", boxFigures(moves)),
          ].join(", ");
          return el(
            "li",
            {},
            button({
              label: `${t(key)}: ${figures}`,
              icon: "tick",
              text: true,
              run: () => {
                if (own.has(moves)) session.game.replaceLine(moves, 0);
                else session.showSolution(moves, 0);
                app.toast(t("moves.loaded"));
              },
            }),
          );
        }),
      );
    },
  };
}
