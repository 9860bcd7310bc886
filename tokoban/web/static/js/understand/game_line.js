/** What the policy thinks of each position of a game. */

import { LatestJob, wireBoard } from "../jobs/latest_job.js";
import { whenQuiet } from "../jobs/when_quiet.js";
import { advance } from "../rules/board.js";
import { sentenceOf } from "../shell/sentences.js";
import { sameMoves } from "./lost.js";

/**
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {{at: number, pushes_left: number | null, deadlocked: number}} Point an opinion
 */

/** The time from the last move until the policy is asked about new positions. */
const ASK_AFTER_MS = 150;

/** Sends "change" when the game or the points change. */
export class GameLine extends EventTarget {
  /** @param {Session} session @param {AbortSignal} signal */
  constructor(session, signal) {
    super();
    this._session = session;
    this._opinions = new LatestJob({
      signal,
      fail: (error) => {
        // The policy cannot read such a level; a server that is lost may come back.
        if (error.code === "refused") this.refusal = sentenceOf(error);
        this._tell();
      },
    });
    this._askSoon = whenQuiet(() => this._ask(), ASK_AFTER_MS, signal);
    this._moves = "";
    /** By the number of moves. @type {Map<number, Point>} */
    this.points = new Map();
    /** Why there are no estimates, such as a board too large. */
    this.refusal = "";
    session.addEventListener("level", () => this._open(), { signal });
    session.addEventListener("change", () => this._follow(), { signal });
    this._open();
  }

  _open() {
    this._moves = "";
    this.points.clear();
    this.refusal = "";
    this._follow(true);
  }

  /** Keeps what the new line has in common with the old one. @param {boolean} [isNew] */
  _follow(isNew = false) {
    const { moves } = this._session.game;
    if (moves === this._moves && !isNew) {
      this._tell();
      return;
    }
    const same = sameMoves(moves, this._moves);
    for (const at of this.points.keys()) if (at > same) this.points.delete(at);
    // What is still to come is about moves that are gone.
    if (isNew || same < this._moves.length) this._opinions.stop();
    this._moves = moves;
    this._askSoon();
    this._tell();
  }

  async _ask() {
    const { game, level } = this._session;
    if (!level || this.refusal) return;
    const known = Math.max(0, ...this.points.keys());
    const board = advance(game.start, this._moves.slice(0, known)).board;
    const moves = this._moves.slice(known);
    await this._opinions.run("predict_line", { board: wireBoard(board), moves }, (event) => {
      if (event.event !== "answer") return;
      for (const point of event.points) {
        this.points.set(known + point.at, { ...point, at: known + point.at });
      }
      this._tell();
    });
  }

  _tell() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}
