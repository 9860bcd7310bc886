/** The curve of the pushes left along a game, a drawing to click on. */

import { countPushes } from "../rules/board.js";
import { shape } from "../shell/dom.js";
import { t } from "../strings/index.js";

/**
 * @typedef {import("./game_line.js").GameLine} GameLine
 * @typedef {import("../game/game.js").Game} Game
 */

const WIDTH = 400;
const HEIGHT = 150;
const LEFT = 28;
const BOTTOM = 20;
const TOP = 8;
const RIGHT = 8;

export class Chart {
  /** @param {(at: number) => void} onChoose a position was clicked: after so many moves */
  constructor(onChoose) {
    this.element = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img" });
    /** The moves after which the shown positions come. @type {number[]} */
    this._turns = [0];
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const x = ((/** @type {MouseEvent} */ (event).clientX - box.left) / box.width) * WIDTH;
      const last = this._turns.length - 1;
      const push = Math.round(((x - LEFT) / (WIDTH - LEFT - RIGHT)) * Math.max(1, last));
      onChoose(this._turns[Math.max(0, Math.min(last, push))]);
    });
  }

  /**
   * @param {Game} game
   * @param {GameLine} line
   * @param {number | null} lostAt from so many moves on the game is lost, which is proved
   * @param {number} solvableAt up to so many moves a solution is known, so that no suspicion counts
   */
  show(game, line, lostAt, solvableAt) {
    const turns = [0];
    for (let at = 0; at < game.moves.length; at++) if (game.moves[at] < "a") turns.push(at + 1);
    this._turns = turns;
    const values = [...line.points.values()].map(({ pushes_left: left }) => left ?? 0);
    const most = Math.max(4, ...values);
    const x = (/** @type {number} */ turn) =>
      LEFT + ((WIDTH - LEFT - RIGHT) * turn) / Math.max(1, turns.length - 1);
    const y = (/** @type {number} */ left) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - left / most);
    const parts = [];
    const firstLost = turns.findIndex((at) => at >= (lostAt ?? Infinity));
    if (firstLost >= 0) {
      const from = x(Math.max(0, firstLost - 0.5));
      parts.push(
        shape("rect", {
          class: "lost",
          x: from,
          y: TOP,
          width: Math.max(3, WIDTH - RIGHT - from),
          height: HEIGHT - TOP - BOTTOM,
        }),
      );
    }
    for (const value of [0, most]) {
      const height = y(value);
      parts.push(shape("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: height, y2: height }));
      parts.push(words(`${Math.round(value)}`, LEFT - 4, height + 4, "end"));
    }
    parts.push(words(`${turns.length - 1}`, WIDTH - RIGHT, HEIGHT - 4, "end"));
    parts.push(words("0", LEFT, HEIGHT - 4, "start"));
    parts.push(...this._opinions(turns, line, solvableAt, x, y));
    const here = countPushes(game.played);
    parts.push(shape("line", { class: "here", x1: x(here), x2: x(here), y1: TOP, y2: HEIGHT - BOTTOM }));
    this.element.replaceChildren(...parts);
    this.element.setAttribute("aria-label", describe(game, line, firstLost));
  }

  /**
   * @param {number[]} turns @param {GameLine} line @param {number} solvableAt
   * @param {(turn: number) => number} x @param {(left: number) => number} y
   */
  _opinions(turns, line, solvableAt, x, y) {
    const parts = [];
    let path = "";
    for (const [turn, at] of turns.entries()) {
      const point = line.points.get(at);
      if (!point || point.pushes_left === null) {
        path += " ";
        continue;
      }
      path += `${path === "" || path.endsWith(" ") ? "M" : "L"}${x(turn)},${y(point.pushes_left)}`;
      if (point.deadlocked > 0.5 && at > solvableAt) {
        const centre = { cx: x(turn), cy: y(point.pushes_left) };
        parts.push(shape("circle", { class: "doubtful", ...centre, r: 4 }));
      }
    }
    return [shape("path", { class: "opinion", d: path.trim() }), ...parts];
  }
}

/**
 * The drawing in words.
 * @param {Game} game @param {GameLine} line @param {number} firstLost
 */
function describe(game, line, firstLost) {
  const here = countPushes(game.played);
  const at = [...line.points.keys()].filter((known) => known <= game.at).at(-1);
  const left = at === undefined ? null : line.points.get(at)?.pushes_left;
  const opinion = left == null ? "" : t("line.here", { pushes: here, left: Math.round(left) });
  const lost = firstLost >= 0 ? t("line.lost-from", { pushes: firstLost }) : "";
  return [t("line.title"), opinion, lost].filter(Boolean).join(". ");
}

/** @param {string} text @param {number} x @param {number} y @param {string} anchor */
function words(text, x, y, anchor) {
  const made = shape("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}
