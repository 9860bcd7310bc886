/** The numbers of the rows and columns, along the left and the upper edge of the picture. */

import { label } from "./marks.js";

/** Numbers are as large as in a square of this size at most, in CSS pixels. */
const MOST_TEXT = 40;

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {import("./camera.js").Camera} camera
 * @param {import("./outline.js").Range} range of all squares that are drawn
 * @param {import("./palette.js").Palette} palette
 * @param {boolean} isTurned whether the columns are the rows of the level, from the right
 */
export function drawRim(pen, camera, { top, left, right }, palette, isTurned) {
  const { cell, ratio } = camera;
  const size = Math.min(cell, MOST_TEXT * ratio);
  const seen = camera.visible();
  for (let column = seen.left; column < seen.right; column++) {
    const [x] = camera.corner(0, column);
    label(pen, `${isTurned ? right - column : column - left + 1}`, x + cell / 2, size / 2, size, palette);
  }
  for (let row = seen.top; row < seen.bottom; row++) {
    const y = camera.corner(row, 0)[1] + cell / 2;
    // Below the numbers of the columns.
    if (y > size) label(pen, `${row - top + 1}`, size / 2, y, size, palette);
  }
}
