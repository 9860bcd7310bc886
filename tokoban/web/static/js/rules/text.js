/** Boards and moves as text. Levels of any other format are read by the server. */

/** @typedef {import("./board.js").Board} Board */

/** @param {Board} board @returns {string} XSB, a row a line, without blanks at the ends of rows */
export function toXsb(board) {
  return board
    .toRows()
    .map((row) => row.trimEnd() || "-")
    .join("\n");
}

/**
 * A level as the text of a file: its board, and its title and author below.
 * @param {string} rows the board as text
 * @param {{title: string, author?: string}} level
 * @returns {string}
 */
export function levelText(rows, { title, author }) {
  return [rows, title && `Title: ${title}`, author && `Author: ${author}`].filter(Boolean).join("\n");
}

/**
 * Moves from text: LURD with repeats and groups such as `3r2(uL)`, blanks ignored.
 * @param {string} text
 * @returns {string | null} null where the text is no LURD
 */
export function parseLurd(text) {
  const compact = text.replace(/\s+/g, "");
  let index = 0;
  /** @returns {string | null} */
  const sequence = (/** @type {number} */ depth) => {
    let moves = "";
    while (index < compact.length && compact[index] !== ")") {
      const digits = /^\d{1,5}/.exec(compact.slice(index, index + 5))?.[0] ?? "";
      index += digits.length;
      let part;
      if (compact[index] === "(" && depth < MAX_DEPTH) {
        index += 1;
        part = sequence(depth + 1);
        if (part === null || compact[index] !== ")") return null;
      } else if (/^[udlr]$/i.test(compact[index] ?? "")) {
        part = compact[index];
      } else {
        return null;
      }
      index += 1;
      const repeats = digits ? Number(digits) : 1;
      if (moves.length + part.length * repeats > MAX_MOVES) return null;
      moves += part.repeat(repeats);
    }
    return moves;
  };
  const moves = sequence(0);
  return index === compact.length ? moves : null;
}

/** No solution is longer; a text that says so is a mistake or an attack. */
const MAX_MOVES = 1_000_000;
const MAX_DEPTH = 20;

/**
 * A key of a level for the browser's storage: equal boards share their progress.
 * @param {readonly string[]} rows XSB
 * @returns {string} 16 hexadecimal digits
 */
export function levelKey(rows) {
  // Two FNV-1a sums with different starts: 64 bits, for levels counted in thousands.
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (const character of rows.map((row) => row.trimEnd()).join("|")) {
    const code = character.charCodeAt(0);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x01000193) ^ (low >>> 15);
  }
  return [low, high].map((sum) => (sum >>> 0).toString(16).padStart(8, "0")).join("");
}
