/** A level while it is drawn: its squares, with undo and redo. */

import { Board } from "../rules/board.js";

/** @typedef {import("../game/store.js").Store} Store */
/** What is drawn with. @typedef {"wall" | "floor" | "goal" | "box" | "player"} Tool */

/** @type {readonly Tool[]} */
export const TOOLS = ["wall", "floor", "goal", "box", "player"];

export const LEAST_SIZE = 3;
export const MOST_SIZE = 64;
const FIRST_SIZE = 9;
/** Where the browser keeps the drawing. */
const KEPT = "draft";
const MAX_UNDONE = 500;
const NO_FIELDS = { title: "", author: "" };

const WALL = "#";
/** What may stand on a square, as its letters without and with a goal. */
const STANDING = { nothing: " .", box: "$*", player: "@+" };

/**
 * What belongs to a drawing beside its rows; the id is that of its level in the player's collection.
 * @typedef {{title: string, author: string, id?: string}} Fields
 */
/**
 * What a step goes back to: rows, and the fields if it replaced the whole drawing.
 * @typedef {{rows: string[], fields?: Fields}} Step
 */

/** Sends "change" when a square or the size changes, or another drawing is loaded. */
export class Draft extends EventTarget {
  /** @param {readonly string[]} rows @param {Fields} [fields] */
  constructor(rows, fields = NO_FIELDS) {
    super();
    /** XSB, all of one length. @type {string[]} */
    this.rows = squared(rows);
    this.fields = fields;
    /** @type {Step[]} */
    this._before = [];
    /** @type {Step[]} */
    this._ahead = [];
    /** The rows at the start of a stroke, and whether it draws or takes away. */
    this._stroke = /** @type {{rows: string[], draws: boolean} | null} */ (null);
  }

  get height() {
    return this.rows.length;
  }

  get width() {
    return this.rows[0].length;
  }

  /** What is drawn; without a player its square is -1. */
  get board() {
    return Board.fromRows(this.rows, { needsPlayer: false });
  }

  get canUndo() {
    return this._before.length > 0;
  }

  get canRedo() {
    return this._ahead.length > 0;
  }

  /**
   * Begins a stroke: several squares that are taken back together. A stroke that begins on a goal,
   * a box or the player with the tool of that name takes such things away.
   * @param {number} square
   * @param {Tool} tool
   */
  beginStroke(square, tool) {
    const letter = this.board.letterAt(square);
    this._stroke = { rows: this.rows, draws: painted(letter, tool, false) === letter };
    this.paint(square, tool);
  }

  /** @param {number} square @param {Tool} tool */
  paint(square, tool) {
    const { board } = this;
    const letter = board.letterAt(square);
    const draws = this._stroke?.draws ?? true;
    const after = painted(letter, tool, draws);
    if (after === letter) return;
    let { rows } = this;
    if (draws && tool === "player") {
      rows = rows.map((row) => row.replace("@", " ").replace("+", "."));
    }
    const [r, c] = board.place(square);
    this.rows = rows.with(r, rows[r].slice(0, c) + after + rows[r].slice(c + 1));
    this._tell();
  }

  endStroke() {
    if (this._stroke && this._stroke.rows !== this.rows) this._keep({ rows: this._stroke.rows });
    this._stroke = null;
    this._tell();
  }

  /** Replaces the whole drawing. @param {readonly string[]} rows @param {Fields} [fields] */
  load(rows, fields = NO_FIELDS) {
    const loaded = squared(rows);
    this._keep({ rows: this.rows, fields: this.fields });
    this.rows = loaded;
    this.fields = fields;
    this._tell();
  }

  /**
   * Gives the drawing another size: rows and columns come and go at the bottom and on the right,
   * inside of a wall there.
   * @param {number} height
   * @param {number} width
   */
  resize(height, width) {
    const rows = withHeight(this.rows, height);
    this._change(transposed(withHeight(transposed(rows), width)));
  }

  /** Adds a row above or a column on the left, inside of a wall. @param {"row" | "column"} what */
  prepend(what) {
    const turned = what === "row" ? this.rows : transposed(this.rows);
    const grown = withHeight(turned.toReversed(), turned.length + 1).toReversed();
    this._change(what === "row" ? grown : transposed(grown));
  }

  undo() {
    this._restore(this._before, this._ahead);
  }

  redo() {
    this._restore(this._ahead, this._before);
  }

  /** @param {Step[]} kept the last of them is shown again @param {Step[]} others get what is shown now */
  _restore(kept, others) {
    const step = kept.pop();
    if (!step) return;
    others.push({ rows: this.rows, fields: step.fields && this.fields });
    this.rows = step.rows;
    if (step.fields) this.fields = step.fields;
    this._tell();
  }

  /** @param {string[]} rows */
  _change(rows) {
    if (rows.join("\n") === this.rows.join("\n")) return;
    this._keep({ rows: this.rows });
    this.rows = rows;
    this._tell();
  }

  /** @param {Step} step */
  _keep(step) {
    this._before.push(step);
    if (this._before.length > MAX_UNDONE) this._before.shift();
    this._ahead = [];
  }

  _tell() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}

/**
 * A square once a tool has drawn on it, or has taken away what it draws; wall and floor are not
 * taken away.
 * @param {string} letter
 * @param {Tool} tool
 * @param {boolean} draws
 * @returns {string}
 */
function painted(letter, tool, draws) {
  if (tool === "wall") return draws ? WALL : letter;
  if (tool === "floor") return draws ? " " : letter;
  const { nothing } = STANDING;
  const standing = Object.values(STANDING).find((letters) => letters.includes(letter));
  const onGoal = standing?.[1] === letter;
  if (tool === "goal") return draws || onGoal ? (standing ?? nothing)[Number(draws)] : letter;
  if (draws) return STANDING[tool][Number(onGoal)];
  return standing === STANDING[tool] ? nothing[Number(onGoal)] : letter;
}

/**
 * As many rows: the last ones go, or others of floor come; if the last is all wall it stays the
 * last, so that a closed room stays closed.
 * @param {string[]} rows
 * @param {number} height
 * @returns {string[]}
 */
function withHeight(rows, height) {
  const edge = rows.slice(-1).filter((row) => /^#+$/.test(row));
  const others = rows.slice(0, rows.length - edge.length).slice(0, height - edge.length);
  const [last] = others.slice(-1);
  const end = (/** @type {string | undefined} */ letter) => (letter === WALL ? WALL : " ");
  const added = end(last[0]) + " ".repeat(last.length - 2) + end(last.at(-1));
  while (others.length + edge.length < height) others.push(added);
  return [...others, ...edge];
}

/** Columns as rows. @param {readonly string[]} rows @returns {string[]} */
function transposed(rows) {
  return [...rows[0]].map((_, column) => rows.map((row) => row[column]).join(""));
}

/**
 * Rows of one length; throws RangeError beyond the sizes that can be drawn.
 * @param {readonly string[]} rows
 * @returns {string[]}
 */
function squared(rows) {
  const width = Math.max(LEAST_SIZE, ...rows.map((row) => row.length));
  const height = Math.max(LEAST_SIZE, rows.length);
  if (width > MOST_SIZE || height > MOST_SIZE) throw new RangeError(`${height}x${width}`);
  return Array.from({ length: height }, (_, index) => (rows[index] ?? "").padEnd(width));
}

/**
 * The drawing that the browser keeps, with the fields of the editor; or an empty room.
 * @param {Store} store
 * @returns {{rows: string[], fields: Fields}}
 */
export function keptDrawing(store) {
  const { rows, title, author, id } = store.value(KEPT) ?? {};
  return {
    rows: isDrawing(rows) ? rows : emptyRoom(FIRST_SIZE, FIRST_SIZE),
    fields: { title: `${title ?? ""}`, author: `${author ?? ""}`, id },
  };
}

/** @param {Store} store @param {Draft} draft */
export function keepDrawing(store, { rows, fields }) {
  store.keepValue(KEPT, { rows, ...fields });
}

/** Whether rows can be drawn: letters of XSB, one player at most. @param {any} rows */
function isDrawing(rows) {
  return (
    Array.isArray(rows) &&
    rows.length > 0 &&
    rows.length <= MOST_SIZE &&
    rows.every((row) => typeof row === "string" && row.length <= MOST_SIZE) &&
    /^[#@+$*. ]*$/.test(rows.join("")) &&
    (rows.join("").match(/[@+]/g)?.length ?? 0) <= 1
  );
}

/** A closed room to begin with. @param {number} height @param {number} width @returns {string[]} */
export function emptyRoom(height, width) {
  const wall = "#".repeat(width);
  const inside = `#${" ".repeat(width - 2)}#`;
  return [wall, ...Array.from({ length: height - 2 }, () => inside), wall];
}
