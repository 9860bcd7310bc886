/** Collections and level texts, from the server; each function throws `ServerError`. */

import { ask } from "./server.js";

/** @typedef {import("./game/store.js").Level} Level */
/**
 * Why a board is no level, or (level 0) what is wrong with the text; `message` is in English.
 * @typedef {{line: number, level: number, message: string, code?: string,
 *   values?: Record<string, string | number>}} Problem
 */
/** @typedef {{id: string, name: string, num_levels: number}} Listed */

/** @returns {Promise<Listed[]>} */
export async function listCollections() {
  return (await ask("api/collections")).collections;
}

/** @param {string} id @returns {Promise<{id: string, name: string, credit: string, levels: Level[]}>} */
export function readCollection(id) {
  return ask(`api/collections/${encodeURIComponent(id)}`);
}

/**
 * The levels in a text of any format.
 * @param {string} text
 * @param {string} name of the file, for messages
 * @returns {Promise<{levels: Level[], problems: Problem[]}>}
 */
export function readLevels(text, name) {
  return ask("api/levels/read", { text, name });
}

/** @param {object[]} levels @param {"sok" | "xsb"} format @returns {Promise<string>} */
export async function writeLevels(levels, format) {
  return (await ask("api/levels/write", { levels, format })).text;
}
