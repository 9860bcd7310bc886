/** Watches a game for positions that are lost: by static rules at once, then by proofs of the server. */

import { LatestJob, wireBoard } from "../jobs/latest_job.js";
import { whenQuiet } from "../jobs/when_quiet.js";
import { solutionsOf } from "../game/store.js";
import { deadSquares, staticDeadlock } from "../rules/deadlocks.js";

/**
 * @typedef {import("../rules/board.js").Board} Board
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {{boxes: number[], reason: "dead-square" | "frozen"}} Static
 * @typedef {{moves: string, certificate: any, boxes: number[]}} Proved
 */

/** Held keys repeat faster than this; only the position where they end is asked about. */
const ASK_AFTER_MS = 40;
const MAX_KEPT = 500;

/** Sends "change" when what is known of the position changes. */
export class LostWatch extends EventTarget {
  /** @param {Session} session @param {AbortSignal} signal */
  constructor(session, signal) {
    super();
    this._session = session;
    // Without the server there are the static rules.
    this._job = new LatestJob({ signal, fail: () => this._tell() });
    this._askSoon = whenQuiet(() => this._ask(), ASK_AFTER_MS, signal);
    /** The dead squares of the level. @type {Uint8Array | null} */
    this._dead = null;
    /** What the server said, by the moves up to the last push. @type {Map<string, any>} */
    this._answers = new Map();
    /** By rules without a search. @type {Static | null} */
    this.static = null;
    /** The proof, and the moves up to the push that lost. @type {Proved | null} */
    this.proved = null;
    /** A solution of the level that leads through this position. @type {string | undefined} */
    this.solution = undefined;
    /** The pushes that are left of it. @type {number | null} */
    this.pushesLeft = null;
    session.addEventListener("level", () => this._open(), { signal });
    session.addEventListener("change", () => this._look(), { signal });
    this._open();
  }

  /** Whether a proof is looked for. @returns {boolean} */
  get isSearching() {
    return this._job.isRunning;
  }

  /** Whether the position is known to be lost. @returns {boolean} */
  get isLost() {
    return this.static !== null || this.proved !== null;
  }

  /** The moves after which the game was lost first; null where that is not known. */
  get lostAt() {
    return this.proved ? this.proved.moves.length : null;
  }

  /** The same for the whole line, of which a part may have been taken back. */
  get lineLostAt() {
    const { moves } = this._session.game;
    const losses = [...this._answers.values()].filter(
      (answer) => answer.status === "deadlocked" && moves.startsWith(answer.moves),
    );
    return losses.length ? Math.min(...losses.map((answer) => answer.moves.length)) : null;
  }

  /**
   * How many moves of the line lead to positions that are known to be solvable; -1 if not even the
   * start is.
   */
  get lineSolvableAt() {
    const { game, bests } = this._session;
    const found = [...this._answers.values()].map(({ moves, solution }) => solution && moves + solution);
    const known = [...solutionsOf(bests), ...found].filter(Boolean);
    return Math.max(-1, ...known.map((moves) => sameMoves(moves, game.moves)));
  }

  /** The boxes to blame that still stand where they are to blame. @returns {number[]} */
  get guilty() {
    const { boxes } = this._session.game.board;
    const proved = this.proved?.boxes ?? [];
    if (proved.length && proved.every((square) => boxes[square])) return proved;
    return this.static?.boxes ?? [];
  }

  _open() {
    this._dead = null;
    this.proved = null;
    this._answers.clear();
    this._look();
  }

  _look() {
    const { game, level } = this._session;
    this._job.stop();
    this.static = null;
    this.solution = undefined;
    this.pushesLeft = null;
    const { board, played } = game;
    if (!level || board.isSolved()) {
      this.proved = null;
      this._tell();
      return;
    }
    this._dead ??= deadSquares(board);
    this.static = staticDeadlock(board, this._dead);
    // A line that goes on from a lost position is lost.
    if (this.proved && !played.startsWith(this.proved.moves)) this.proved = null;
    if (!this.proved) {
      const answer = this._answers.get(upToLastPush(played));
      if (answer) this._take(answer);
      else this._askSoon();
    }
    this._tell();
  }

  async _ask() {
    const { game, level, levelKey } = this._session;
    const moves = upToLastPush(game.played);
    if (!level || game.board.isSolved() || this.proved || this._answers.has(moves)) return;
    const asking = this._job.run("explain", { board: wireBoard(game.start), moves });
    this._tell();
    const answer = await asking;
    if (!answer || this._session.levelKey !== levelKey) return;
    if (this._answers.size >= MAX_KEPT) this._answers.clear();
    this._answers.set(moves, answer);
    this._take(answer);
    this._tell();
  }

  /** @param {any} answer of the job "explain" */
  _take({ status, moves, certificate, boxes, solution, num_pushes: numPushes }) {
    this.solution = solution === null ? undefined : moves + solution;
    this.pushesLeft = numPushes;
    if (status !== "deadlocked") return;
    const { board } = this._session.game;
    this.proved = { moves, certificate, boxes: boxes.map(board.at, board) };
  }

  _tell() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}

/** @param {string} one @param {string} other @returns {number} how many moves they begin with alike */
export function sameMoves(one, other) {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}

/** @param {string} moves @returns {string} without the walk after the last push */
export function upToLastPush(moves) {
  let end = moves.length;
  while (end > 0 && moves[end - 1] >= "a") end -= 1;
  return moves.slice(0, end);
}
