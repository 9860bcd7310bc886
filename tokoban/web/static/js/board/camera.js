/** How large a square is, and which part of the board is in the picture. */

/** A square is at least so large, in CSS pixels; where the board does not fit, it scrolls. */
const MIN_CELL = 18;
/** And at most so large: two boxes should not fill a screen. */
const MAX_CELL = 72;
const MIN_ZOOM = 0.5;
const MAX_ZOOM = 4;

/** All lengths are in device pixels, so that squares meet without seams. */
export class Camera {
  /** @param {boolean} fitsAlways thumbnails shrink instead of scrolling */
  constructor(fitsAlways) {
    this._fitsAlways = fitsAlways;
    this.zoom = 1;
    this.cell = 1;
    this.width = 1;
    this.height = 1;
    this.x = 0;
    this.y = 0;
    this.ratio = 1;
    this._board = { width: 1, height: 1 };
  }

  /** @param {number} factor */
  zoomBy(factor) {
    this.zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, this.zoom * factor));
  }

  /**
   * @param {{width: number, height: number}} board in squares
   * @param {{width: number, height: number}} room in CSS pixels
   */
  fit(board, room) {
    this.ratio = window.devicePixelRatio || 1;
    const [width, height] = [room.width * this.ratio, room.height * this.ratio];
    let cell = Math.min(width / board.width, height / board.height);
    if (!this._fitsAlways) {
      cell = Math.min(Math.max(cell, MIN_CELL * this.ratio), MAX_CELL * this.ratio) * this.zoom;
    }
    this.cell = Math.max(1, Math.floor(cell));
    this.width = Math.max(1, Math.min(Math.floor(width), this.cell * board.width));
    this.height = Math.max(1, Math.min(Math.floor(height), this.cell * board.height));
    this._board = board;
  }

  /**
   * Keeps a place in the middle, but shows nothing beyond the board.
   * @param {number} row @param {number} column
   */
  follow(row, column) {
    const board = this._board;
    const within = (/** @type {number} */ at, /** @type {number} */ room, /** @type {number} */ all) =>
      Math.round(Math.max(0, Math.min(all - room, (at + 0.5) * this.cell - room / 2)));
    this.x = within(column, this.width, board.width * this.cell);
    this.y = within(row, this.height, board.height * this.cell);
  }

  /** The squares in the picture. @returns {{top: number, bottom: number, left: number, right: number}} */
  visible() {
    const { cell, x, y, width, height } = this;
    return {
      top: Math.floor(y / cell),
      bottom: Math.min(this._board.height, Math.ceil((y + height) / cell)),
      left: Math.floor(x / cell),
      right: Math.min(this._board.width, Math.ceil((x + width) / cell)),
    };
  }
}
