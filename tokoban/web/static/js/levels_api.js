/** Collections and level texts, from the server. */

/** @typedef {import("./game/store.js").Level} Level */
/** @typedef {{id: string, name: string, num_levels: number, problems: string[]}} Listed */

/** What the server said against a request, or that it does not answer. */
export class ServerError extends Error {
  /** @param {string} message @param {boolean} isLost */
  constructor(message, isLost = false) {
    super(message);
    this.isLost = isLost;
  }
}

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
 * @returns {Promise<{levels: Level[], problems: {line: number, message: string}[]}>}
 */
export function readLevels(text, name) {
  return ask("api/levels/read", { text, name });
}

/** @param {object[]} levels @param {"sok" | "xsb"} format @returns {Promise<string>} */
export async function writeLevels(levels, format) {
  return (await ask("api/levels/write", { levels, format })).text;
}

/** @param {string} path @param {object} [body] */
async function ask(path, body) {
  let response;
  try {
    response = await fetch(path, body && { method: "POST", body: JSON.stringify(body), headers });
  } catch {
    throw new ServerError("", true);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ServerError(answer.message ?? response.statusText);
  return answer;
}

const headers = { "Content-Type": "application/json" };
