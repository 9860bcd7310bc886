/** Where one box can be pushed while the others stay, and the moves that push it there. */

import { Board, DIRECTIONS, OFFSETS, opposite } from "./board.js";
import { walkTo } from "./walk.js";

/** Walks are searched on at most this many squares in all: some 50 ms; the nearest come first. */
const MAX_SQUARES_WALKED = 4_000_000;

/** More than the longest path: the second figure never outweighs one unit of the first. */
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
      const direction = opposite(DIRECTIONS[side0]);
      moves += this._walk(player, this._standing(square0, side0), square0) + direction.toUpperCase();
      player = square0;
    }
    return moves;
  }

  /** Where the player stands beside the box. @param {number} square @param {number} side */
  _standing(square, side) {
    return this._others.neighbour(square, DIRECTIONS[side]);
  }

  /** @param {number} from @param {number} to @param {number} box */
  _walk(from, to, box) {
    const boxes = this._others.boxes.slice();
    boxes[box] = 1;
    return walkTo(new Board({ ...this._others, boxes, player: from }), to) ?? "";
  }

  _search() {
    const { width, height, walls } = this._others;
    const blocked = this._others.boxes;
    const isByPushes = this._optimal === "pushes";
    // A push is a move too.
    const pushCost = MAJOR + 1;
    const moveCost = isByPushes ? 1 : MAJOR;
    const distance = new Int32Array(width * height);
    const stamp = new Int32Array(width * height);
    const queue = new Int32Array(width * height);
    const steps = DIRECTIONS.map((direction) => OFFSETS[direction]);
    /** Where the player stands to push, -1 where nobody can. */
    const sides = new Int32Array(4);
    let round = 0;
    let walked = 0;

    /** Distances of squares from the player, until all sides of the box are reached. */
    const flood = (/** @type {number} */ player, /** @type {number} */ box) => {
      round += 1;
      let missing = 0;
      for (let side = 0; side < 4; side++) {
        const place = this._standing(box, side);
        sides[side] = this._others.isFree(place) ? place : -1;
        if (sides[side] >= 0 && place !== player) missing += 1;
      }
      stamp[player] = round;
      distance[player] = 0;
      queue[0] = player;
      let end = 1;
      for (let index = 0; missing > 0 && index < end; index++) {
        const square = queue[index];
        const row = (square / width) | 0;
        const column = square - row * width;
        for (const [rows, columns] of steps) {
          const r = row + rows;
          const c = column + columns;
          if (r < 0 || r >= height || c < 0 || c >= width) continue;
          const next = r * width + c;
          if (stamp[next] === round || walls[next] || blocked[next] || next === box) continue;
          stamp[next] = round;
          distance[next] = distance[square] + 1;
          queue[end++] = next;
          if (sides.includes(next)) missing -= 1;
        }
      }
      walked += end;
    };

    const waiting = new Queue();
    /** @type {Map<number, number>} */
    const cost = new Map();
    const done = new Set();
    const relax = (
      /** @type {number} */ state,
      /** @type {number} */ value,
      /** @type {number} */ before,
    ) => {
      const known = cost.get(state);
      if (known !== undefined && known <= value) return;
      cost.set(state, value);
      this._before.set(state, before);
      waiting.add(value, state);
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
      const state = waiting.next();
      if (state === undefined) break;
      if (done.has(state)) continue;
      done.add(state);
      const square = state >> 2;
      const value = /** @type {number} */ (cost.get(state));
      if (!this._best.has(square)) this._best.set(square, state);
      const next = this._others.neighbour(square, opposite(DIRECTIONS[state & 3]));
      if (!this._others.isFree(next)) continue;
      // After the push the player stands where the box was, and may walk on from there.
      const pushed = next * 4 + (state & 3);
      const after = value + pushCost;
      const known = cost.get(pushed);
      if (known === undefined || after < known) {
        relax(pushed, after, state);
        walkRound(square, next, after, pushed);
      }
    }
  }
}

/** States in the order of their costs, the cheapest last. */
class Queue {
  constructor() {
    /** @type {number[]} */
    this._costs = [];
    /** @type {number[]} */
    this._states = [];
  }

  /** @param {number} cost @param {number} state */
  add(cost, state) {
    let [low, high] = [0, this._costs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this._costs[middle] > cost) low = middle + 1;
      else high = middle;
    }
    this._costs.splice(low, 0, cost);
    this._states.splice(low, 0, state);
  }

  /** @returns {number | undefined} the cheapest state, removed */
  next() {
    this._costs.pop();
    return this._states.pop();
  }
}
