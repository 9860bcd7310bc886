/** How large a square is, and which part of the board is in the picture. */

/** The least size of a square at first, in CSS pixels; a board that does not fit then scrolls. */
const MIN_CELL = 3;
/** Squares get no smaller by zooming, unless the whole board needs it. */
const SMALL_CELL = 18;
/** The greatest size of a square: two boxes should not fill a screen. */
const MAX_CELL = 100;
const MAX_ZOOM = 4;
/** A board is turned where its squares get larger by this factor: for less nobody looks anew. */
const TURNING_GAIN = 1.2;

/**
 * Whether the squares get clearly larger if the board is turned by a quarter.
 * @param {import("./outline.js").Range} range of the squares that are drawn
 * @param {{width: number, height: number}} room in CSS pixels
 */
export function gainsByTurning({ top, bottom, left, right }, { width, height }) {
  const [columns, rows] = [right - left, bottom - top];
  const now = Math.min(MAX_CELL, width / columns, height / rows);
  return Math.min(MAX_CELL, width / rows, height / columns) > TURNING_GAIN * now;
}

/** All lengths are in device pixels, so that squares meet without seams. */
export class Camera {
  /** @param {boolean} fitsAlways thumbnails shrink instead of scrolling */
  constructor(fitsAlways) {
    this._fitsAlways = fitsAlways;
    this.zoom = 1;
    this._minZoom = 1;
    this.cell = 1;
    this.width = 1;
    this.height = 1;
    this.x = 0;
    this.y = 0;
    this.ratio = 1;
    /** How far the picture is from where it would follow to, in device pixels. */
    this._pan = { x: 0, y: 0 };
    /** All squares that are drawn. @type {import("./outline.js").Range} */
    this._range = { top: 0, bottom: 1, left: 0, right: 1 };
  }

  /** @param {number} factor */
  zoomBy(factor) {
    this.zoom = Math.min(MAX_ZOOM, Math.max(this._minZoom, this.zoom * factor));
  }

  /** Whether not all squares are in the picture. @returns {boolean} */
  get isCut() {
    const { top, bottom, left, right } = this._range;
    return (right - left) * this.cell > this.width || (bottom - top) * this.cell > this.height;
  }

  /** Moves the picture. @param {number} dx @param {number} dy in CSS pixels */
  panBy(dx, dy) {
    this._pan.x -= dx * this.ratio;
    this._pan.y -= dy * this.ratio;
  }

  /** Follows again without a distance. */
  endPan() {
    this._pan = { x: 0, y: 0 };
  }

  /**
   * @param {import("./outline.js").Range} range of the squares that are drawn
   * @param {{width: number, height: number}} room in CSS pixels
   */
  fit(range, room) {
    const [columns, rows] = [range.right - range.left, range.bottom - range.top];
    this.ratio = window.devicePixelRatio || 1;
    const [width, height] = [room.width * this.ratio, room.height * this.ratio];
    const whole = Math.min(width / columns, height / rows);
    let cell = whole;
    if (!this._fitsAlways) {
      cell = Math.min(Math.max(whole, MIN_CELL * this.ratio), MAX_CELL * this.ratio);
      this._minZoom = Math.min(whole, SMALL_CELL * this.ratio) / cell;
      this.zoom = Math.max(this._minZoom, this.zoom);
      cell *= this.zoom;
    }
    this.cell = Math.max(1, Math.floor(cell));
    this.width = Math.max(1, Math.min(Math.floor(width), this.cell * columns));
    this.height = Math.max(1, Math.min(Math.floor(height), this.cell * rows));
    this._range = range;
  }

  /**
   * Keeps a place in the middle, but shows nothing beyond the board.
   * @param {number} row @param {number} column
   */
  follow(row, column) {
    const { top, bottom, left, right } = this._range;
    const { cell, _pan: pan, width, height } = this;
    /** @type {(wanted: number, room: number, first: number, end: number) => number} */
    const within = (wanted, room, first, end) =>
      Math.round(Math.max(first * cell, Math.min(end * cell - room, wanted)));
    const [middleX, middleY] = [(column + 0.5) * cell - width / 2, (row + 0.5) * cell - height / 2];
    this.x = within(middleX + pan.x, width, left, right);
    this.y = within(middleY + pan.y, height, top, bottom);
    // Beyond the edge there is nothing to come back from.
    if (pan.x) pan.x = this.x - middleX;
    if (pan.y) pan.y = this.y - middleY;
  }

  /**
   * Where a square is on the canvas, in device pixels.
   * @param {number} row @param {number} column
   * @returns {[number, number]} its upper left corner
   */
  corner(row, column) {
    return [column * this.cell - this.x, row * this.cell - this.y];
  }

  /** The squares in the picture. @returns {{top: number, bottom: number, left: number, right: number}} */
  visible() {
    const { cell, x, y, width, height } = this;
    return {
      top: Math.floor(y / cell),
      bottom: Math.min(this._range.bottom, Math.ceil((y + height) / cell)),
      left: Math.floor(x / cell),
      right: Math.min(this._range.right, Math.ceil((x + width) / cell)),
    };
  }
}
