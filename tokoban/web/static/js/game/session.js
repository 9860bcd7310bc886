/** The level being played, its game, its picture and the marks on it, for all panels. */

import { Board, countPushes } from "../rules/board.js";
import { levelKey } from "../rules/text.js";
import { merged, replayed } from "./found.js";
import { Game } from "./game.js";
import { t } from "../strings/index.js";
import { bestOf, solutionsOf } from "./store.js";

/**
 * @typedef {import("./store.js").Level} Level
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("../board/marks.js").Mark} Mark
 * @typedef {{collection: string, index: number}} Place
 */

/** While no level is open: nothing can be moved, and nothing is solved. */
const NO_LEVEL = ["#####", "#@#$#", "#####"];

/** The time after the last move until moves are written to the browser's storage; also on leaving. */
const KEEP_AFTER_MS = 200;

/**
 * Sends "level" when another level is opened, "change" (detail as the game's) when the position
 * changes, "marks" when marks change, "known" when searches have proved bounds or found solutions,
 * "shown" when a solution is there to be redone, and "solved" with `detail: {isBest}` when moves
 * have led to a solution: whether it is better than the player's own, or where there was none, than
 * any that was known.
 */
export class Session extends EventTarget {
  /** @param {Store} store */
  constructor(store) {
    super();
    this._store = store;
    /** @type {Level | null} */
    this.level = null;
    this.levelKey = "";
    /** Where the level is in its collection. @type {Place | null} */
    this.place = null;
    this.game = new Game(Board.fromRows(NO_LEVEL));
    /** The picture of the board, while a view shows one. @type {any} */
    this.view = null;
    /** @type {boolean} */
    this.marksHidden = false;
    /** @type {Map<string, Mark[]>} */
    this._marks = new Map();
    /** What searches have found of the level. @type {import("./found.js").Found} */
    this._found = { bounds: {} };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    this._onChange = (/** @type {Event} */ event) => this._changed(/** @type {CustomEvent} */ (event));
    store.addEventListener("change", (event) => {
      const { key, isFound, isOther } = /** @type {CustomEvent} */ (event).detail;
      if (!isOther || key !== this.levelKey) return;
      if (isFound) this._takeFound();
      else this.takeOver();
    });
    window.addEventListener("pagehide", () => this.keep());
    document.addEventListener("visibilitychange", () => this.keep());
  }

  /**
   * Opens a level where it was left; a level that was left solved opens at its start. The saved
   * games of a file are kept positions of a level that has not been played.
   * @param {Level} level
   * @param {Place | null} [place]
   */
  open(level, place = null) {
    this.keep();
    const start = Board.fromRows(level.rows);
    this.game.removeEventListener("change", this._onChange);
    this.level = level;
    this.place = place;
    this.levelKey = levelKey(level.rows);
    const kept = this._store.progress(this.levelKey);
    this.game = new Game(start, kept ?? { snapshots: savedGames(level) });
    if (this.game.board.isSolved()) this.game.restart();
    this.game.addEventListener("change", this._onChange);
    this._marks.clear();
    this._found = this._foundWith();
    this._store.keepValue("last", { level, place });
    this.dispatchEvent(new CustomEvent("level"));
    this._tellMarks();
  }

  /** The player's best solutions. @returns {Bests} */
  get own() {
    return this._store.progress(this.levelKey) ?? {};
  }

  /** The best solutions known: the player's, those of the level's file, those of searches. */
  get bests() {
    return bestOf([...this._given, ...solutionsOf(this._found)]);
  }

  /** Proved lower bounds of the level. */
  get bounds() {
    return this._found.bounds;
  }

  /**
   * Puts a solution on the line that the player has not made: it is shown, but never counted as
   * the player's.
   * @param {string} moves from the level's start
   * @param {number} at so many of them are played, by the player
   */
  showSolution(moves, at) {
    this.addSolution(moves);
    this.game.replaceLine(moves, at, at);
    this.dispatchEvent(new CustomEvent("shown"));
  }

  /** Takes a solution that a search has found. @param {string} moves from the level's start */
  addSolution(moves) {
    const found = bestOf([moves]);
    this._takeFound(isBetter(found, this.bests) ? { ...found, bounds: {} } : undefined);
  }

  /**
   * Takes lower bounds that a search has proved of the level's start; the higher ones stay.
   * @param {{moves?: number | null, pushes?: number | null}} bounds
   */
  setBounds({ moves, pushes }) {
    this._takeFound({ bounds: { moves: moves ?? undefined, pushes: pushes ?? undefined } });
  }

  /**
   * Shows marks on the board in place of the owner's earlier ones.
   * @param {string} owner such as a panel's id
   * @param {Mark[]} marks
   */
  setMarks(owner, marks) {
    this._marks.set(owner, marks);
    this._tellMarks();
  }

  /** @param {string} owner */
  clearMarks(owner) {
    if (this._marks.delete(owner)) this._tellMarks();
  }

  /** All marks that are to be seen now. @returns {Mark[]} */
  get marks() {
    return this.marksHidden ? [] : [...this._marks.values()].flat();
  }

  toggleMarks() {
    this.marksHidden = !this.marksHidden;
    this._tellMarks();
  }

  /** Writes the progress now, if there is any that is not yet written. */
  keep() {
    if (this._timer === undefined) return;
    clearTimeout(this._timer);
    this._timer = undefined;
    if (!this.level) return;
    const { moves, at, given, snapshots, board, played, isOwn } = this.game;
    this._store.keepProgress(this.levelKey, {
      rows: this.level.rows,
      title: this.level.title,
      author: this.level.author,
      from: this.level.from,
      moves,
      at,
      given,
      snapshots,
      playedAt: Date.now(),
      ...(board.isSolved() && isOwn ? bestOf([played]) : {}),
    });
  }

  /** Removes the progress in the level, which begins again. */
  forget() {
    clearTimeout(this._timer);
    this._timer = undefined;
    if (!this.level) return;
    this._store.removeProgress(this.levelKey);
    this.open(this.level, this.place);
  }

  /** Solutions of the level that the player or its file has. @returns {string[]} */
  get _given() {
    return [...solutionsOf(this.own), ...(this.level?.solutions ?? [])];
  }

  /**
   * What the store has of the level together with more.
   * @param {import("./found.js").Found[]} more
   */
  _foundWith(...more) {
    const kept = replayed(this._store.found(this.levelKey), this.game.start);
    return merged([kept, ...more], bestOf(this._given));
  }

  /**
   * Takes what a search has found, here or in another tab, whose findings are in the store.
   * @param {import("./found.js").Found} [found]
   */
  _takeFound(found = { bounds: {} }) {
    const before = JSON.stringify(this._found);
    this._found = this._foundWith(this._found, found);
    const isNew = JSON.stringify(this._found) !== before;
    if (isNew && this.level) this._store.keepFound(this.levelKey, this._found);
    this.dispatchEvent(new CustomEvent("known"));
  }

  /**
   * Another tab has this level open, or a file has brought progress in it: what they keep or
   * remove, this game does not undo, and it goes on from their moves, but for moves made here that
   * are not yet written.
   */
  takeOver() {
    const { game } = this;
    const kept = this._store.progress(this.levelKey);
    const snapshots = kept?.snapshots ?? [];
    const from = game.at;
    const before = JSON.stringify([game.snapshots, game.moves, from]);
    game.snapshots = snapshots.map((snapshot) => ({ ...snapshot }));
    if (kept && this._timer === undefined) {
      game.removeEventListener("change", this._onChange); // it has nothing to write, and no solution to announce
      game.replaceLine(kept.moves, kept.at, kept.given);
      game.addEventListener("change", this._onChange);
    }
    this.dispatchEvent(new CustomEvent("known"));
    if (JSON.stringify([snapshots, game.moves, game.at]) === before) return;
    const detail = { from, to: game.at, isJump: true };
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }

  /** @param {CustomEvent} event */
  _changed(event) {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this.keep(), KEEP_AFTER_MS);
    const { from, to } = event.detail;
    const isSolved = to > from && this.game.board.isSolved();
    const before = this.own.bestByMoves === undefined ? this.bests : this.own;
    if (isSolved) this.keep();
    this.dispatchEvent(new CustomEvent("change", { detail: event.detail }));
    if (!isSolved) return;
    const isBest = isBetter(this.own, before);
    this.dispatchEvent(new CustomEvent("solved", { detail: { isBest } }));
  }

  _tellMarks() {
    this.dispatchEvent(new CustomEvent("marks"));
  }
}

/**
 * Whether solutions have fewer moves or pushes than those known before.
 * @typedef {import("./found.js").Bests} Bests
 * @param {Bests} after
 * @param {Bests} before
 */
function isBetter(after, before) {
  // Of equal solutions `bestOf` takes the first.
  const { bestByMoves, bestByPushes } = bestOf([before, after].flatMap(solutionsOf));
  return bestByMoves !== before.bestByMoves || bestByPushes !== before.bestByPushes;
}

/** @param {Level} level @returns {import("./game.js").Snapshot[]} */
function savedGames({ saved = [] }) {
  return saved.map(({ moves, at, title }) => ({
    moves,
    at,
    name: savedGameName(title) || snapshotName(moves.slice(0, at)),
  }));
}

/** The name of a saved game of a file; empty where programs gave the title. @param {string} [title] */
export function savedGameName(title = "") {
  return /^(snapshot|savegame)?\s*\d*$/i.test(title) ? "" : title;
}

/** The name of a kept position by its figures. */
const BY_FIGURES = "moves.snapshot-name";

/** @param {string} played */
const figuresOf = (played) => ({ moves: played.length, pushes: countPushes(played) });

/** @param {string} played @returns {string} how the position after these moves is called */
export function snapshotName(played) {
  return t(BY_FIGURES, figuresOf(played));
}

/**
 * The name of a kept position: one by its figures is shown in the page's language, whichever it was
 * kept in.
 * @param {import("./game.js").Snapshot} snapshot
 */
export function shownName({ name, moves, at }) {
  const figures = figuresOf(moves.slice(0, at));
  const names = [t(BY_FIGURES, figures, "en"), t(BY_FIGURES, figures, "de")];
  return names.includes(name) ? t(BY_FIGURES, figures) : name;
}
