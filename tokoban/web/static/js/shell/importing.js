/** Levels from outside: pasted, dropped, chosen or in the address. */

import { readLevels } from "../levels_api.js";
import { advance } from "../rules/board.js";
import { levelText, parseLurd } from "../rules/text.js";
import { t } from "../strings/index.js";
import { parseRoute } from "./router.js";
import { problemText, sentenceOf } from "./sentences.js";

/** @typedef {import("./app.js").App} App */

/** Characters or bytes; more are refused here, since the server reads no larger files. */
const MAX_SIZE = 2 ** 22;
/** Longer texts take more than a second to read, so a message comes first. */
const LONG = 2 ** 19;
/** Characters of a title that are taken for a collection's name. */
const MAX_NAME = 80;

/**
 * Reads the levels of a text or file in any format into a collection of the player's own, unless they
 * are there already, and opens the first; a view may take a single level instead. Moves (LURD) are made in the level that is
 * shown, from its start or from the position; a link that carries a level stands for that level,
 * also among words.
 * @param {App} app
 * @param {string | Blob} content
 * @param {string} name of the collection, unless it has one, or is a text whose first level has a title
 * @returns {Promise<boolean>} whether a level or moves were opened
 */
export async function importText(app, content, name) {
  const size = typeof content === "string" ? content.length : content.size;
  if (size > MAX_SIZE) {
    app.toast(t("import.too-large"));
    return false;
  }
  try {
    const text = typeof content === "string" ? content : await content.text();
    const linked = linkedLevel(text);
    const isLink = linked && !/\s/.test(text.trim());
    if (isLink) return await importText(app, linked, t("import.from-link"));
    const moves = parseLurd(text);
    if (moves) return takeMoves(app, moves);
    if (size > LONG) app.toast(t("import.reading"));
    const read = await readLevels(content, name);
    const { levels, problems } = read;
    if (!levels.length) {
      if (linked) return await importText(app, linked, t("import.from-link"));
      const line = movesIn(text);
      if (line) return takeMoves(app, line);
      tellNoLevel(app, content, problems);
      return false;
    }
    const [level] = levels;
    const offer = new CustomEvent("level", { detail: level, cancelable: true });
    if (levels.length === 1 && !app.dispatchEvent(offer)) {
      for (const told of leftOut(read)) app.toast(told);
      return true;
    }
    const count = levels.length;
    const known = await app.collections.find(levels);
    if (known) {
      app.open("play", [known.id, known.index + 1]);
      app.toast([t("import.known", { count, name: known.name }), ...leftOut(read)].join(" "));
      return true;
    }
    const title = read.name || (typeof content === "string" && level.title) || name;
    const { id, isKept } = app.collections.add(title.slice(0, MAX_NAME), levels, read.credit);
    app.open("play", [id, 1]);
    const told = [t("import.done", { count }), ...leftOut(read)];
    if (!isKept) told.push(t("import.not-kept"));
    app.toast(told.join(" "));
    return true;
  } catch (error) {
    tellServerError(app, error);
    return false;
  }
}

/**
 * What was left out of a text that has levels, and its first warning.
 * @param {Awaited<ReturnType<typeof readLevels>>} read
 * @returns {string[]} sentences
 */
export function leftOut({ problems, wrong_solutions: wrong, warnings }) {
  const told = [];
  const boards = problems.filter(({ level }) => level);
  if (boards.length) {
    told.push(t("import.left-out", { count: boards.length, line: boards[0].line }));
    told.push(problemText(boards[0]));
  }
  if (wrong.length) told.push(t("import.wrong-solutions", { count: wrong.length, line: wrong[0] }));
  return [...told, ...warnings.slice(0, 1).map(problemText)];
}

/**
 * The level of a link in a text, which a mail program may have broken over several lines.
 * @param {string} text
 * @returns {string} empty for none
 */
export function linkedLevel(text) {
  const lines = /#level=(.*)/s.exec(text)?.[1].split(/\r?\n/) ?? [""];
  let [link] = /^[^\s<>"[\]]*/.exec(lines[0]) ?? [""];
  for (const line of link === lines[0] ? lines.slice(1) : []) {
    if (!/^[\w.~!*'()-]*%[\w.~!*'()%-]*$/.test(line)) break;
    link += line;
  }
  // Behind the last wall comes the end of a sentence.
  const route = parseRoute(`#level=${link.replace(/(#|%23)[.,;:!?)]+$/, "$1")}`);
  return "level" in route ? route.level : "";
}

/**
 * The moves of a text with words beside them, as "Solution: rrDl" or "rrDl; by hand"; of several
 * solutions with such a label, the first.
 * @param {string} text
 * @returns {string | null}
 */
function movesIn(text) {
  let moves = "";
  for (const line of text.split("\n")) {
    const part = parseLurd(line.replace(/^[^:;]*:|;.*|[,*]/g, ""));
    if (part && moves && /^[^:;]*:/.test(line)) break;
    moves += part ?? "";
  }
  return moves || null;
}

/** @param {App} app @param {string} moves @returns {boolean} whether the rules allow them all */
function takeMoves(app, moves) {
  const { game, level, view } = app.session;
  if (!level || !view) {
    app.toast(t("import.moves-hidden"));
    return false;
  }
  const fromStart = advance(game.start, moves).letters;
  if (fromStart.length === moves.length) game.replaceLine(moves);
  else if (advance(game.board, moves).letters.length === moves.length) game.play(moves);
  else {
    app.toast(t("import.moves-illegal", { number: fromStart.length + 1, count: moves.length }));
    return false;
  }
  app.toast(t("import.moves", { count: moves.length }));
  return true;
}

/** @param {App} app @param {Iterable<File>} files */
export async function importFiles(app, files) {
  for (const file of files) await importText(app, file, file.name.replace(/\.\w{1,5}$/, ""));
}

/**
 * Takes pasted text and dropped files anywhere on the page.
 * @param {App} app
 */
export function takePastedAndDropped(app) {
  document.addEventListener("paste", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.("input, textarea, [contenteditable]")) return;
    const files = [...(event.clipboardData?.files ?? [])];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (files.length) importFiles(app, files);
    else if (text.trim()) importText(app, text, t("import.pasted"));
    else return;
    event.preventDefault();
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    const text = event.dataTransfer?.getData("text/plain") ?? "";
    if (files.length) importFiles(app, files);
    else if (text.trim()) importText(app, text, t("import.dropped"));
  });
}

/** Shows what went wrong with a request or with reading a file. @param {App} app @param {unknown} error */
export function tellServerError(app, error) {
  app.toast(error instanceof DOMException ? t("import.unreadable") : sentenceOf(error));
}

/**
 * Says that a text or file has no level, and its first problem.
 * @param {App} app
 * @param {string | Blob} content
 * @param {import("../levels_api.js").Problem[]} problems
 */
export function tellNoLevel(app, content, problems) {
  const place = content instanceof File ? content.name : t("import.this-text");
  app.toast([t("import.no-level", { place }), ...problems.slice(0, 1).map(problemText)].join(" "));
}

/**
 * A link that carries a level: the rows parted by `|`, floor as `-`, and its title and author.
 * @param {import("../game/store.js").Level} level
 * @returns {string}
 */
export function linkOf(level) {
  const rows = level.rows.map((row) => row.trimEnd().replaceAll(" ", "-") || "-").join("|");
  const text = levelText(rows, level);
  return `${location.origin}${location.pathname}#level=${encodeURIComponent(text)}`;
}
