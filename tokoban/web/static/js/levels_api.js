/** Levels in texts and files of any format, read by the server. */

import { ask } from "./server.js";

/** @typedef {import("./game/store.js").Level} Level */
/**
 * Why a board is no level, or (level 0) what is wrong with the text; `message` is in English.
 * @typedef {{line: number, level: number, message: string, code?: string,
 *   values?: Record<string, string | number>}} Problem
 */

/**
 * The levels in a text or a file, of whatever encoding; throws `ServerError`.
 * @param {string | Blob} content
 * @param {string} name of the file, for messages
 * @returns {Promise<{name: string, credit: string, levels: Level[], problems: Problem[],
 *   wrong_solutions: number[], warnings: Problem[]}>} the lines of wrong solutions; the name that the
 *   levels have together may be empty
 */
export async function readLevels(content, name) {
  const sent =
    typeof content === "string" ? { text: content } : { base64: await base64Of(content) };
  return ask("api/levels/read", { ...sent, name });
}

/** @param {Blob} file @returns {Promise<string>} its bytes */
function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
