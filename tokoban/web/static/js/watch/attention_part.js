/** The attention of one head, from one square over all others, on the board itself. */

import { numbersOf } from "../board/outline.js";
import { LatestJob, wireBoard } from "../jobs/latest_job.js";
import { whenQuiet } from "../jobs/when_quiet.js";
import { choice, el, labelled, section } from "../shell/dom.js";
import { sentenceOf } from "../shell/sentences.js";
import { t } from "../strings/index.js";

/** @typedef {import("../game/session.js").Session} Session */

const OWNER = "attention";
const PLAYER = "player";
/** How long the pointer rests on a square before the network is asked about it. */
const REST_MS = 60;

export class AttentionPart {
  /** @param {Session} session @param {AbortSignal} signal */
  constructor(session, signal) {
    this._session = session;
    this._job = new LatestJob({
      signal,
      fail: (error) => {
        this._text.textContent = sentenceOf(error);
        session.clearMarks(OWNER);
      },
    });
    /** The square under the pointer. */
    this._pointed = -1;
    const choosePointed = () => {
      this._chosen = String(this._pointed);
      this._ask();
    };
    this._chooseSoon = whenQuiet(choosePointed, REST_MS, signal);
    /** The square that attends: the player's, or the one that was chosen. */
    this._chosen = PLAYER;
    this._layer = 0;
    /** A head, or -1 for the mean of all. */
    this._head = -1;
    /** @type {any} */
    this._found = null;
    this._box = el("input", { type: "checkbox", onchange: () => this._ask() });
    this._from = this._choice("attend.from", (chosen) => (this._chosen = chosen));
    this._layers = this._choice("attend.layers", (chosen) => (this._layer = Number(chosen)));
    this._heads = this._choice("attend.heads", (chosen) => (this._head = Number(chosen)));
    this._choices = el(
      "div",
      { class: "stack", hidden: true },
      el("p", { class: "soft" }, t("attend.pointer")),
      ...[this._from, this._layers, this._heads],
    );
    this._text = el("p", { class: "soft", "aria-live": "polite" });
    this.element = section(
      t("attend.title"),
      labelled(t("attend.show"), this._box),
      this._choices,
      this._text,
    );
    session.addEventListener("level", () => this._reset(), { signal });
    session.addEventListener("change", () => this._follow(), { signal });
    document.addEventListener("pointermove", (event) => this._point(event), { signal });
    signal.addEventListener("abort", () => session.clearMarks(OWNER));
  }

  _reset() {
    this._chosen = PLAYER;
    this._found = null;
    this._follow();
  }

  /** Removes what was shown for another position. */
  _follow() {
    this._session.clearMarks(OWNER);
    this._ask();
  }

  /**
   * The square under the pointer attends, too; the choice in the panel works without a pointer.
   * @param {PointerEvent} event
   */
  _point(event) {
    const { view } = this._session;
    if (!this._box.checked || !view || event.target !== view.canvas) return;
    const square = view.squareAt(event.clientX, event.clientY);
    if (square < 0 || String(square) === this._chosen || !this._isInside(square)) return;
    this._pointed = square;
    this._chooseSoon();
  }

  /** @param {number} square */
  _isInside(square) {
    const { board } = this._session.game;
    /** @type {number[][]} */
    const squares = this._found?.squares ?? [];
    return squares.some((place) => board.at(place) === square);
  }

  async _ask() {
    this._job.stop();
    const { board } = this._session.game;
    if (!this._box.checked || !this._session.level) {
      this._session.clearMarks(OWNER);
      this._choices.hidden = true;
      this._text.textContent = "";
      return;
    }
    const square = this._chosen === PLAYER ? board.player : Number(this._chosen);
    this._text.textContent ||= t("opinion.loading");
    const args = { board: wireBoard(board), square: board.place(square) };
    const found = await this._job.run("attention", args);
    if (!found) return;
    this._found = found;
    this._show(square);
  }

  /** @param {number} square that attends */
  _show(square) {
    const { board } = this._session.game;
    const { squares, weights } = this._found;
    const heads = weights[Math.min(this._layer, weights.length - 1)];
    /** @type {number[]} */
    const shown = this._head < 0 ? meanOf(heads) : heads[Math.min(this._head, heads.length - 1)];
    const most = Math.max(...shown);
    const marks = squares.map((/** @type {number[]} */ place, /** @type {number} */ i) => ({
      square: board.at(place),
      kind: "heat",
      weight: most > 0 ? shown[i] / most : 0,
    }));
    marks.push({ square, kind: "focus" });
    this._session.setMarks(OWNER, marks);
    this._showChoices(weights.length, heads.length);
    const place = numbersOf(board, board.at(squares[shown.indexOf(most)]));
    this._text.textContent = t("attend.most", { ...place, percent: Math.round(100 * most) });
  }

  /** @param {number} numLayers @param {number} numHeads */
  _showChoices(numLayers, numHeads) {
    const { board } = this._session.game;
    /** @type {[string, string][]} */
    const from = [[PLAYER, t("attend.player")]];
    for (const box of board.boxSquares()) {
      from.push([String(box), t("attend.box", numbersOf(board, box))]);
    }
    if (!from.some(([value]) => value === this._chosen)) {
      from.push([this._chosen, t("say.at", numbersOf(board, Number(this._chosen)))]);
    }
    offer(this._from, from, this._chosen);
    offer(this._layers, numbered(numLayers, "layer"), String(this._layer));
    const heads = numbered(numHeads, "head");
    offer(this._heads, [["-1", t("attend.mean")], ...heads], String(this._head));
    this._choices.hidden = false;
  }

  /** A choice without options yet. @param {string} key @param {(chosen: string) => void} take */
  _choice(key, take) {
    const change = (/** @type {string} */ chosen) => {
      take(chosen);
      this._ask();
    };
    return choice({ label: t(key), options: [], value: "", change });
  }
}

/** @param {HTMLElement} made by `choice` @param {[string, string][]} options @param {string} value */
function offer(made, options, value) {
  const texts = options.map(([key, text]) => el("option", { value: key, selected: key === value }, text));
  made.querySelector("select")?.replaceChildren(...texts);
}

/** @param {number} count @param {"layer" | "head"} name @returns {[string, string][]} */
function numbered(count, name) {
  return Array.from({ length: count }, (_, index) => [
    String(index),
    t(`attention.${name}`, { [name]: index + 1 }),
  ]);
}

/** @param {number[][]} heads @returns {number[]} */
function meanOf(heads) {
  return heads[0].map((_, i) => heads.reduce((sum, head) => sum + head[i], 0) / heads.length);
}
