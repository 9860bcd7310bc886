/**
 * What the browser keeps: the progress in each level, what searches have found of it, settings,
 * and levels of the player's own.
 *
 * Each level has a record of its own, so that two tabs on different levels never overwrite each
 * other; a better solution is never overwritten by a worse one.
 */

import { countPushes } from "../rules/board.js";
import { collectionOf, foundOf, progressOf } from "./records.js";

const PREFIX = "tokoban:";
const LEVEL = `${PREFIX}level:`;
const FOUND = `${PREFIX}found:`;
const COLLECTION = `${PREFIX}collection:`;

/**
 * @typedef {import("./game.js").Snapshot} Snapshot
 * @typedef {{title: string, author?: string, notes?: string[], rows: string[],
 *   solutions: string[], saved?: {moves: string, at: number, title?: string}[],
 *   from?: string, id?: string}} Level `from` names its collection; a saved drawing has an `id`
 * @typedef {{rows: string[], title: string, author?: string, from?: string, moves: string, at: number,
 *   given?: number, snapshots: Snapshot[], bestByMoves?: string, bestByPushes?: string, begunAt?: number, playedAt: number}} Progress
 * @typedef {import("./found.js").Bests} Bests
 * @typedef {import("./found.js").Found} Found
 * @typedef {{id: string, name: string, credit?: string, levels: Level[]}} Collection
 */

/**
 * Sends "change" with `detail: {key, isFound, isCollection, isOther}` when a record changes, here or
 * in another tab; `isFound` tells what searches have found of a level from the progress in it.
 */
export class Store extends EventTarget {
  /** @param {Storage | null} storage null where the browser forbids it */
  constructor(storage) {
    super();
    this._storage = storage;
    /** Records that could not be written, and last only until the page is closed. */
    this._unwritten = new Set();
    /** Records by key: a list of 1,000 levels reads each once. @type {Map<string, any>} */
    this._cache = new Map();
    window.addEventListener("storage", (event) => {
      if (event.storageArea !== storage) return;
      const changed = event.key === null ? [...this._cache.keys()] : [event.key];
      for (const name of changed) this._forgetRead(name);
      this._tell(event.key ?? PREFIX, true);
    });
  }

  /** Whether something could not be written: storage is full or forbidden. */
  get isFull() {
    return this._unwritten.size > 0;
  }

  /** @param {string} key of the level @returns {Progress | null} */
  progress(key) {
    return this._read(LEVEL + key, progressOf);
  }

  /**
   * Keeps the progress in a level. The best solutions are those of the two records together.
   * @param {string} key
   * @param {Progress} progress
   */
  keepProgress(key, progress) {
    const known = this._readAnew(LEVEL + key, progressOf);
    const bests = [progress, known].flatMap(solutionsOf);
    const begunAt = known?.begunAt ?? Date.now();
    this._write(LEVEL + key, { ...progress, begunAt, ...bestOf(bests) });
  }

  /** @param {string} key of the level */
  removeProgress(key) {
    this._remove(LEVEL + key);
  }

  /** What searches have found of a level. @param {string} key @returns {Found | null} */
  found(key) {
    return this._readAnew(FOUND + key, foundOf);
  }

  /** @param {string} key @param {Found} found with what is kept already */
  keepFound(key, found) {
    this._write(FOUND + key, found);
  }

  /** @returns {Map<string, Progress>} by the level's key */
  allProgress() {
    const all = new Map();
    for (const name of this._names(LEVEL)) {
      const progress = this._read(name, progressOf);
      if (progress) all.set(name.slice(LEVEL.length), progress);
    }
    return all;
  }

  /** The player's own collections, the newest first. @returns {Collection[]} */
  collections() {
    const found = this._names(COLLECTION).map((name) => this._read(name, collectionOf));
    return found.filter(Boolean).sort((one, other) => other.id.localeCompare(one.id));
  }

  /** @param {string} id @returns {Collection | null} */
  collection(id) {
    return this._read(COLLECTION + id, collectionOf);
  }

  /**
   * @param {Collection} collection
   * @returns {boolean} false if storage is full: it lasts until the page is closed
   */
  keepCollection(collection) {
    return this._write(COLLECTION + collection.id, collection);
  }

  /** @param {string} id */
  removeCollection(id) {
    this._remove(COLLECTION + id);
  }

  /** @param {string} name */
  _remove(name) {
    this._cache.delete(name);
    this._unwritten.delete(name);
    this._storage?.removeItem(name);
    this._tell(name);
  }

  /** @param {string} name such as "settings" @returns {any} */
  value(name) {
    return this._read(PREFIX + name);
  }

  /** @param {string} name @param {any} value */
  keepValue(name, value) {
    this._write(PREFIX + name, value);
  }

  /** @param {string} prefix */
  _names(prefix) {
    const names = new Set([...this._cache.keys()].filter((name) => name.startsWith(prefix)));
    for (let index = 0; index < (this._storage?.length ?? 0); index++) {
      const name = this._storage?.key(index);
      if (name?.startsWith(prefix)) names.add(name);
    }
    return [...names];
  }

  /**
   * @param {string} name
   * @param {(value: any) => any} [check] what the record is, or null
   */
  _read(name, check = (value) => value) {
    if (!this._cache.has(name)) {
      let value = null;
      try {
        value = check(JSON.parse(this._storage?.getItem(name) ?? "null"));
      } catch {
        // A damaged record counts as none.
      }
      this._cache.set(name, value);
    }
    return this._cache.get(name);
  }

  /**
   * The record as another tab may have written it since this one last read.
   * @param {string} name
   * @param {(value: any) => any} check
   */
  _readAnew(name, check) {
    this._forgetRead(name);
    return this._read(name, check);
  }

  /** Lets a record be read again; one that is only here stays. @param {string} name */
  _forgetRead(name) {
    if (!this._unwritten.has(name)) this._cache.delete(name);
  }

  /** @param {string} name @param {any} value */
  _write(name, value) {
    this._cache.set(name, value);
    try {
      if (!this._storage) throw new Error("the browser forbids it");
      this._storage.setItem(name, JSON.stringify(value));
      this._unwritten.delete(name);
    } catch {
      this._unwritten.add(name);
    }
    this._tell(name);
    return !this._unwritten.has(name);
  }

  /** @param {string} name @param {boolean} [isOther] whether another tab has written */
  _tell(name, isOther = false) {
    const prefix = [LEVEL, FOUND].find((start) => name.startsWith(start)) ?? PREFIX;
    const isCollection = name.startsWith(COLLECTION);
    const detail = { key: name.slice(prefix.length), isFound: prefix === FOUND, isCollection, isOther };
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }
}

/** @param {Bests | null} bests @returns {string[]} those that there are */
export function solutionsOf(bests) {
  return [bests?.bestByMoves, bests?.bestByPushes].filter((moves) => moves !== undefined);
}

/**
 * Of solutions, the one with the fewest moves and the one with the fewest pushes.
 * @param {string[]} solutions
 * @returns {Bests}
 */
export function bestOf(solutions) {
  if (!solutions.length) return {};
  const figures = solutions.map((solution) => ({
    solution,
    moves: solution.length,
    pushes: countPushes(solution),
  }));
  const byMoves = figures.reduce((best, other) => lesser(best, other, "moves"));
  const byPushes = figures.reduce((best, other) => lesser(best, other, "pushes"));
  return { bestByMoves: byMoves.solution, bestByPushes: byPushes.solution };
}

/**
 * @template {{moves: number, pushes: number}} T
 * @param {T} one
 * @param {T} other
 * @param {"moves" | "pushes"} major
 * @returns {T}
 */
function lesser(one, other, major) {
  const minor = major === "moves" ? "pushes" : "moves";
  const difference = other[major] - one[major] || other[minor] - one[minor];
  return difference < 0 ? other : one;
}

/** @param {Progress | null} progress @returns {"unseen" | "tried" | "solved"} */
export function stateOf(progress) {
  if (!progress) return "unseen";
  return progress.bestByMoves ? "solved" : "tried";
}
