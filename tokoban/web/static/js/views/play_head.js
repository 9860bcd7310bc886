/** Above the board: the level, its neighbours, and the counters. */

import { countPushes } from "../rules/board.js";
import { boxFigures } from "../rules/figures.js";
import { button, el, inRow } from "../shell/dom.js";
import { titleText } from "../shell/sentences.js";
import { number, t } from "../strings/index.js";
import { placeText, stepPlace } from "./places.js";

/** @typedef {import("../shell/app.js").App} App */

export class Head {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this._title = el("h1", { class: "one-line" });
    this._place = el("p", { class: "soft" });
    this._author = el("p", { class: "on-paper" });
    this._moves = counter(t("moves.title"));
    this._pushes = counter(t("play.pushes"));
    this._counters = el("dl", { class: "counters" }, this._moves.element, this._pushes.element);
    this.element = el(
      "div",
      { class: "row play-head" },
      inRow(
        button({ label: t("play.previous"), icon: "previous", run: () => stepPlace(app, -1) }),
        button({ label: t("play.all-levels"), icon: "list", run: () => app.open("levels") }),
        button({ label: t("play.next"), icon: "next", run: () => stepPlace(app, 1) }),
      ),
      el("div", { class: "play-title" }, this._title, this._place, this._author),
      this._counters,
    );
  }

  /** Shows which level is open. */
  refreshLevel() {
    const { level, place } = this._app.session;
    const title = level ? titleText(level.title, place?.collection) : t("play.no-level");
    this._title.textContent = this._title.title = title;
    const { author } = level ?? {};
    this._author.textContent = author ? t("moves.author", { name: author }) : "";
    placeText(this._app).then((text) => (this._place.textContent = text));
  }

  /** Shows how far the game is. */
  refresh() {
    const { game, own, bests, bounds } = this._app.session;
    const pushes = (/** @type {string | undefined} */ moves) => (moves ? countPushes(moves) : undefined);
    this._counters.title = t("play.box-figures", boxFigures(game.played));
    this._moves.show(game.at, own.bestByMoves?.length, bests.bestByMoves?.length, bounds.moves);
    this._pushes.show(game.numPushes, pushes(own.bestByPushes), pushes(bests.bestByPushes), bounds.pushes);
  }
}

/** @param {string} label */
function counter(label) {
  const value = el("span");
  const known = el("small");
  const element = el("div", { class: "counter" }, el("dt", {}, label), el("dd", {}, value, known));
  return {
    element,
    /**
     * @param {number} now
     * @param {number | undefined} own the player's best solution's
     * @param {number | undefined} best the best solution's
     * @param {number | undefined} bound what every solution needs
     */
    show(now, own, best, bound) {
      value.textContent = number(now);
      const parts = [];
      if (own !== best && own !== undefined) parts.push(t("play.yours", { count: own }));
      if (best !== undefined) parts.push(t("play.best", { count: best }));
      if (bound !== undefined && bound === best) parts.push(t("play.optimal"));
      else if (bound !== undefined) parts.push(t("play.at-least", { count: bound }));
      known.textContent = parts.join(", ");
    },
  };
}
