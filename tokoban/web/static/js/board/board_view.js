/** The picture of a board on a canvas: it follows a game, animates moves and shows marks. */

import { DIRECTIONS, OFFSETS, advance, retreat } from "../rules/board.js";
import { Backdrop, pictureOf } from "./backdrop.js";
import { Camera, gainsByTurning } from "./camera.js";
import { drawMarks } from "./marks.js";
import { outlineOf } from "./outline.js";
import { paletteOf } from "./palette.js";
import { drawRim } from "./rim.js";
import { Sprites } from "./sprites.js";
import { TURNED, squareAtTurned, turned, turnedPlace } from "./turn.js";

/** @typedef {import("../rules/board.js").Board} Board */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {{letter: string, isBack: boolean}} Step */

/** The animation of a change ends within this time, however many moves it has. */
const LONGEST_MS = 700;

/** The share of a step that its first frame shows, so that a key has an effect at once. */
const FIRST_SHARE = 0.2;

export class BoardView {
  /**
   * @param {HTMLElement} container its size is the room for the board
   * @param {{isStatic?: boolean, isWhole?: boolean}} [options] a static view shrinks the board to
   *   its room and never moves; a whole one draws walls that touch no floor too
   */
  constructor(container, { isStatic = false, isWhole = false } = {}) {
    this._isWhole = isWhole;
    this.container = container;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "board-canvas";
    container.append(this.canvas);
    this._pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this._backdrop = new Backdrop();
    this._camera = new Camera(isStatic);
    /** The board that the moves under way lead to. @type {Board | null} */
    this.board = null;
    /** The board on the way there, as it is shown now. @type {Board | null} */
    this._shown = null;
    /** @type {Sprites | null} */
    this._sprites = null;
    /** @type {readonly Mark[]} */
    this._marks = [];
    /** How moves are shown. @type {{mode: "smooth" | "steps" | "none", stepMs: number}} */
    this.pace = { mode: isStatic ? "none" : "smooth", stepMs: 90 };
    /** A box that is dragged: its square, and the pointer in CSS pixels. */
    this.dragged = /** @type {{square: number, x: number, y: number} | null} */ (null);
    /** @type {Step[]} */
    this._steps = [];
    this._share = 0;
    this._lastFrame = 0;
    this._frame = 0;
    this.facing = "d";
    /** Whether rows and columns have their numbers. */
    this.showsNumbers = false;
    /** Whether it is turned by a quarter where that makes it larger. */
    this.turns = false;
    this._isTurned = false;
    /** A square to be kept in sight in place of the player. @type {number | null} */
    this.centre = null;
    this._observer = new ResizeObserver(() => this.resize());
    this._observer.observe(container);
  }

  /**
   * Shows a board at once.
   * @param {Board} board
   * @param {{marks?: readonly Mark[]}} [options]
   */
  show(board, { marks = this._marks } = {}) {
    const isSameLevel = this.board?.walls === board.walls;
    this.board = this._shown = board;
    this._marks = marks;
    this._camera.endPan();
    this._stop();
    if (!isSameLevel || !this._sprites) this.resize();
    else this.draw();
  }

  /**
   * Goes on to a later or earlier board of the same game by moves, animated by the pace.
   * @param {Board} board
   * @param {string} letters
   * @param {boolean} isBack whether the moves are taken back, the last one first
   */
  follow(board, letters, isBack) {
    this._camera.endPan();
    if (!this.board || this.pace.mode === "none") {
      if (letters) this.facing = letters[isBack ? 0 : letters.length - 1].toLowerCase();
      return this.show(board);
    }
    const order = isBack ? [...letters].reverse() : [...letters];
    this.board = board;
    this._steps.push(...order.map((letter) => ({ letter, isBack })));
    if (!this._frame) {
      this._share = FIRST_SHARE;
      this._lastFrame = performance.now();
      this._frame = requestAnimationFrame((now) => this._tick(now));
      this.draw();
    }
  }

  /** @param {readonly Mark[]} marks */
  setMarks(marks) {
    this._marks = marks;
    if (!this._frame) this.draw();
  }

  /** Whether a step is under way. @returns {boolean} */
  get isMoving() {
    return this._steps.length > 0;
  }

  /** @param {number} factor */
  zoomBy(factor) {
    this._camera.zoomBy(factor);
    this.resize();
  }

  /**
   * Shows another part of a board that does not fit.
   * @param {number} dx @param {number} dy in CSS pixels
   * @returns {boolean} false where all of it is in the picture
   */
  panBy(dx, dy) {
    if (!this._camera.isCut) return false;
    this._camera.panBy(dx, dy);
    if (!this._frame) this.draw();
    return true;
  }

  /** Fits the board into its container again, and reads the colours again. */
  resize() {
    if (!this.board) return;
    const camera = this._camera;
    const { clientWidth: width, clientHeight: height } = this.container;
    if (!width || !height) return;
    const room = { width, height };
    this._isTurned =
      this.turns && gainsByTurning(outlineOf(this.board, this._isWhole).range, room);
    camera.fit(outlineOf(this._seen(this.board), this._isWhole).range, room);
    if (this.canvas.width !== camera.width || this.canvas.height !== camera.height) {
      this.canvas.width = camera.width;
      this.canvas.height = camera.height;
      this.canvas.style.width = `${camera.width / camera.ratio}px`;
      this.canvas.style.height = `${camera.height / camera.ratio}px`;
    }
    this._sprites = new Sprites(camera.cell, paletteOf(this.container));
    this.draw();
  }

  /**
   * The square under a point of the window, or -1.
   * @param {number} clientX
   * @param {number} clientY
   * @returns {number}
   */
  squareAt(clientX, clientY) {
    if (!this.board) return -1;
    const box = this.canvas.getBoundingClientRect();
    const { cell, ratio, x, y, width, height } = this._camera;
    const [left, top] = [(clientX - box.left) * ratio, (clientY - box.top) * ratio];
    if (left < 0 || left >= width || top < 0 || top >= height) return -1;
    const [row, column] = [Math.floor((top + y) / cell), Math.floor((left + x) / cell)];
    return this._isTurned ? squareAtTurned(this.board, row, column) : this.board.at([row, column]);
  }

  /** Where a direction of the level points on the screen. @param {string} direction */
  seenAs(direction) {
    return this._isTurned ? TURNED[direction] : direction;
  }

  /** The direction of the level that points so on the screen. @param {string} direction */
  directionOf(direction) {
    return DIRECTIONS.find((of) => this.seenAs(of) === direction) ?? direction;
  }

  /**
   * A square's place in the window, in CSS pixels.
   * @param {number} square
   * @returns {{x: number, y: number, size: number}} its upper left corner
   */
  rectOf(square) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = this._corner(square);
    const { cell, ratio } = this._camera;
    return { x: box.left + x / ratio, y: box.top + y / ratio, size: cell / ratio };
  }

  /**
   * The whole board as a picture of its own.
   * @param {number} cell size of a square in pixels
   * @returns {HTMLCanvasElement}
   */
  picture(cell) {
    const board = /** @type {Board} */ (this.board);
    const sprites = new Sprites(cell, paletteOf(this.container));
    return pictureOf(board, outlineOf(board, this._isWhole), sprites, this.facing);
  }

  destroy() {
    this._observer.disconnect();
    cancelAnimationFrame(this._frame);
    this.canvas.remove();
  }

  _stop() {
    cancelAnimationFrame(this._frame);
    this._frame = 0;
    this._steps = [];
    this._share = 0;
  }

  /** @param {number} now */
  _tick(now) {
    const elapsed = now - this._lastFrame;
    this._lastFrame = now;
    // Many steps share the time; a key pressed during a step hurries what is before it.
    const duration = Math.min(this.pace.stepMs, LONGEST_MS / this._steps.length);
    this._share += Math.max(0, elapsed) / Math.max(1, duration);
    while (this._share >= 1 && this._steps.length) {
      this._make(/** @type {Step} */ (this._steps.shift()));
      this._share -= 1;
    }
    if (!this._steps.length) {
      this.show(/** @type {Board} */ (this.board));
      return;
    }
    this._frame = requestAnimationFrame((later) => this._tick(later));
    this.draw();
  }

  /** Makes a step on the board that is shown. @param {Step} step */
  _make({ letter, isBack }) {
    const board = /** @type {Board} */ (this._shown);
    this._shown = isBack ? retreat(board, letter) : advance(board, letter).board;
    this.facing = letter.toLowerCase();
  }

  /** Draws the board as it is now. */
  draw() {
    if (!this._shown || !this._sprites) return;
    const { _camera: camera, _pen: pen, _sprites: sprites } = this;
    const board = this._seen(this._shown);
    const { cell } = camera;
    const step = this._steps[0];
    const share = this.pace.mode === "smooth" ? Math.min(1, this._share) : 0;
    const direction = this.seenAs(step?.letter.toLowerCase() ?? "d");
    const [dRow, dColumn] = OFFSETS[direction].map((way) => way * (step?.isBack ? -share : share));
    const isPush = step !== undefined && step.letter < "a";
    const [row, column] = board.place(board.player);
    /** @type {[number, number]} */
    const at = step ? [row + dRow, column + dColumn] : [row, column];
    if (this.centre !== null) camera.endPan();
    camera.follow(...(this.centre === null ? at : this._place(this.centre)));
    pen.clearRect(0, 0, camera.width, camera.height);
    const outline = outlineOf(board, this._isWhole);
    this._backdrop.draw(pen, board, outline, sprites, camera);
    const marking = {
      size: cell,
      corner: (/** @type {number} */ square) => this._corner(square),
      palette: sprites.palette,
      drawBox: (/** @type {number} */ x, /** @type {number} */ y) => sprites.box(pen, x, y, false),
    };
    drawMarks(pen, this._marks, "below", marking);
    const moved = isPush ? board.neighbour(board.player, direction) : -1;
    const range = camera.visible();
    const dragged = this.dragged && board.at(this._place(this.dragged.square));
    for (let r = range.top; r < range.bottom; r++) {
      for (let c = range.left; c < range.right; c++) {
        const square = r * board.width + c;
        if (!board.boxes[square] || square === dragged) continue;
        const [x, y] = camera.corner(r, c);
        const [slideX, slideY] = square === moved ? [dColumn * cell, dRow * cell] : [0, 0];
        sprites.box(pen, Math.round(x + slideX), Math.round(y + slideY), board.goals[square] === 1);
      }
    }
    // A goal would be hidden by the player that stands on it.
    if (!step && board.goals[board.player]) sprites.wideGoal(pen, ...camera.corner(...at));
    const [x, y] = camera.corner(...at);
    sprites.player(pen, Math.round(x), Math.round(y), step ? direction : this.seenAs(this.facing));
    drawMarks(pen, this._marks, "above", marking);
    if (this.showsNumbers) drawRim(pen, camera, outline.range, sprites.palette, this._isTurned);
    this._drawDragged();
  }

  _drawDragged() {
    if (!this.dragged) return;
    const { _camera: camera, _pen: pen, _sprites: sprites } = this;
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [this.dragged.x - box.left, this.dragged.y - box.top];
    const half = camera.cell / 2;
    pen.globalAlpha = 0.8;
    sprites?.box(pen, x * camera.ratio - half, y * camera.ratio - half, false);
    pen.globalAlpha = 1;
  }

  /** @param {number} square @returns {[number, number]} its corner on the canvas */
  _corner(square) {
    return this._camera.corner(...this._place(square));
  }

  /** The board as the screen shows it. @param {Board} board */
  _seen(board) {
    return this._isTurned ? turned(board) : board;
  }

  /** @param {number} square @returns {[number, number]} its row and column on the screen */
  _place(square) {
    const board = /** @type {Board} */ (this.board);
    return this._isTurned ? turnedPlace(board, square) : board.place(square);
  }
}
