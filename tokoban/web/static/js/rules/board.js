/**
 * The board as an immutable value, and the rules of one move.
 *
 * A square is `row * width + column`; the world beyond the edge is wall. The Python module
 * `tokoban.sokoban.rules` is the reference; a test compares them.
 */

/** The four moves, in the order of the project. @type {readonly string[]} */
export const DIRECTIONS = ["u", "l", "d", "r"];

/** One step in each direction as [rows, columns]. @type {Record<string, [number, number]>} */
export const OFFSETS = { u: [-1, 0], l: [0, -1], d: [1, 0], r: [0, 1] };

/** @type {Record<string, string>} */
const OPPOSITES = { u: "d", l: "r", d: "u", r: "l" };

/** The letters of XSB as [wall, goal, box, player]. */
const LETTERS = {
  "#": [1, 0, 0, 0],
  "@": [0, 0, 0, 1],
  "+": [0, 1, 0, 1],
  $: [0, 0, 1, 0],
  "*": [0, 1, 1, 0],
  ".": [0, 1, 0, 0],
  " ": [0, 0, 0, 0],
};

/** One position: walls, goals, boxes and the player. No method changes it. */
export class Board {
  /**
   * @param {{height: number, width: number, walls: Uint8Array, goals: Uint8Array,
   *   boxes: Uint8Array, player: number}} parts
   */
  constructor({ height, width, walls, goals, boxes, player }) {
    this.height = height;
    this.width = width;
    this.walls = walls;
    this.goals = goals;
    this.boxes = boxes;
    this.player = player;
    Object.freeze(this);
  }

  /**
   * The board drawn in XSB rows; floor fills the short ones.
   * @param {readonly string[]} rows
   * @param {{needsPlayer?: boolean}} [options] a drawing may be without a player, whose square is -1
   * @returns {Board}
   */
  static fromRows(rows, { needsPlayer = true } = {}) {
    const height = rows.length;
    const width = Math.max(0, ...rows.map((row) => row.length));
    const walls = new Uint8Array(height * width);
    const goals = new Uint8Array(height * width);
    const boxes = new Uint8Array(height * width);
    let player = -1;
    rows.forEach((row, r) => {
      for (let c = 0; c < row.length; c++) {
        const parts = LETTERS[/** @type {keyof typeof LETTERS} */ (row[c])];
        if (!parts) throw new Error(`unknown square ${JSON.stringify(row[c])}`);
        const square = r * width + c;
        [walls[square], goals[square], boxes[square]] = parts;
        if (parts[3]) {
          if (player >= 0) throw new Error("more than one player");
          player = square;
        }
      }
    });
    if (player < 0 && needsPlayer) throw new Error("no player");
    return new Board({ height, width, walls, goals, boxes, player });
  }

  /** The board as XSB, all rows of equal length. @returns {string[]} */
  toRows() {
    const rows = [];
    for (let r = 0; r < this.height; r++) {
      let row = "";
      for (let c = 0; c < this.width; c++) row += this.letterAt(r * this.width + c);
      rows.push(row);
    }
    return rows;
  }

  /** @param {number} square @returns {string} */
  letterAt(square) {
    if (this.walls[square]) return "#";
    const onGoal = this.goals[square];
    if (this.boxes[square]) return onGoal ? "*" : "$";
    if (this.player === square) return onGoal ? "+" : "@";
    return onGoal ? "." : " ";
  }

  /** Whether every box stands on a goal and every goal holds a box. @returns {boolean} */
  isSolved() {
    for (let square = 0; square < this.boxes.length; square++) {
      if (this.boxes[square] !== this.goals[square]) return false;
    }
    return true;
  }

  /** Whether the player or a box may go there; -1 is beyond the edge. @param {number} square */
  isFree(square) {
    return square >= 0 && !this.walls[square] && !this.boxes[square];
  }

  /**
   * The next square in a direction, or -1 beyond the edge.
   * @param {number} square
   * @param {string} direction
   * @returns {number}
   */
  neighbour(square, direction) {
    if (square < 0) return -1;
    const [rows, columns] = OFFSETS[direction];
    const row = Math.floor(square / this.width) + rows;
    const column = (square % this.width) + columns;
    if (row < 0 || row >= this.height || column < 0 || column >= this.width) return -1;
    return row * this.width + column;
  }

  /** @param {number} square @returns {[number, number]} row and column, from 0 */
  place(square) {
    return [Math.floor(square / this.width), square % this.width];
  }

  /** @param {number[]} place row and column, from 0 @returns {number} the square */
  at([row, column]) {
    return row * this.width + column;
  }

  /** The squares of all boxes, ascending. @returns {number[]} */
  boxSquares() {
    const squares = [];
    for (let square = 0; square < this.boxes.length; square++) {
      if (this.boxes[square]) squares.push(square);
    }
    return squares;
  }
}

/** The neighbours of each square in the four directions; -1 is beyond. @param {Board} board */
export function neighbourTable(board) {
  const next = new Int32Array(board.walls.length * 4);
  for (let square = 0; square < board.walls.length; square++) {
    DIRECTIONS.forEach((direction, side) => {
      next[square * 4 + side] = board.neighbour(square, direction);
    });
  }
  return next;
}

/**
 * Makes moves, pushing at most one box with each. Stops before the first that the rules forbid.
 * @param {Board} board
 * @param {string} letters in either case
 * @returns {{board: Board, letters: string}} the moves made, in upper case for a push
 */
export function advance(board, letters) {
  const boxes = board.boxes.slice();
  let { player } = board;
  let made = "";
  for (const letter of letters.toLowerCase()) {
    if (!(letter in OFFSETS)) break;
    const ahead = board.neighbour(player, letter);
    if (ahead < 0 || board.walls[ahead]) break;
    if (boxes[ahead]) {
      const beyond = board.neighbour(ahead, letter);
      if (beyond < 0 || board.walls[beyond] || boxes[beyond]) break;
      boxes[ahead] = 0;
      boxes[beyond] = 1;
      made += letter.toUpperCase();
    } else {
      made += letter;
    }
    player = ahead;
  }
  return { board: new Board({ ...board, boxes, player }), letters: made };
}

/**
 * Takes moves back that were made on the way to this board, the last one first.
 * @param {Board} board
 * @param {string} letters as `advance` gave them
 * @returns {Board}
 */
export function retreat(board, letters) {
  const boxes = board.boxes.slice();
  let { player } = board;
  for (let index = letters.length - 1; index >= 0; index--) {
    const letter = letters[index].toLowerCase();
    if (letter !== letters[index]) {
      boxes[board.neighbour(player, letter)] = 0;
      boxes[player] = 1;
    }
    player = board.neighbour(player, OPPOSITES[letter]);
  }
  return new Board({ ...board, boxes, player });
}

/** @param {string} letters of moves @returns {number} */
export function countPushes(letters) {
  let pushes = 0;
  for (const letter of letters) if (letter < "a") pushes += 1;
  return pushes;
}
