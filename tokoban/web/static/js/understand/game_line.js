/** What is known and thought of each position of a game: opinions of the policy, and proofs. */

import { LatestJob, wireBoard } from "../jobs/latest_job.js";
import { advance } from "../rules/board.js";
import { sentenceOf } from "../shell/sentences.js";

/**
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {{at: number, pushes_left: number | null, deadlocked: number}} Point an opinion
 * @typedef {{at: number, pushes_left: number | null, is_deadlocked: boolean}} Proof
 */

/** So long after the last move the policy is asked about new positions. */
const ASK_AFTER_MS = 150;

/** Sends "change" when points or proofs change. */
export class GameLine extends EventTarget {
  /** @param {Session} session */
  constructor(session) {
    super();
    this._session = session;
    this._opinions = new LatestJob({
      fail: (error) => {
        // The policy cannot read such a level; a server that is lost may come back.
        if (error.code === "refused") this.refusal = sentenceOf(error);
        this._tell();
      },
    });
    this._proofs = new LatestJob();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    this._moves = "";
    /** By the number of moves. @type {Map<number, Point>} */
    this.points = new Map();
    /** @type {Map<number, Proof>} */
    this.proofs = new Map();
    /** Why there are no opinions, such as a board too large. */
    this.refusal = "";
    this._abort = new AbortController();
    const { signal } = this._abort;
    session.addEventListener("level", () => this._open(), { signal });
    session.addEventListener("change", () => this._follow(), { signal });
    this._open();
  }

  get isProving() {
    return this._proofs.isRunning;
  }

  destroy() {
    this._abort.abort();
    clearTimeout(this._timer);
    this._opinions.stop();
    this._proofs.stop();
  }

  /** Proves what it can of the whole line, from its end. */
  async prove() {
    const { game } = this._session;
    const proving = this._proofs.run(
      "prove_line",
      { board: wireBoard(game.start), moves: game.moves },
      (event) => {
        if (event.event !== "answer") return;
        this.proofs.set(event.at, /** @type {any} */ (event));
        this._tell();
      },
    );
    this._tell();
    try {
      await proving;
    } finally {
      this._tell();
    }
  }

  stopProving() {
    this._proofs.stop();
    this._tell();
  }

  _open() {
    this._moves = "";
    this.points.clear();
    this.proofs.clear();
    this.refusal = "";
    this._follow(true);
  }

  /** Keeps what the new line has in common with the old one. @param {unknown} [isNew] */
  _follow(isNew = false) {
    const { moves } = this._session.game;
    if (moves === this._moves && isNew !== true) {
      this._tell();
      return;
    }
    let same = 0;
    while (same < moves.length && moves[same] === this._moves[same]) same += 1;
    for (const known of [this.points, this.proofs]) {
      for (const at of known.keys()) if (at > same) known.delete(at);
    }
    // What is still to come is about moves that are gone.
    if (isNew === true || same < this._moves.length) {
      this._opinions.stop();
      this._proofs.stop();
    }
    this._moves = moves;
    clearTimeout(this._timer);
    if (this._session.level && !this.refusal) {
      this._timer = setTimeout(() => this._ask(), ASK_AFTER_MS);
    }
    this._tell();
  }

  async _ask() {
    const { game } = this._session;
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
