/** All collections: those of the server, and the player's own in the browser. */

import { keptDrawing } from "../editor/draft.js";
import { isLevel } from "../game/records.js";
import { ask } from "../server.js";
import { t } from "../strings/index.js";

/**
 * @typedef {import("../game/store.js").Store} Store
 * @typedef {import("../game/store.js").Level} Level
 * @typedef {import("../game/store.js").Collection} Collection
 * @typedef {{id: string, name: string, num_levels: number}} Entry of a list of collections
 */

/** Collections of the player's own have ids that begin so. */
export const OWN = "own-";

/** Where the drawings of the editor are kept. */
const DRAWINGS = `${OWN}drawings`;

/** The collection that comes with tokoban. */
export const SHIPPED = "tokoban";

/** All levels with progress, in the order in which they were begun, so that addresses stay the same. */
export const PLAYED = "played";

/** The drawing of the editor, the only level of its collection. */
export const DRAWN = "drawing";

export class Collections {
  /** @param {Store} store */
  constructor(store) {
    this._store = store;
    /** @type {Map<string, Promise<Collection>>} */
    this._read = new Map();
    /** @type {Promise<{collections: Entry[]}> | undefined} */
    this._served = undefined;
  }

  /** Those of the server. @returns {Promise<Entry[]>} */
  async served() {
    this._served ??= ask("api/collections");
    try {
      return (await this._served).collections;
    } catch (error) {
      this._served = undefined; // it may be there again later
      throw error;
    }
  }

  /** Those in the browser. @returns {Entry[]} */
  own() {
    const played = this._played();
    const all = [...this._store.collections(), ...(played.levels.length ? [played] : [])];
    return all.map(({ id, name, levels }) => ({ id, name, num_levels: levels.length }));
  }

  /** @param {string} id @returns {Promise<Collection>} */
  get(id) {
    if (id === PLAYED) return Promise.resolve(this._played());
    if (id === DRAWN) return Promise.resolve(this._drawn());
    const own = this._store.collection(id);
    if (own) return Promise.resolve(withOrigin(own));
    let reading = this._read.get(id);
    if (!reading) {
      reading = ask(`api/collections/${encodeURIComponent(id)}`).then(withOrigin);
      reading.catch(() => this._read.delete(id));
      this._read.set(id, reading);
    }
    return reading;
  }

  /**
   * The collection that has just these levels, or has among others a single one that brings no
   * solution.
   * @param {Level[]} levels
   * @returns {Promise<{id: string, name: string, index: number} | undefined>}
   */
  async find(levels) {
    const own = this._store.collections();
    const [first] = levels;
    if (levels.length > 1 || first.solutions.length) {
      const all = JSON.stringify(levels);
      const same = own.find(
        (one) => one.levels.length === levels.length && JSON.stringify(one.levels) === all,
      );
      return same && { id: same.id, name: same.name, index: 0 };
    }
    const content = (/** @type {Level} */ { title, author, rows }) =>
      JSON.stringify([title, author ?? "", rows]);
    const wanted = content(first);
    const served = (await this.served()).map(({ id }) => this.get(id));
    for (const { id, name, levels } of [...own, ...(await Promise.all(served))]) {
      const index = levels.findIndex((level) => content(level) === wanted);
      if (index >= 0) return { id, name, index };
    }
  }

  /**
   * Keeps levels as a collection of the player's own. A name that another one has gets a number.
   * @param {string} name
   * @param {Level[]} levels
   * @param {string} [credit]
   * @returns {{id: string, isKept: boolean}} not kept if storage is full
   */
  add(name, levels, credit = "") {
    const all = this._store.collections();
    const id = `${OWN}${Date.now().toString(36)}`;
    let ownName = name;
    for (let number = 2; all.some((own) => own.name === ownName); number += 1) {
      ownName = `${name} (${number})`;
    }
    const isKept = this._store.keepCollection({ id, name: ownName, credit, levels });
    return { id, isKept };
  }

  /**
   * Keeps a drawing in the collection of them, in place of the level that has its id.
   * @param {Level} drawing
   * @returns {{name: string, isNew: boolean, isKept: boolean}} the name of the collection
   */
  keepDrawing(drawing) {
    const kept = this._store.collection(DRAWINGS);
    const { name = t("edit.collection"), levels = [] } = kept ?? {};
    const at = levels.findIndex(({ id }) => id === drawing.id);
    const isNew = at < 0;
    const changed = isNew ? [...levels, drawing] : levels.with(at, drawing);
    const isKept = this._store.keepCollection({ ...kept, id: DRAWINGS, name, levels: changed });
    return { name, isNew, isKept };
  }

  /**
   * Where a drawing is: in the collection, if it has been saved as it is, else in the editor.
   * @param {Level} drawing
   * @returns {import("../game/session.js").Place}
   */
  placeOf(drawing) {
    const content = (/** @type {Level} */ { id, title, rows }) => JSON.stringify([id, title, rows]);
    const levels = this._store.collection(DRAWINGS)?.levels ?? [];
    const index = levels.findIndex((kept) => content(kept) === content(drawing));
    return index < 0 ? { collection: DRAWN, index: 0 } : { collection: DRAWINGS, index };
  }

  /** The id of the collection that is opened first: the first file given to the server, if any. */
  async first() {
    return (await this.served()).find(({ id }) => id !== SHIPPED)?.id ?? SHIPPED;
  }

  /** @returns {Collection} */
  _played() {
    const played = [...this._store.allProgress()].map(([key, progress]) => ({ key, ...progress }));
    played.sort(
      (one, other) =>
        (one.begunAt ?? 0) - (other.begunAt ?? 0) || one.key.localeCompare(other.key),
    );
    const levels = played.map(({ title, author, rows, from }) => {
      return { title, author, rows, from, solutions: [] };
    });
    return { id: PLAYED, name: t("levels.played"), levels };
  }

  /** @returns {Collection} */
  _drawn() {
    const { rows, fields } = keptDrawing(this._store);
    const level = { ...fields, rows, title: fields.title || t("edit.untitled"), solutions: [] };
    return { id: DRAWN, name: t("edit.title"), levels: isLevel(level) ? [level] : [] };
  }
}

/** Each level with the name of its collection, which the progress in it keeps. @param {Collection} found */
function withOrigin(found) {
  return { ...found, levels: found.levels.map((level) => ({ ...level, from: found.name })) };
}
