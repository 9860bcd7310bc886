/** One game: a start, the moves of its line, and how many of them are played. */

import { advance, countPushes, retreat } from "../rules/board.js";

/** @typedef {import("../rules/board.js").Board} Board */
/**
 * `given`: from which move on a search, a hint or a file has made the moves, not the player.
 * @typedef {{moves: string, at: number, given?: number}} Line
 * @typedef {Line & {name: string}} Snapshot
 */

/** How many abandoned lines are kept, the newest ones. */
const MAX_LEFT_LINES = 30;

/**
 * Sends "change" with `detail: {from, to, isJump}` after every change: from and to are counts of
 * moves on the line, and a jump is a change of the line behind them.
 */
export class Game extends EventTarget {
  /**
   * @param {Board} start
   * @param {{moves?: string, at?: number, given?: number, snapshots?: Snapshot[]}} [kept] of an
   *   earlier visit; moves that the rules forbid are dropped with all behind them
   */
  constructor(start, kept = {}) {
    super();
    this.start = start;
    /** The whole line, also what is ahead for redo. @type {string} */
    this.moves = advance(start, kept.moves ?? "").letters;
    /** How many of the moves are played. @type {number} */
    this.at = clamp(kept.at ?? 0, this.moves.length);
    /** As of a line. @type {number | undefined} */
    this.given = kept.given;
    /** @type {Board} */
    this.board = this.boardAt(this.at);
    /** @type {Snapshot[]} */
    this.snapshots = (kept.snapshots ?? []).map((snapshot) => ({ ...snapshot }));
    /** Lines that another move has cut off, the newest last. @type {Line[]} */
    this.leftLines = [];
  }

  /** The moves played so far. @returns {string} */
  get played() {
    return this.moves.slice(0, this.at);
  }

  /** Whether the player has made all moves played so far. @returns {boolean} */
  get isOwn() {
    return this.given === undefined || this.at <= this.given;
  }

  /** @returns {number} */
  get numPushes() {
    return countPushes(this.played);
  }

  /** @param {number} at @returns {Board} the board after so many moves of the line */
  boardAt(at) {
    return advance(this.start, this.moves.slice(0, at)).board;
  }

  /**
   * Makes moves up to the first that the rules forbid, or to the solution.
   * @param {string} lurd in either case
   * @param {boolean} [byHand] false for moves that a hint makes
   * @returns {string} the moves made
   */
  play(lurd, byHand = true) {
    let { board } = this;
    let made = "";
    for (const letter of lurd) {
      const after = board.isSolved() ? null : advance(board, letter);
      if (!after?.letters) break;
      board = after.board;
      made += after.letters;
    }
    if (!made) return "";
    const from = this.at;
    const wasOwn = this.isOwn;
    const ahead = this.moves.slice(from);
    // Making an undone move by hand keeps the moves after it for redo.
    if (!ahead.startsWith(made)) {
      if (!made.startsWith(ahead)) this._leaveLine();
      if (wasOwn) this.given = undefined;
      this.moves = this.played + made;
    }
    this.at = from + made.length;
    if (wasOwn && !byHand) this.given = from;
    // Given moves that the player makes by hand become the player's own.
    else if (wasOwn && !this.isOwn) this.given = this.at;
    this.board = board;
    this._tell(from, this.at);
    return made;
  }

  /** @param {number} at goes to the position after so many moves of the line */
  goTo(at) {
    const from = this.at;
    const to = clamp(at, this.moves.length);
    if (to === from) return;
    this.board =
      to > from
        ? advance(this.board, this.moves.slice(from, to)).board
        : retreat(this.board, this.moves.slice(to, from));
    this.at = to;
    this._tell(from, to);
  }

  undo() {
    this.goTo(this.at - 1);
  }

  redo() {
    this.goTo(this.at + 1);
  }

  /** Takes back the walk and the push before it, or the walk to the start. */
  undoPush() {
    let at = this.at - 1;
    while (at > 0 && this.moves[at] >= "a") at -= 1;
    this.goTo(at);
  }

  /** Makes moves again up to and with the next push. */
  redoPush() {
    let at = this.at;
    while (at < this.moves.length && this.moves[at] >= "a") at += 1;
    this.goTo(at + 1);
  }

  /** Back to the start; the line stays, so that a restart is undone by going forward. */
  restart() {
    this.goTo(0);
  }

  /**
   * Puts another line in place of this one, which is kept.
   * @param {string} moves
   * @param {number} [at]
   * @param {number} [given] as of a line
   */
  replaceLine(moves, at = moves.length, given = undefined) {
    const legal = advance(this.start, moves).letters;
    if (legal === this.moves) return this.goTo(at);
    if (this.moves && !legal.startsWith(this.moves)) this._leaveLine();
    this.leftLines = this.leftLines.filter((line) => line.moves !== legal);
    const from = this.at;
    this.moves = legal;
    this.given = given;
    this.at = clamp(at, legal.length);
    this.board = this.boardAt(this.at);
    this._tell(from, this.at, true);
  }

  /** Brings the line back that was left last; the present one is kept in its place. */
  returnToLeftLine() {
    const line = this.leftLines.pop();
    if (line) this.replaceLine(line.moves, line.at, line.given);
  }

  /** @param {string} name */
  addSnapshot(name) {
    const { given } = this;
    this.snapshots.push({ moves: this.played, at: this.at, given, name });
    this._tell(this.at, this.at);
  }

  /** @param {number} index */
  removeSnapshot(index) {
    this.snapshots.splice(index, 1);
    this._tell(this.at, this.at);
  }

  /** @param {number} index */
  openSnapshot(index) {
    const { moves, at, given } = this.snapshots[index];
    if (this.moves.startsWith(moves)) this.goTo(at);
    else this.replaceLine(moves, at, given);
  }

  _leaveLine() {
    this.leftLines.push({ moves: this.moves, at: this.moves.length, given: this.given });
    if (this.leftLines.length > MAX_LEFT_LINES) this.leftLines.shift();
  }

  /** @param {number} from @param {number} to @param {boolean} [isJump] */
  _tell(from, to, isJump = false) {
    this.dispatchEvent(new CustomEvent("change", { detail: { from, to, isJump } }));
  }
}

/** @param {number} at @param {number} most */
function clamp(at, most) {
  return Math.max(0, Math.min(most, Math.trunc(at) || 0));
}
