/** All collections: those of the server, and the player's own in the browser. */

import { ask } from "../server.js";
import { t } from "../strings/index.js";

/**
 * @typedef {import("../game/store.js").Store} Store
 * @typedef {import("../game/store.js").Level} Level
 * @typedef {import("../game/store.js").Collection} Collection
 */

/** Collections of the player's own have ids that begin so. */
export const OWN = "own-";

/** The collection that comes with tokoban. */
export const SHIPPED = "tokoban";

/** All levels with progress, the last played first. */
export const PLAYED = "played";

export class Collections {
  /** @param {Store} store */
  constructor(store) {
    this._store = store;
    /** @type {Map<string, Promise<Collection>>} */
    this._read = new Map();
  }

  /** @returns {Promise<{id: string, name: string, num_levels: number}[]>} */
  async list() {
    const own = this._store.collections().map(({ id, name, levels }) => ({
      id,
      name,
      num_levels: levels.length,
    }));
    const played = this._played();
    return [
      ...(await ask("api/collections")).collections,
      ...own,
      ...(played.levels.length ? [{ ...played, num_levels: played.levels.length }] : []),
    ];
  }

  /** @param {string} id @returns {Promise<Collection>} */
  get(id) {
    if (id === PLAYED) return Promise.resolve(this._played());
    const own = this._store.collection(id);
    if (own) return Promise.resolve(own);
    let reading = this._read.get(id);
    if (!reading) {
      reading = ask(`api/collections/${encodeURIComponent(id)}`);
      reading.catch(() => this._read.delete(id));
      this._read.set(id, reading);
    }
    return reading;
  }

  /**
   * Keeps levels as a collection of the player's own, unless one has just these. A name that
   * another one has gets a number.
   * @param {string} name
   * @param {Level[]} levels
   * @param {string} [credit]
   * @returns {{id: string, isKept: boolean, known?: string}} not kept if storage is full;
   *   the name of the collection that was there already
   */
  add(name, levels, credit = "") {
    const content = JSON.stringify(levels);
    const all = this._store.collections();
    const same = all.find(
      (own) => own.levels.length === levels.length && JSON.stringify(own.levels) === content,
    );
    if (same) return { id: same.id, isKept: true, known: same.name };
    const id = `${OWN}${Date.now().toString(36)}`;
    let ownName = name;
    for (let number = 2; all.some((own) => own.name === ownName); number += 1) {
      ownName = `${name} (${number})`;
    }
    const isKept = this._store.keepCollection({ id, name: ownName, credit, levels });
    return { id, isKept };
  }

  /** @param {string} id */
  remove(id) {
    this._store.removeCollection(id);
  }

  /** The id of the collection that is opened first: the first file given to the server, if any. */
  async first() {
    /** @type {{collections: {id: string}[]}} */
    const { collections } = await ask("api/collections");
    return collections.find(({ id }) => id !== SHIPPED)?.id ?? SHIPPED;
  }

  /** @returns {Collection} */
  _played() {
    const played = [...this._store.allProgress().values()];
    played.sort((one, other) => other.playedAt - one.playedAt);
    const levels = played.map(({ title, author, rows }) => ({ title, author, rows, solutions: [] }));
    return { id: PLAYED, name: t("levels.played"), levels };
  }
}
