/**
 * What the browser's storage holds, checked: other versions of the page, other tabs and the player
 * write there too. A malformed record counts as none.
 */

/**
 * @typedef {import("./store.js").Collection} Collection
 * @typedef {import("./found.js").Found} Found
 * @typedef {import("./store.js").Level} Level
 * @typedef {import("./store.js").Progress} Progress
 */

/** @param {any} value @returns {value is string} */
const isText = (value) => typeof value === "string";

/** @param {any} value @returns {value is string[]} */
const isTexts = (value) => Array.isArray(value) && value.every(isText);

/** Whether a board can be made of them. @param {any} rows @returns {rows is string[]} */
function isBoard(rows) {
  return (
    isTexts(rows) &&
    rows.every((row) => /^[#@+$*. ]*$/.test(row)) &&
    rows.join("").match(/[@+]/g)?.length === 1
  );
}

/** @param {any} value @returns {Progress | null} */
export function progressOf(value) {
  if (!isBoard(value?.rows) || !isText(value.moves)) return null;
  const { rows, moves, at, given, title, author, from, begunAt, snapshots, bestByMoves, bestByPushes } = value;
  const playedAt = Number(value.playedAt) || 0;
  /** @type {Progress} */
  const progress = {
    rows,
    moves,
    at: Number(at) || 0,
    title: isText(title) ? title : "",
    begunAt: Number(begunAt) || playedAt,
    playedAt,
    snapshots: Array.isArray(snapshots)
      ? snapshots.filter((one) => isText(one?.moves) && isText(one.name) && Number.isInteger(one.at))
      : [],
  };
  if (isText(author)) progress.author = author;
  if (isText(from)) progress.from = from;
  if (Number.isInteger(given)) progress.given = given;
  if (isText(bestByMoves) && isText(bestByPushes)) Object.assign(progress, { bestByMoves, bestByPushes });
  return progress;
}

/** @param {any} value @returns {Found | null} its solutions are not yet replayed */
export function foundOf(value) {
  if (!value?.bounds) return null;
  const { bestByMoves, bestByPushes, bounds } = value;
  /** @type {Found} */
  const found = { bounds: {} };
  for (const name of /** @type {const} */ (["moves", "pushes"])) {
    if (Number.isSafeInteger(bounds[name])) found.bounds[name] = bounds[name];
  }
  if (!isText(bestByMoves) || !isText(bestByPushes)) return found;
  return { bestByMoves, bestByPushes, ...found };
}

/** @param {any} value @returns {value is Level} */
export function isLevel(value) {
  if (!isBoard(value?.rows) || !isText(value.title) || !isTexts(value.solutions)) return false;
  const { notes = [], saved = [] } = value;
  return isTexts(notes) && Array.isArray(saved) && saved.every((game) => isText(game?.moves));
}

/** @param {any} value @returns {Collection | null} its levels without those that are damaged */
export function collectionOf(value) {
  if (!isText(value?.id) || !isText(value.name) || !Array.isArray(value.levels)) return null;
  return { ...value, levels: value.levels.filter(isLevel) };
}
