/** Collections and all progress as SOK files, and progress back: best solutions and unfinished games. */

import { savedGameName, snapshotName } from "../game/session.js";
import { bestOf } from "../game/store.js";
import { readLevels } from "../levels_api.js";
import { Board, advance } from "../rules/board.js";
import { levelKey } from "../rules/text.js";
import { ask } from "../server.js";
import { t } from "../strings/index.js";
import { leftOut, tellNoLevel, tellServerError } from "./importing.js";
import { fileName, saveBlob } from "./saving.js";
import { problemText, titleText } from "./sentences.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../game/store.js").Level} Level */

/** @param {App} app */
export async function exportProgress(app) {
  app.session.keep();
  const levels = [...app.store.allProgress().values()].map((progress) => ({
    title: progress.title,
    author: progress.author,
    rows: progress.rows,
    solutions: solutionsOf(progress),
    saved: savedGames(progress),
  }));
  if (!levels.length) return app.toast(t("share.nothing"));
  await saveLevels(app, levels, { file: "tokoban" });
}

/** Saves a collection with the player's best solutions. @param {App} app @param {string} id */
export async function exportCollection(app, id) {
  app.session.keep();
  try {
    const { name, credit, levels } = await app.collections.get(id);
    const solved = levels.map((level) => {
      const progress = app.store.progress(levelKey(level.rows));
      return { ...level, solutions: solutionsOf(progress, level.solutions) };
    });
    await saveLevels(app, solved, { file: name, name, credit });
  } catch (error) {
    tellServerError(app, error);
  }
}

/** @param {import("../game/store.js").Progress | null} progress @param {string[]} [others] */
function solutionsOf(progress, others = []) {
  return [...new Set([...others, progress?.bestByMoves, progress?.bestByPushes])].filter(Boolean);
}

/**
 * Hands levels to the player as a SOK file, and names those that it cannot hold.
 * @param {App} app
 * @param {object[]} levels
 * @param {{file: string, name?: string, credit?: string}} about what the file is named after, and
 *   what it says of the collection
 */
export async function saveLevels(app, levels, { file, ...about }) {
  try {
    const { text, left_out: problems } = await ask("api/levels/write", { levels, ...about });
    if (text) saveBlob(new Blob([text], { type: "text/plain" }), `${fileName(file)}.sok`);
    const [first] = problems;
    if (!first) return;
    const title = titleText(first.title);
    app.toast(`${t("share.left-out", { count: problems.length, title })} ${problemText(first)}`);
  } catch (error) {
    tellServerError(app, error);
  }
}

/**
 * The unfinished game as a file has it, and the kept positions, which their titles tell from it.
 * Only the player's own moves: a file does not say whose they are.
 * @param {import("../game/store.js").Progress} progress
 */
export function savedGames({ rows, moves, at, given, snapshots }) {
  const start = Board.fromRows(rows);
  const own = moves.slice(0, given);
  return [
    { moves: own, at: Math.min(at, own.length) },
    ...snapshots
      .filter((one) => one.at <= (one.given ?? Infinity))
      .map((one) => ({ moves: one.moves, at: one.at, title: one.name })),
  ].filter((game) => game.moves && !advance(start, game.moves).board.isSolved());
}

/**
 * Takes the progress in a SOK file over: its solutions, its kept positions, and its games where the
 * player has none.
 * @param {App} app
 * @param {File[]} files
 */
export async function importProgress(app, files) {
  for (const file of files) {
    try {
      const read = await readLevels(file, file.name);
      app.session.keep();
      const count = read.levels.filter((level) => takeProgress(app, level)).length;
      const taken = t(count ? "share.imported" : "share.none", { count });
      if (read.levels.length) app.toast([taken, ...leftOut(read)].join(" "));
      else tellNoLevel(app, file, read.problems);
    } catch (error) {
      tellServerError(app, error);
    }
  }
}

/** @param {App} app @param {Level} level @returns {boolean} whether there was any */
function takeProgress(app, level) {
  const start = Board.fromRows(level.rows);
  const solutions = level.solutions.filter((moves) => advance(start, moves).board.isSolved());
  const [saved] = level.saved ?? [];
  if (!solutions.length && !saved) return false;
  const { session } = app;
  const key = levelKey(level.rows);
  const isOpen = key === session.levelKey;
  const known = app.store.progress(key);
  const snapshots = [...((isOpen ? session.game : known)?.snapshots ?? [])];
  for (const [number, { moves, at, title }] of (level.saved ?? []).entries()) {
    // The first without a name of its own is the unfinished game.
    const name = savedGameName(title) || (number ? snapshotName(moves.slice(0, at)) : "");
    const isNew = !snapshots.some((one) => one.moves === moves && one.name === name);
    if (name && isNew) snapshots.push({ moves, at, name });
  }
  app.store.keepProgress(key, {
    rows: level.rows,
    title: level.title,
    author: level.author,
    from: known?.from,
    moves: saved?.moves ?? "",
    at: saved?.at ?? 0,
    playedAt: 0,
    // A level that was left solved is kept at its end, and opened at its start.
    ...(known?.moves ? { ...known, at: isOpen ? session.game.at : known.at } : {}),
    snapshots,
    ...bestOf(solutions), // of these and of those known, the store keeps the best
  });
  if (isOpen) session.takeOver();
  return true;
}
