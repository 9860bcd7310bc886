/** Where one box can be pushed while the others stay, and the moves that push it there. */

import { Board, DIRECTIONS, neighbourTable } from "./board.js";
import { walkTo } from "./walk.js";

/** Walks are searched on at most this many squares in all: some 50 ms; the nearest come first. */
const MAX_SQUARES_WALKED = 4_000_000;

/** More than the longest path, so that the second figure never outweighs a unit of the first. */
const MAJOR = 2 ** 26;

/**
 * Paths of a box from where it stands.
 *
 * A state is the box's square and the side on which the player stands. Dijkstra's algorithm orders
 * the states by pushes and then moves, or by moves and then pushes.
 */
export class BoxPaths {
  /**
   * @param {Board} board
   * @param {number} box its square
   * @param {"pushes" | "moves"} optimal what a path has the fewest of
   */
  constructor(board, box, optimal) {
    this.box = box;
    this._board = board;
    const boxes = board.boxes.slice();
    boxes[box] = 0;
    // Without the box: it is where the state says.
    this._others = new Board({ ...board, boxes });
    this._next = neighbourTable(board);
    this._optimal = optimal;
    /** State -> the state before it, -1 for the first. @type {Map<number, number>} */
    this._before = new Map();
    /** The cheapest state with the box on a square. @type {Map<number, number>} */
    this._best = new Map();
    this._search();
  }

  /** The squares to which the box can be pushed. @returns {number[]} */
  squares() {
    return [...this._best.keys()].filter((square) => square !== this.box);
  }

  /** @param {number} square @returns {boolean} */
  reaches(square) {
    return square !== this.box && this._best.has(square);
  }

  /**
   * The moves that push the box to a square, or null where no push leads there.
   * @param {number} square
   * @returns {string | null}
   */
  movesTo(square) {
    let state = this._best.get(square);
    if (state === undefined) return null;
    const states = [];
    while (state !== undefined && state >= 0) {
      states.push(state);
      state = this._before.get(state);
    }
    states.reverse();
    let moves = "";
    let { player } = this._board;
    // A push leads from (square, side) to (next, same side); other steps only walk round the box.
    for (let index = 1; index < states.length; index++) {
      const [square0, side0] = [states[index - 1] >> 2, states[index - 1] & 3];
      const square1 = states[index] >> 2;
      if (square0 === square1) continue;
      // In DIRECTIONS the opposite of side s is s ^ 2.
      const direction = DIRECTIONS[side0 ^ 2];
      moves += this._walk(player, this._next[states[index - 1]], square0) + direction.toUpperCase();
      player = square0;
    }
    return moves;
  }

  /** @param {number} from @param {number} to @param {number} box */
  _walk(from, to, box) {
    const boxes = this._others.boxes.slice();
    boxes[box] = 1;
    return walkTo(new Board({ ...this._others, boxes, player: from }), to) ?? "";
  }

  _search() {
    const { _others: others, _next: next } = this;
    // A push is a move too.
    const pushCost = MAJOR + 1;
    const moveCost = this._optimal === "pushes" ? 1 : MAJOR;
    const distance = new Int32Array(others.walls.length);
    const stamp = new Int32Array(others.walls.length);
    const queue = new Int32Array(others.walls.length);
    /** Where the player stands to push, -1 where nobody can. */
    const sides = new Int32Array(4);
    let round = 0;
    let walked = 0;

    /** Distances of squares from the player, until all sides of the box are reached. */
    const flood = (/** @type {number} */ player, /** @type {number} */ box) => {
      round += 1;
      let missing = 0;
      for (let side = 0; side < 4; side++) {
        const place = next[box * 4 + side];
        sides[side] = others.isFree(place) ? place : -1;
        if (sides[side] >= 0 && place !== player) missing += 1;
      }
      stamp[player] = round;
      distance[player] = 0;
      queue[0] = player;
      let end = 1;
      for (let index = 0; missing > 0 && index < end; index++) {
        const square = queue[index];
        for (let side = 0; side < 4; side++) {
          const place = next[square * 4 + side];
          if (!others.isFree(place) || place === box || stamp[place] === round) continue;
          stamp[place] = round;
          distance[place] = distance[square] + 1;
          queue[end++] = place;
          if (sides.includes(place)) missing -= 1;
        }
      }
      walked += end;
    };

    /** The cheapest last. @type {{state: number, value: number}[]} */
    const waiting = [];
    /** @type {Map<number, number>} */
    const cost = new Map();
    const done = new Set();
    /** Whether a state is reached for less than before. */
    const relax = (
      /** @type {number} */ state,
      /** @type {number} */ value,
      /** @type {number} */ before,
    ) => {
      if (value >= (cost.get(state) ?? Infinity)) return false;
      cost.set(state, value);
      this._before.set(state, before);
      let [low, high] = [0, waiting.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (waiting[middle].value > value) low = middle + 1;
        else high = middle;
      }
      waiting.splice(low, 0, { state, value });
      return true;
    };
    /** All sides to which the player can walk. */
    const walkRound = (
      /** @type {number} */ player,
      /** @type {number} */ box,
      /** @type {number} */ base,
      /** @type {number} */ before,
    ) => {
      flood(player, box);
      for (let side = 0; side < 4; side++) {
        const place = sides[side];
        if (place >= 0 && stamp[place] === round) {
          relax(box * 4 + side, base + moveCost * distance[place], before);
        }
      }
    };

    walkRound(this._board.player, this.box, 0, -1);
    while (walked < MAX_SQUARES_WALKED) {
      const cheapest = waiting.pop();
      if (!cheapest) break;
      const { state, value } = cheapest;
      if (done.has(state)) continue;
      done.add(state);
      const square = state >> 2;
      if (!this._best.has(square)) this._best.set(square, state);
      const ahead = next[state ^ 2];
      if (!others.isFree(ahead)) continue;
      // After the push the player stands where the box was, and may walk on from there.
      const pushed = ahead * 4 + (state & 3);
      const after = value + pushCost;
      if (relax(pushed, after, state)) walkRound(square, ahead, after, pushed);
    }
  }
}
